/* Variables of a program by the expressions of its language: "account.balance",
 * "table[3].next->key", "bank::total", from the debug information of its modules. */
#ifndef CLEW_PLACE_VARIABLE_EXPRESSION_H
#define CLEW_PLACE_VARIABLE_EXPRESSION_H

#include "base/err.h"
#include "place/place.h"

enum { VARIABLE_HOPS_MAX = 8 };

/* How to come to a value: offset[0] is added to the address; at each hop the pointer that lies
 * there is followed, and the next offset added. */
struct variable_path {
    uint64_t address;
    uint32_t hop_count;
    int64_t offset[VARIABLE_HOPS_MAX + 1];
    uint32_t size; /* of the value, 1 to 8 */
    bool is_signed;
    bool is_pointer;
};

/* Finds the variable among those that exist as long as the program: globals, statics of a file, and
 * behind their function's name those of a function ("next_id::last"). Modules whose path ends in
 * `except` are left out. Fails on what is no such expression, on names that are not known, on what
 * is no integer, enumeration or pointer, and where there is no debug information. */
MUST_USE int variable_find(struct places *p, const char *expression, const char *except,
                           struct variable_path *path, struct err *e);

#endif
