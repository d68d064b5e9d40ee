#ifndef BLASTOISE_DEMO_TRACKS_H
#define BLASTOISE_DEMO_TRACKS_H

#include <stddef.h>

/// One of the built-in tracks: its file name and its bytes, for the life of the program.
struct demo_track {
  const char *filename;
  const unsigned char *bytes;
  size_t length;
};

/// The number of built-in tracks.
size_t demo_track_count(void);

/// The built-in track at `index` (below `demo_track_count`).
struct demo_track demo_track_at(size_t index);

#endif
