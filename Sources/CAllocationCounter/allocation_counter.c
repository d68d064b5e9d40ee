// Counts allocations by standing in for malloc and its kin. Linked into an executable, these
// definitions are the ones that every library of the process calls, libc's own functions and
// Swift's runtime included; each hands on to glibc's.
#define _GNU_SOURCE
#include "CAllocationCounter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

enum { THREADS = 4096 };

struct counter {
  _Atomic pid_t thread;
  _Atomic uint64_t count;
};

// A counter outlives its thread, so that a late reader never meets freed memory.
static struct counter counters[THREADS];
static _Atomic int used;
static _Thread_local struct counter *own;

#ifndef SANITIZED

// Shared by the threads that found no counter left.
static struct counter spare;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void count_one(void) {
  if (!own) {
    int place = atomic_fetch_add(&used, 1);
    own = place < THREADS ? &counters[place] : &spare;
    atomic_store(&own->thread, gettid());
  }
  atomic_fetch_add_explicit(&own->count, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  count_one();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  count_one();
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  count_one();
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  count_one();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count_one();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  count_one();
  if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
  void *made = __libc_memalign(alignment, size);
  if (!made) return ENOMEM;
  *block = made;
  return 0;
}

bool callocationcounter_is_active(void) { return true; }

#else

bool callocationcounter_is_active(void) { return false; }

#endif

uint64_t callocationcounter_this_thread(void) {
  return own ? atomic_load_explicit(&own->count, memory_order_relaxed) : 0;
}

uint64_t callocationcounter_thread(pid_t thread) {
  int last = atomic_load(&used);
  if (last > THREADS) last = THREADS;
  // The system gives numbers of ended threads out again: the latest is meant.
  for (int place = last - 1; place >= 0; place--) {
    if (atomic_load(&counters[place].thread) == thread)
      return atomic_load_explicit(&counters[place].count, memory_order_relaxed);
  }
  return 0;
}
