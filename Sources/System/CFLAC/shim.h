#ifndef BLASTOISE_CFLAC_SHIM_H
#define BLASTOISE_CFLAC_SHIM_H

#if !__has_include(<FLAC/stream_decoder.h>)
#error "libflac-dev is not installed"
#endif

#include <FLAC/stream_decoder.h>

#endif
