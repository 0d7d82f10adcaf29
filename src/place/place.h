/* Translates addresses of a recorded process into source lines, functions and variables, by the
 * symbols and the debug information (DWARF) of its modules. */
#ifndef CLEW_PLACE_PLACE_H
#define CLEW_PLACE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

struct places;

struct places *places_new(void);
void places_free(struct places *p);

/* The process has this file mapped with this load bias. Modules without a readable file are known
 * by their name only. */
void places_add_module(struct places *p, const char *path, uint64_t bias);

/* Appends the line of the call that returns to `address`: "bank.c:42", or "libc.so.6!read" or
 * "bank+0x12f4" where there is no line. False, and nothing appended, when no module covers it. */
bool places_print_line(struct places *p, uint64_t address, struct out *out);

/* The file and the line of the call that returns to `address`, as the debug information has them;
 * false when they are not known. */
bool places_find_line(struct places *p, uint64_t address, const char **file, int *line);

/* Calls that led to a place, each by the address that it returns to, the innermost first. */
struct place_calls {
    const uint64_t *at;
    uint32_t count;
};

/* Appends the place of an event: the innermost line of the calls that is neither in a library nor
 * in a header of the system. The call of an inlined function counts as a line. If there is none,
 * the function of the library ("libc.so.6!read"), or the answer of places_print_line for the
 * innermost call. */
bool places_print_source(struct places *p, struct place_calls calls, struct out *out);

/* The same for calls that led to an allocation of memory: functions that a program has between
 * itself and malloc are passed over, too (place/program_frame.h). */
bool places_print_allocation(struct places *p, struct place_calls calls, struct out *out);

/* Whether that call stands in the file whose path ends so: "clew/sim.h". */
bool places_is_in(struct places *p, uint64_t address, const char *path_end);

/* Appends the functions that the call returning to `address` is in: the innermost first, then those
 * it was inlined into, each with the place where it calls the one before:
 * "deposit < transfer bank.c:30". False, and nothing appended, when no function is known. */
bool places_print_functions(struct places *p, uint64_t address, struct out *out);

/* A variable in memory. */
struct place_object {
    const char *name; /* as long as the places are */
    uint64_t start, size;
};

/* Finds the variable that covers `address`; false when no symbol does. */
bool places_object(struct places *p, uint64_t address, struct place_object *object);

/* Appends the name of the variable or part at `address`: "balance", "queue.head",
 * "table[3].count", "next_id::last" for a static of a function; "table+12" if the type is unknown.
 * Names of C++ are demangled. False, and nothing appended, if no symbol covers the address. */
bool places_print_variable(struct places *p, uint64_t address, struct out *out);

/* Whether the function of the call that returns to `address` does nothing with the value that the
 * call returned. The machine code decides (x86-64); false whenever that is not clear. O(size of the
 * function), once for an address. */
bool places_ignores_result(struct places *p, uint64_t address);

/* Whether the program may use the value that an atomic operation, the call returning to `address`,
 * returned: also by reading the variable without a report. The machine code behind the call decides
 * (x86-64); true whenever that is not clear. O(size of the function), once for an address. */
bool places_uses_result(struct places *p, uint64_t address);

/* Whether the program decides anything by that value, in the function of the call or, where this
 * only returns it, in those that call it; true whenever that is not clear. As costly. */
bool places_tests_result(struct places *p, uint64_t address);

/* An update of memory by a plain read and a plain write whose value goes nowhere else
 * (`sum += i`). */
struct place_update {
    uint8_t operation; /* enum memory_update */
    uint64_t write;    /* where the call returns to that reports the write */
};

/* Whether the call that returns to `address` reports the read of such an update. The machine code
 * decides (x86-64); false whenever that is not clear. O(size of the function squared), once for an
 * address. */
bool places_plain_update(struct places *p, uint64_t address, struct place_update *update);

/* The value that is stored, if the call that returns to `address` reports the write of a constant
 * (`done = true`), as its bytes without a sign. The machine code decides (x86-64); false whenever
 * that is not clear. */
bool places_stored_constant(struct places *p, uint64_t address, int64_t *value);

/* Whether the call that returns to `address` reports a read whose value the function compares with
 * that of another read of the same variable. The machine code decides (x86-64); false whenever that
 * is not clear. O(reads * size of the function), once for an address. */
bool places_compares_read(struct places *p, uint64_t address);

/* Whether it reports a read whose value decides only whether the program aborts, in the same way.
 */
bool places_asserts_read(struct places *p, uint64_t address);

/* The size of the bit-field's word that the code after the call at `address` loads, changes and
 * stores, if the call reports such a store. 0: the code only stores, or is not x86-64. */
uint32_t places_updated(struct places *p, uint64_t address);

#endif
