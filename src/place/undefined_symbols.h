/* The symbols that a shared object leaves undefined: functions and variables that the loader takes
 * from other shared objects. */
#ifndef CLEW_PLACE_UNDEFINED_SYMBOLS_H
#define CLEW_PLACE_UNDEFINED_SYMBOLS_H

#include "base/err.h"

/* Calls `take` with the name of each, in the order of the object's dynamic symbol table. Fails (-1)
 * on a file that cannot be read or is not an ELF object. */
MUST_USE int undefined_symbols(const char *path, void (*take)(void *context, const char *name),
                               void *context, struct err *e);

/* The same with the library that each is taken from ("libc.so.6"); without symbols that have no
 * version, of which the object does not say that. */
MUST_USE int imported_symbols(const char *path,
                              void (*take)(void *context, const char *name, const char *library),
                              void *context, struct err *e);

/* The names that a shared object defines for others. */
MUST_USE int defined_symbols(const char *path, void (*take)(void *context, const char *name),
                             void *context, struct err *e);

#endif
