#ifndef BLASTOISE_CALLOCATIONCOUNTER_H
#define BLASTOISE_CALLOCATIONCOUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Whether allocations are counted here: not under a sanitizer, which has malloc for itself.
bool callocationcounter_is_active(void);

/// How often the calling thread has allocated since it began.
uint64_t callocationcounter_this_thread(void);

/// How often a thread of this process has allocated since it began; 0 for one that never did.
uint64_t callocationcounter_thread(pid_t thread);

#endif
