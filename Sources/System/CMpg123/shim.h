#ifndef BLASTOISE_CMpg123_SHIM_H
#define BLASTOISE_CMpg123_SHIM_H

#include <mpg123.h>

#endif
