#ifndef BLASTOISE_CPLATFORM_H
#define BLASTOISE_CPLATFORM_H

/// Names the calling thread (15 bytes at most; what is longer is cut).
void cplatform_name_this_thread(const char *name);

/// Asks for SCHED_FIFO at `priority` for the calling thread. Returns 0 or an errno value:
/// users without an rtprio limit get EPERM, which is no fault.
int cplatform_wish_realtime(int priority);

/// Blocks all signals in the calling thread, so that only the thread that waits for them gets them.
void cplatform_block_signals(void);

#endif
