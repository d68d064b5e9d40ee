#ifndef BLASTOISE_CPLATFORM_H
#define BLASTOISE_CPLATFORM_H

#include <sys/types.h>

/// Names the calling thread (15 bytes at most; what is longer is cut).
void cplatform_name_this_thread(const char *name);

/// Asks for SCHED_FIFO at `priority` for the calling thread. Returns 0 or an errno value:
/// users without an rtprio limit get EPERM, which is no fault.
int cplatform_wish_realtime(int priority);

/// Blocks all signals in the calling thread, so that only the thread that waits for them gets them.
void cplatform_block_signals(void);

/// Starts a program in a process group of its own, with an empty input, `output` and `errors` as
/// its outputs, nothing else of ours open, and all signals as they were at first.
///
/// `words` are its path and its arguments, with NULL behind them; `folder` is where it runs, NULL
/// for where we are. Returns 0 or an errno value.
int cplatform_spawn(pid_t *pid, char *const words[], const char *folder, int output, int errors);

/// Starts writing what is dirty of a file, without waiting for it.
void cplatform_begin_writeback(int descriptor);

/// The environment as it is: texts `NAME=value` with NULL behind them.
char **cplatform_environment(void);

#endif
