#ifndef BLASTOISE_CFLAC_SHIM_H
#define BLASTOISE_CFLAC_SHIM_H

#include <FLAC/stream_decoder.h>

#endif
