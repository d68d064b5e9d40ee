#ifndef BLASTOISE_CWebSockets_SHIM_H
#define BLASTOISE_CWebSockets_SHIM_H

// Two modules import this: Transport (the client) and RoomServer (the server).

#include <libwebsockets.h>

/// The room that lws_write needs in front of the bytes it is given.
enum { cwebsockets_pre = LWS_PRE };

/// One timer of a service loop: `owner` comes back with it, since the library hands over the bare
/// list entry only.
typedef struct cwebsockets_timer {
  lws_sorted_usec_list_t entry;
  void *owner;
} cwebsockets_timer;

/// The owner of a timer that fired (lws_container_of is a macro).
static inline void *cwebsockets_timer_owner(lws_sorted_usec_list_t *entry) {
  return lws_container_of(entry, cwebsockets_timer, entry)->owner;
}

/// How a server treats a silent WebSocket: a ping after 30 s, the end after 45 s. It lives as long
/// as the process, as the library keeps the pointer.
static inline const lws_retry_bo_t *cwebsockets_server_idle_policy(void) {
  static const lws_retry_bo_t policy = {
      .secs_since_valid_ping = 30,
      .secs_since_valid_hangup = 45,
  };
  return &policy;
}

#endif
