#ifndef BLASTOISE_CMpg123_SHIM_H
#define BLASTOISE_CMpg123_SHIM_H

#if !__has_include(<mpg123.h>)
#error "libmpg123-dev is not installed"
#endif

#include <mpg123.h>

// mpg123_param is a macro, which Swift can't see.
static inline int cmpg123_set_flags(mpg123_handle *handle, long added, long removed) {
  int result = mpg123_param(handle, MPG123_ADD_FLAGS, added, 0);
  return result != MPG123_OK ? result : mpg123_param(handle, MPG123_REMOVE_FLAGS, removed, 0);
}

#endif
