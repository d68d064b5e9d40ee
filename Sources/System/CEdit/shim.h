#ifndef BLASTOISE_CEdit_SHIM_H
#define BLASTOISE_CEdit_SHIM_H

#if !__has_include(<histedit.h>)
#error "libedit-dev is not installed"
#endif

#include <histedit.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

// Hidden behind a feature macro in <wchar.h>; libedit counts columns by it.
extern int wcwidth(wchar_t character);

// libedit's setters and getters are variadic, which Swift does not import: one shim a value's type.

typedef int (*cedit_read_callback)(EditLine *edit, wchar_t *character);
typedef unsigned char (*cedit_command)(EditLine *edit, int key);
typedef char *(*cedit_prompt_callback)(EditLine *edit);

/// An editor that reads and writes copies of two descriptors; NULL where the system refuses.
///
/// What libedit complains of, an unknown terminal or a line of ~/.editrc, goes nowhere.
static inline EditLine *cedit_open(const char *program, int input, int output) {
  int reading = dup(input), writing = dup(output);
  FILE *in = reading < 0 ? NULL : fdopen(reading, "r");
  FILE *out = writing < 0 ? NULL : fdopen(writing, "w");
  FILE *errors = fopen("/dev/null", "w");
  EditLine *edit = in && out && errors
      ? el_init_fd(program, in, out, errors, reading, writing, fileno(errors)) : NULL;
  if (edit) return edit;
  if (in) fclose(in); else if (reading >= 0) close(reading);
  if (out) fclose(out); else if (writing >= 0) close(writing);
  if (errors) fclose(errors);
  return NULL;
}

/// Gives the terminal back, and closes the copies.
static inline void cedit_close(EditLine *edit) {
  FILE *in = NULL, *out = NULL, *errors = NULL;
  el_get(edit, EL_GETFP, 0, &in);
  el_get(edit, EL_GETFP, 1, &out);
  el_get(edit, EL_GETFP, 2, &errors);
  el_end(edit);
  if (in) fclose(in);
  if (out) fclose(out);
  if (errors) fclose(errors);
}

static inline int cedit_set_integer(EditLine *edit, int operation, int value) {
  return el_set(edit, operation, value);
}

static inline int cedit_set_string(EditLine *edit, int operation, const char *value) {
  return el_set(edit, operation, value);
}

static inline void cedit_set_context(EditLine *edit, void *context) {
  el_set(edit, EL_CLIENTDATA, context);
}

static inline void *cedit_context(EditLine *edit) {
  void *context = NULL;
  el_get(edit, EL_CLIENTDATA, &context);
  return context;
}

static inline void cedit_set_read(EditLine *edit, cedit_read_callback read) {
  el_set(edit, EL_GETCFN, read);
}

static inline void cedit_set_prompt(EditLine *edit, cedit_prompt_callback prompt) {
  el_set(edit, EL_PROMPT, prompt);
}

static inline void cedit_add_command(
    EditLine *edit, const char *name, const char *help, cedit_command command) {
  el_set(edit, EL_ADDFN, name, help, command);
}

static inline void cedit_bind(EditLine *edit, const char *keys, const char *command) {
  el_set(edit, EL_BIND, keys, command, NULL);
}

/// Whether the editor can draw on the terminal that the environment names.
static inline bool cedit_knows_terminal(EditLine *edit) {
  const char *name = NULL;
  el_get(edit, EL_TERMINAL, &name);
  return name && strcmp(name, "dumb") && el_set(edit, EL_TERMINAL, NULL) == 0;
}

/// Keeps the terminal from showing keys by itself, and from waiting for whole lines, while no line
/// is edited: what is typed or pasted meanwhile waits for the next one.
static inline void cedit_keep_quiet(EditLine *edit) {
  el_set(edit, EL_SETTY, "-x", "-echo", "-icanon", NULL);
}

/// Draws prompt and line anew from where the cursor is.
static inline void cedit_refresh(EditLine *edit) {
  el_set(edit, EL_REFRESH);
}

/// A history of so many lines, none the same as the one before it.
static inline History *cedit_history(EditLine *edit, int limit) {
  History *kept = history_init();
  HistEvent event;
  if (!kept) return NULL;
  history(kept, &event, H_SETSIZE, limit);
  history(kept, &event, H_SETUNIQUE, 1);
  el_set(edit, EL_HIST, history, kept);
  return kept;
}

static inline void cedit_remember(History *kept, const char *line) {
  HistEvent event;
  history(kept, &event, H_ENTER, line);
}

#endif
