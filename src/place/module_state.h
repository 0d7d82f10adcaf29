/* The state behind `struct places`: modules and the answers found so far. Only for the files of
 * this module. */
#ifndef CLEW_PLACE_MODULE_STATE_H
#define CLEW_PLACE_MODULE_STATE_H

#include <elfutils/libdwfl.h>

#include "base/map.h"
#include "base/vec.h"
#include "place/place.h"
#include "place/program_frame.h"

/* A variable that debug information knows, or a part of one that the compiler has split (clang:
 * `cache.0` and `cache.1` are the members of `cache`). */
struct place_variable {
    uint64_t start;
    uint64_t offset; /* of the part in the variable */
    bool is_part;
    const char *function; /* that it is a static of; NULL: none */
    Dwarf_Die die;
};

/* A function of the machine code. */
struct place_function {
    const char *name;
    uint64_t start, end;
};

/* What a plain store writes. */
struct place_constant {
    bool is_known;
    int64_t value;
};

struct places {
    Dwfl *dwfl;
    bool is_reporting;
    struct map known;                     /* by bias: a module may be recorded more than once */
    struct map collected;                 /* by start: modules whose variables are known */
    VEC(struct place_variable) variables; /* by address */
    struct map frames_of;                 /* address to its first frame, counted from 1 */
    VEC(struct frame) frames;
    struct map function_of;               /* address to the function around it, in ... */
    VEC(struct place_function) functions; /* ... without a name: there is none */
    struct map uses_result;     /* return address of a call to whether its result is used */
    struct map ignores_result;  /* ... to whether nothing is done with it */
    struct map tests_result;    /* ... to whether something is decided by it */
    struct map compares_read;   /* return address of a call that reports a read ... */
    struct map asserts_read;    /* ... to what becomes of its value */
    struct map plain_update_of; /* return address of a call to its number in ... */
    VEC(struct place_update) plain_updates; /* ... operation 0: it is none */
    struct map constant_of; /* return address of a call that reports a write to its number in ... */
    VEC(struct place_constant) constants;
};

/* The module, unit and innermost scopes of an address, for files that look into them. */
Dwfl_Module *places_module(struct places *p, uint64_t address);
Dwarf_Die *places_unit(Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias);
int places_scopes(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes);
const char *places_line(Dwfl_Module *module, uint64_t address, int *number);
const char *places_base_name(const char *path);

/* Appends a symbol, one of C++ as its source has it. */
void places_print_symbol(const char *symbol, struct out *out);

/* Where an inlined function is called: the line, and its file, NULL when that is not known. -1: it
 * is not said. */
int places_call(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file);

/* Tells libdwfl of the modules that were added; false when there is no libdwfl. */
bool places_settle(struct places *p);

#endif
