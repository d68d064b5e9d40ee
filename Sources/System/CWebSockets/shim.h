#ifndef BLASTOISE_CWebSockets_SHIM_H
#define BLASTOISE_CWebSockets_SHIM_H

#include <libwebsockets.h>

#endif
