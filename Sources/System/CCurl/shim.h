#ifndef BLASTOISE_CCurl_SHIM_H
#define BLASTOISE_CCurl_SHIM_H

#include <curl/curl.h>

#endif
