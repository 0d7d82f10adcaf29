/* Which functions the program asks for by name. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_IMPORTS_H
#define CLEW_RUNTIME_CONTROL_MODEL_IMPORTS_H

#include <stdbool.h>

/* Whether the program or a library that is loaded now calls a function of another module by one of
 * these names; the last is NULL. O(relocations). */
bool imports_any(const char *const *names);

#endif
