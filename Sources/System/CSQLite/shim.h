#ifndef BLASTOISE_CSQLite_SHIM_H
#define BLASTOISE_CSQLite_SHIM_H

#include <sqlite3.h>

#endif
