#ifndef BLASTOISE_CSndFile_SHIM_H
#define BLASTOISE_CSndFile_SHIM_H

#include <sndfile.h>

#endif
