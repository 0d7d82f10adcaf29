/* The machine code of a module: the bytes at an address, the function around it, and the callers of
 * that function. All addresses are those of the process. */
#ifndef CLEW_PLACE_CODE_H
#define CLEW_PLACE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "place/place.h"

struct code {
    const uint8_t *bytes;
    size_t size;
    uint64_t address; /* of the first byte */
};

struct code_function {
    const char *name;
    uint64_t start, end;
};

typedef VEC(uint64_t) code_addresses;

/* The code from the address to the end of its section; false when no file has it, or it is not that
 * of an x86-64 module. The bytes live as long as the places. */
bool code_at(struct places *p, uint64_t address, struct code *code);

/* The function that covers the address; false when no symbol says where it begins and ends. */
bool code_function(struct places *p, uint64_t address, struct code_function *function);

/* The name of the function of another module that the loader stores at this address, from which a
 * stub jumps to it; NULL when there is none. O(relocations of the module). */
const char *code_import(struct places *p, uint64_t address);

/* Appends the addresses that direct calls of the function return to. False when the module refers
 * to the function in other ways too: its callers are not all known then. O(size of the module). */
bool code_callers(struct places *p, const struct code_function *function, code_addresses *list);

/* Whether debug information says that the function around the address returns nothing. */
bool code_returns_nothing(struct places *p, uint64_t address);

#endif
