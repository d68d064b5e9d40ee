#include "DemoTracks.h"

// The compiler of every toolchain we build with (clang 19 and up) puts files into arrays by itself.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char lanterns[] = {
#embed "tracks/lanterns.mp3"
};

static const unsigned char harbour[] = {
#embed "tracks/harbour.ogg"
};

static const unsigned char snowfall[] = {
#embed "tracks/snowfall.flac"
};

static const struct demo_track tracks[] = {
    {"lanterns.mp3", lanterns, sizeof lanterns},
    {"harbour.ogg", harbour, sizeof harbour},
    {"snowfall.flac", snowfall, sizeof snowfall},
};

size_t demo_track_count(void) { return sizeof tracks / sizeof *tracks; }

struct demo_track demo_track_at(size_t index) {
  return index < demo_track_count() ? tracks[index] : (struct demo_track){0};
}
