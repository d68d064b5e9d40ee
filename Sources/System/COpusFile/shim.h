#ifndef BLASTOISE_COpusFile_SHIM_H
#define BLASTOISE_COpusFile_SHIM_H

#include <opusfile.h>

#endif
