#ifndef BLASTOISE_CSndFile_SHIM_H
#define BLASTOISE_CSndFile_SHIM_H

#if !__has_include(<sndfile.h>)
#error "libsndfile1-dev is not installed"
#endif

#include <sndfile.h>

#endif
