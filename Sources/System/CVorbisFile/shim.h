#ifndef BLASTOISE_CVorbisFile_SHIM_H
#define BLASTOISE_CVorbisFile_SHIM_H

#define OV_EXCLUDE_STATIC_CALLBACKS
#include <vorbis/vorbisfile.h>

#endif
