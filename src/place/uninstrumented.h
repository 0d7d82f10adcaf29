/* Code of a module that reports no accesses to memory, though the module has code that does:
 * objects and archives that were compiled without `clew cc` and linked with others that were.
 *
 *     plain_names names = {0};
 *     plain_find(&names, places, bias, &arena);
 *     vec_each (&names, name) { ... "counter.c", or "next() of server" ... }
 *
 * A function is looked at when its instructions access memory outside of its stack. It is plain
 * when nothing in its compilation unit calls the hooks of -fsanitize=thread; where debug
 * information names no unit, when the function itself does not. x86-64 only. */
#ifndef CLEW_PLACE_UNINSTRUMENTED_H
#define CLEW_PLACE_UNINSTRUMENTED_H

#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "place/place.h"

typedef VEC(const char *) plain_names;

/* Appends the names of such units of the module that is loaded with this bias, each once: sources
 * as debug information calls them, or functions; or that the module has no symbols, so that nothing
 * is known. The texts are the arena's. O(size of the module's code). */
void plain_find(plain_names *names, struct places *p, uint64_t bias, struct arena *arena);

#endif
