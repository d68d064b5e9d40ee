#ifndef BLASTOISE_CALSA_SHIM_H
#define BLASTOISE_CALSA_SHIM_H

#include <alsa/asoundlib.h>

#endif
