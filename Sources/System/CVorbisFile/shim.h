#ifndef BLASTOISE_CVorbisFile_SHIM_H
#define BLASTOISE_CVorbisFile_SHIM_H

#if !__has_include(<vorbis/vorbisfile.h>)
#error "libvorbis-dev is not installed"
#endif

#define OV_EXCLUDE_STATIC_CALLBACKS
#include <vorbis/vorbisfile.h>

#endif
