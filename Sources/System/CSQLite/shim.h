#ifndef BLASTOISE_CSQLite_SHIM_H
#define BLASTOISE_CSQLite_SHIM_H

#if !__has_include(<sqlite3.h>)
#error "libsqlite3-dev is not installed"
#endif

#include <sqlite3.h>

// sqlite3_config takes varying arguments, which Swift does not import. It is to be called before anything else.
static inline int csqlite_count_no_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// SQLITE_TRANSIENT is a cast macro, which Swift does not import. Both calls copy what they are given.

static inline int csqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *text,
                                         sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// A null pointer would bind NULL where an empty blob is meant.
static inline int csqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes,
                                         sqlite3_uint64 count) {
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

#endif
