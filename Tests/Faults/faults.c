// Stands in front of the C library in a program under test (LD_PRELOAD) and lets its n-th call that
// changes a folder fail, come short, or be its last.
//
//   FAULT_FOLDER  only calls on files below this folder count
//   FAULT_CALLS   which calls count, such as "write,fsync"; all of them where unset: open, write,
//                 sync, rename, cut, unlink, mkdir, read (read only where named)
//   FAULT_AT      the number of the call it begins with, from 1
//   FAULT_COUNT   how many calls it concerns; 0: all from there on
//   FAULT_KIND    a number of errno, or
//                 short  a write takes half of what it is given
//                 kill   the process is killed before the call
//                 torn   a write takes half of what it is given, then the process is killed
//   FAULT_LOG     a file that gets a line for each call that counts
//
// A call is counted once, whichever of its names it goes by. Descriptors are followed from open to
// close.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_FILES = 4096 };

static atomic_bool followed[MAX_FILES];
static atomic_long count;
static atomic_int state; // 0: not set up, 1: being set up, 2: ready
static const char *folder;
static const char *calls;
static long first;
static long amount;
static int code;
static enum { FAILS, SHORT, KILLS, TEARS } kind;
static int log_file = -1;

static void set_up(void) {
  int expected = 0;
  if (atomic_load(&state) == 2) return;
  if (!atomic_compare_exchange_strong(&state, &expected, 1)) {
    while (atomic_load(&state) != 2) {}
    return;
  }
  folder = getenv("FAULT_FOLDER");
  calls = getenv("FAULT_CALLS");
  const char *at = getenv("FAULT_AT"), *many = getenv("FAULT_COUNT");
  first = at ? atol(at) : 0;
  amount = many ? atol(many) : 1;
  const char *what = getenv("FAULT_KIND");
  if (what && strcmp(what, "short") == 0) kind = SHORT;
  else if (what && strcmp(what, "kill") == 0) kind = KILLS;
  else if (what && strcmp(what, "torn") == 0) kind = TEARS;
  else code = what ? atoi(what) : EIO;
  const char *log = getenv("FAULT_LOG");
  if (log) log_file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  atomic_store(&state, 2);
}

static int is_below(const char *path) {
  set_up();
  if (!folder || !path) return 0;
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int is_followed(int file) {
  set_up();
  return file >= 0 && file < MAX_FILES && atomic_load(&followed[file]);
}

static int is_named(const char *call) {
  if (!calls || !*calls) return strcmp(call, "read") != 0;
  size_t length = strlen(call);
  for (const char *place = calls; (place = strstr(place, call)); place += length) {
    int starts = place == calls || place[-1] == ',';
    if (starts && (place[length] == ',' || place[length] == 0)) return 1;
  }
  return 0;
}

static void die(void) {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) pause();
}

// Whether a call of this kind can meet this fault at all: a full disk opens what is there, one that
// is read-only lets be read.
static int can_meet(const char *path, int flags) {
  if (kind != FAILS) return 1;
  if (code == ENOSPC) return (flags & O_CREAT) && access(path, F_OK) != 0;
  if (code == EROFS) return (flags & (O_CREAT | O_TRUNC)) || (flags & O_ACCMODE) != O_RDONLY;
  return 1;
}

// Counts a call; says whether the fault is due. The process may end here.
static int is_due(const char *call, const char *name) {
  if (!is_named(call)) return 0;
  long number = atomic_fetch_add(&count, 1) + 1;
  int due = first > 0 && number >= first && (amount == 0 || number < first + amount);
  if (log_file >= 0) {
    char line[512];
    int length = snprintf(line, sizeof line, "%ld %s %.400s%s\n", number, call, name, due ? " FAULT" : "");
    syscall(SYS_write, log_file, line, length);
  }
  if (due && kind == KILLS) die();
  return due;
}

static const char *name_of(int file, char *text, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (log_file < 0) return "";
  ssize_t length = readlink(link, text, size - 1);
  text[length < 0 ? 0 : length] = 0;
  return text;
}

// What does not write can't come short: then only its being killed or failing counts.
static int fails(const char *call, const char *name) {
  if (!is_due(call, name)) return 0;
  if (kind == TEARS) die();
  if (kind != FAILS) return 0;
  errno = code;
  return 1;
}

static int fails_on(const char *call, int file) {
  char text[256];
  return is_followed(file) && fails(call, name_of(file, text, sizeof text));
}

#define NEXT(result, name, ...) \
  static result (*next)(__VA_ARGS__); \
  if (!next) next = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static int remember(int file, const char *path) {
  if (file >= 0 && file < MAX_FILES) atomic_store(&followed[file], is_below(path));
  return file;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    NEXT(int, name, const char *, int, ...); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if (is_below(path) && can_meet(path, flags) && fails("open", path)) return -1; \
    return remember(next(path, flags, mode), path); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int at, const char *path, int flags, ...) { \
    NEXT(int, name, int, const char *, int, ...); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if (is_below(path) && can_meet(path, flags) && fails("open", path)) return -1; \
    return remember(next(at, path, flags, mode), path); \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int file) {
  NEXT(int, close, int);
  if (file >= 0 && file < MAX_FILES) atomic_store(&followed[file], 0);
  return next(file);
}

// How many bytes a write may take: all, half, or none (-1, with errno).
static ssize_t allowed(int file, size_t size) {
  char text[256];
  if (!is_followed(file) || !is_due("write", name_of(file, text, sizeof text))) return size;
  if (kind == FAILS) {
    errno = code;
    return -1;
  }
  return size > 1 ? size / 2 : size;
}

ssize_t write(int file, const void *bytes, size_t size) {
  NEXT(ssize_t, write, int, const void *, size_t);
  ssize_t may = allowed(file, size);
  if (may < 0) return -1;
  ssize_t done = next(file, bytes, may);
  if ((size_t)may < size && kind == TEARS) die();
  return done;
}

#define PWRITE(name, offset_type) \
  ssize_t name(int file, const void *bytes, size_t size, offset_type offset) { \
    NEXT(ssize_t, name, int, const void *, size_t, offset_type); \
    ssize_t may = allowed(file, size); \
    if (may < 0) return -1; \
    ssize_t done = next(file, bytes, may, offset); \
    if ((size_t)may < size && kind == TEARS) die(); \
    return done; \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define READ(name, offset_type) \
  ssize_t name(int file, void *bytes, size_t size, offset_type offset) { \
    NEXT(ssize_t, name, int, void *, size_t, offset_type); \
    if (fails_on("read", file)) return -1; \
    return next(file, bytes, size, offset); \
  }
READ(pread, off_t)
READ(pread64, off64_t)

#define ON_FILE(call, name) \
  int name(int file) { \
    NEXT(int, name, int); \
    return fails_on(call, file) ? -1 : next(file); \
  }
ON_FILE("sync", fsync)
ON_FILE("sync", fdatasync)

#define CUT(name, offset_type) \
  int name(int file, offset_type length) { \
    NEXT(int, name, int, offset_type); \
    return fails_on("cut", file) ? -1 : next(file, length); \
  }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)

int fallocate(int file, int mode, off_t offset, off_t length) {
  NEXT(int, fallocate, int, int, off_t, off_t);
  return fails_on("cut", file) ? -1 : next(file, mode, offset, length);
}

int posix_fallocate(int file, off_t offset, off_t length) {
  NEXT(int, posix_fallocate, int, off_t, off_t);
  return fails_on("cut", file) ? errno : next(file, offset, length);
}

int rename(const char *from, const char *to) {
  NEXT(int, rename, const char *, const char *);
  return is_below(to) && fails("rename", to) ? -1 : next(from, to);
}

int link(const char *from, const char *to) {
  NEXT(int, link, const char *, const char *);
  return is_below(to) && fails("rename", to) ? -1 : next(from, to);
}

int unlink(const char *path) {
  NEXT(int, unlink, const char *);
  return is_below(path) && fails("unlink", path) ? -1 : next(path);
}

int mkdir(const char *path, mode_t mode) {
  NEXT(int, mkdir, const char *, mode_t);
  return is_below(path) && fails("mkdir", path) ? -1 : next(path, mode);
}
