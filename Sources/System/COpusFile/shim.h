#ifndef BLASTOISE_COpusFile_SHIM_H
#define BLASTOISE_COpusFile_SHIM_H

#if !__has_include(<opusfile.h>)
#error "libopusfile-dev and pkg-config are not installed"
#endif

#include <opusfile.h>

#endif
