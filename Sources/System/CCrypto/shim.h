#ifndef BLASTOISE_CCrypto_SHIM_H
#define BLASTOISE_CCrypto_SHIM_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#endif
