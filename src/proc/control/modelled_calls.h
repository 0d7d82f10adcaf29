/* Functions of the C and C++ libraries whose effects on other tasks a search under control knows:
 * control stands in for them, the code that `clew cc` links in reports what they read and write,
 * the kernel is asked through a door that says what is shared, or nothing is shared. What any other
 * function does inside its library is not seen, and no search with it is exhaustive.
 *
 *     modelled_find(&names, "./server", "/usr/lib/clew/libclew_control.so", &arena);
 *     vec_each (&names, name) { ... "hsearch" ... }
 */
#ifndef CLEW_PROC_CONTROL_MODELLED_CALLS_H
#define CLEW_PROC_CONTROL_MODELLED_CALLS_H

#include "base/arena.h"
#include "place/uninstrumented.h"

/* Whether the name is of a file of the C or C++ implementation, whose code is not looked at. */
bool modelled_is_language_library(const char *name);

/* Appends the functions and variables that the module takes from these libraries and that are not
 * modelled, each once; of a module that cannot
 * be read the reason. The texts are the arena's. */
void modelled_find(plain_names *names, const char *module, const char *control,
                   struct arena *arena);

#endif
