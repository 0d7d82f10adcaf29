/* Variables of a program by the expressions of its language: "account.balance",
 * "table[3].next->key", "bank::total", from the debug information of its modules. */
#ifndef CLEW_PLACE_VARIABLE_EXPRESSION_H
#define CLEW_PLACE_VARIABLE_EXPRESSION_H

#include "base/err.h"
#include "place/place.h"

enum { VARIABLE_HOPS_MAX = 8 };

/* The path to a value: add offset[0] to the address; at each hop follow the pointer there and add
 * the next offset. */
struct variable_path {
    uint64_t address;
    uint32_t hop_count;
    int64_t offset[VARIABLE_HOPS_MAX + 1];
    uint32_t size; /* of the value, 1 to 8 */
    bool is_signed;
    bool is_pointer;
};

/* Finds the variable among those with static storage: globals, statics of a file, and statics of a
 * function with the function's name before them ("next_id::last"). Modules whose path ends in
 * `except` are left out. Fails on a syntax error, an unknown name, a type other than integer,
 * enumeration or pointer, and without debug information. */
MUST_USE int variable_find(struct places *p, const char *expression, const char *except,
                           struct variable_path *path, struct err *e);

#endif
