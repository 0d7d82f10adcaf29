/* Functions that handle messages, named by `clew record --handler`. The recorder searches the
 * process's modules for functions of these names; code built by `clew cc` reports when one is
 * entered and left. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_MESSAGE_HANDLER_H
#define CLEW_RUNTIME_RECORD_HOOKS_MESSAGE_HANDLER_H

#include <stdint.h>

#include "wire/recording.h"

/* The names are those in the recording's page. */
void handler_start(struct recording *recording);

/* Looks for the functions in the file that is loaded at this bias. Asking again is harmless. */
void handler_search(const char *path, uintptr_t bias);

/* The calling task enters the function that the place is in, and leaves the one it entered last. A
 * handler that another calls is a part of it. */
void handler_enter(const void *place);
void handler_leave(void);

#endif
