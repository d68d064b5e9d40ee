#define _GNU_SOURCE  // pthread_setname_np is hidden without it, from Swift's Glibc module too
#include "CPlatform.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

void cplatform_name_this_thread(const char *name) {
  char cut[16];
  strncpy(cut, name, sizeof cut - 1);
  cut[sizeof cut - 1] = '\0';
  pthread_setname_np(pthread_self(), cut);
}

int cplatform_wish_realtime(int priority) {
  struct sched_param wish = {.sched_priority = priority};
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &wish);
}

void cplatform_block_signals(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
}
