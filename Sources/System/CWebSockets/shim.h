#ifndef BLASTOISE_CWebSockets_SHIM_H
#define BLASTOISE_CWebSockets_SHIM_H

// Two modules import this: Transport (the client) and RoomServer (the server).

#include <libwebsockets.h>

/// The room that lws_write needs in front of the bytes it is given.
enum { cwebsockets_pre = LWS_PRE };

#endif
