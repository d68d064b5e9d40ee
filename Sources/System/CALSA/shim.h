#ifndef BLASTOISE_CALSA_SHIM_H
#define BLASTOISE_CALSA_SHIM_H

#if !__has_include(<alsa/asoundlib.h>)
#error "libasound2-dev is not installed"
#endif

#include <alsa/asoundlib.h>

static inline void calsa_say_nothing(
    const char *file, int line, const char *function, int code, const char *format, ...) {}

/* Keeps the library's own complaints off standard error: every call's code tells enough. */
static inline void calsa_silence(void) { snd_lib_error_set_handler(calsa_say_nothing); }

#endif
