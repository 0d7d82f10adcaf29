/* gdb, started on a program with a script of commands.
 *
 *     struct out script;                       ... "break main\nrun\n" ...
 *     gdb_print_commands("bt; info locals", &script);
 *     if (gdb_run(&script, true, command, e) < 0) { ... it cannot be run ... }
 */
#ifndef CLEW_PROC_CONTROL_GDB_H
#define CLEW_PROC_CONTROL_GDB_H

#include <stdbool.h>

#include "base/err.h"
#include "base/out.h"

/* Writes the commands of a list that ';' divides, a line each; NULL: none. */
void gdb_print_commands(const char *commands, struct out *script);

/* The script as a file in memory, which gdb opens by its descriptor; -1, errno set, on failure. */
int gdb_keep_script(const struct out *script);

/* Becomes gdb with that script on the command, in batch mode without a terminal. Returns where that
 * fails, errno set. */
void gdb_become(int script_fd, bool is_batch, char *const *command);

/* Runs the same as a child and waits for it; Ctrl-C on the terminal is for gdb. Fails when gdb
 * cannot be run. */
MUST_USE int gdb_run(const struct out *script, bool is_batch, char *const *command, struct err *e);

#endif
