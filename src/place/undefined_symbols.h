/* The symbols that a shared object leaves undefined: functions and variables that the loader takes
 * from other shared objects. */
#ifndef CLEW_PLACE_UNDEFINED_SYMBOLS_H
#define CLEW_PLACE_UNDEFINED_SYMBOLS_H

#include "base/err.h"

/* Calls `take` with the name of each, in the order of the object's dynamic symbol table. Fails (-1)
 * on a file that cannot be read or is not an ELF object. */
MUST_USE int undefined_symbols(const char *path, void (*take)(void *context, const char *name),
                               void *context, struct err *e);

#endif
