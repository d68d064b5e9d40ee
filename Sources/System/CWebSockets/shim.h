#ifndef BLASTOISE_CWebSockets_SHIM_H
#define BLASTOISE_CWebSockets_SHIM_H

#if !__has_include(<libwebsockets.h>)
#error "libwebsockets-dev is not installed"
#endif

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

// libwebsockets hands OpenSSL's own objects to its callbacks, and brings its headers.
#include <openssl/x509_vfy.h>

/// Why a certificate was not trusted: OpenSSL's words, static.
///
/// `store` is what comes with LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION; NULL when
/// nothing is wrong.
static inline const char *cwebsockets_distrust(void *store) {
  int code = X509_STORE_CTX_get_error((X509_STORE_CTX *)store);
  return code == X509_V_OK ? NULL : X509_verify_cert_error_string(code);
}

/// Whether a PEM file holds certificates that can be trusted; libwebsockets does not tell.
static inline int cwebsockets_holds_certificates(const char *path) {
  X509_STORE *store = X509_STORE_new();
  int holds = store && X509_STORE_load_locations(store, path, NULL) == 1;
  X509_STORE_free(store);
  return holds;
}

#endif
