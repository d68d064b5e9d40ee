#ifndef BLASTOISE_CCrypto_SHIM_H
#define BLASTOISE_CCrypto_SHIM_H

#if !__has_include(<openssl/crypto.h>)
#error "libssl-dev is not installed"
#endif

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#endif
