#define _GNU_SOURCE  // the newer file actions are hidden without it, from Swift's Glibc module too
#include "CPlatform.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

int cplatform_spawn(pid_t *pid, char *const words[], const char *folder, int output, int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  int code = posix_spawn_file_actions_init(&actions);
  if (code) return code;
  code = posix_spawnattr_init(&attributes);
  if (code) {
    posix_spawn_file_actions_destroy(&actions);
    return code;
  }
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!code) code = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (!code) code = posix_spawn_file_actions_adddup2(&actions, errors, 2);
  if (!code) code = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  if (!code && folder) code = posix_spawn_file_actions_addchdir_np(&actions, folder);
  if (!code) code = posix_spawn(pid, words[0], &actions, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

char **cplatform_environment(void) {
  return environ;
}

void cplatform_begin_writeback(int descriptor) {
  sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
}
