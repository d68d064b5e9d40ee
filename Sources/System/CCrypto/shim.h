#ifndef BLASTOISE_CCrypto_SHIM_H
#define BLASTOISE_CCrypto_SHIM_H

#include <openssl/evp.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>

#endif
