/* The control flow graph of one function's machine instructions.
 *
 *     struct instructions code;
 *     if (instructions_read(&code, places, address)) { ... }
 *     instructions_release(&code);
 *
 * x86-64 and AArch64. Calls that never return (exit, abort, a failed assertion) have no successor.
 * The graph has no edges for exceptions. */
#ifndef CLEW_PLACE_INSTRUCTIONS_H
#define CLEW_PLACE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "place/module_state.h"

#define INSTRUCTION_NONE UINT32_MAX

enum instruction_kind {
    INSTRUCTION_OTHER,  /* goes on with the next one */
    INSTRUCTION_CALL,   /* so does a call that returns */
    INSTRUCTION_END,    /* a return, a trap, or a call that does not return */
    INSTRUCTION_JUMP,   /* goes on at its target */
    INSTRUCTION_BRANCH, /* goes on at its target or with the next one */
    INSTRUCTION_SWITCH, /* goes on at one of several targets */
};

struct instruction {
    uint64_t address;
    uint32_t size;
    enum instruction_kind kind;
    uint32_t next;                       /* the one behind it; INSTRUCTION_NONE: it ends here */
    uint32_t target_first, target_count; /* its targets: targets[target_first ..] */
    uint64_t called; /* the function that a call names; 0: it names none, or the compiler added the
                        call to report an access */
};

struct instructions {
    Dwfl_Module *module;
    Dwarf_Die function; /* the function's subprogram */
    Dwarf_Die unit;
    uint64_t bias;                /* of addresses in the process over those in debug information */
    VEC(struct instruction) list; /* by address */
    VEC(uint32_t) targets;
    bool is_partial; /* the targets of some jump are unknown */
};

/* Reads the function that covers an address of the process. False, and nothing to release, when
 * there is no debug information or no code of this machine. O(size of the function). */
bool instructions_read(struct instructions *c, struct places *p, uint64_t address);
void instructions_release(struct instructions *c);

/* The instruction that covers an address; INSTRUCTION_NONE: none does. O(log). */
uint32_t instructions_find(const struct instructions *c, uint64_t address);

#endif
