/* Decides whether a program uses a value, by a forward data-flow (taint) analysis of the machine
 * code (x86-64). Registers, flags and variables of the frame that depend on the value are *marked*.
 * The frame counts because unoptimized code stores there even values that nothing reads. The value
 * is used if something marked decides a jump, is an address or an argument, or is stored anywhere
 * else. An instruction that the walk does not understand counts as use.
 *
 *     struct value_walk w;
 *     if (value_walk_open(&w, places, address)) {
 *         value_go_on(&w, address, 1 << VALUE_RAX);
 *         ... value_walk_run(&w) ...
 *         value_walk_close(&w);
 *     }
 */
#ifndef CLEW_PLACE_VALUE_USE_H
#define CLEW_PLACE_VALUE_USE_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "place/code.h"

enum value_register {
    VALUE_RAX,
    VALUE_RBX,
    VALUE_RCX,
    VALUE_RDX,
    VALUE_RSI,
    VALUE_RDI,
    VALUE_RBP,
    VALUE_RSP,
    VALUE_R8,
    VALUE_R9,
    VALUE_R10,
    VALUE_R11,
    VALUE_R12,
    VALUE_R13,
    VALUE_R14,
    VALUE_R15,
    VALUE_REGISTERS,
};

/* Marks: a bit for each register, for the flags, and for each slot. */
enum { VALUE_FLAGS = 1 << VALUE_REGISTERS, VALUE_SLOT = 1 << (VALUE_REGISTERS + 1) };

enum { VALUE_SLOTS_MAX = 8 };
_Static_assert(VALUE_REGISTERS + 1 + VALUE_SLOTS_MAX <= 32, "marks are the bits of a word");

/* A variable in the frame: bytes from rbp on. */
struct value_slot {
    int64_t at;
    uint32_t size;
};

enum value_use {
    VALUE_UNUSED,
    VALUE_RETURNED, /* by the function, which does nothing else with it */
    VALUE_USED,
};

struct value_walk;

/* Exceptions: instructions that are no use although the walk alone would count them as one. A rule
 * may be NULL. */
struct value_rules {
    /* The walk's instruction computes from something marked. */
    bool (*may_change)(struct value_walk *w, uint32_t marks);
    /* The walk's instruction stores something marked there, outside of the frame. */
    bool (*may_store)(struct value_walk *w, const cs_x86_op *to);
    /* The walk's conditional jump depends on something marked; the rule goes on where it will. */
    bool (*may_jump)(struct value_walk *w, uint32_t marks);
};

/* Open for reading, but for `rules` and `context`. */
struct value_walk {
    struct places *p;
    const struct value_rules *rules; /* NULL: none */
    void *context;                   /* of the rules */
    csh decoder;
    cs_insn *instruction; /* decoded last */
    struct code_function function;
    bool has_frame; /* rbp is the frame's */
    struct value_slot slots[VALUE_SLOTS_MAX];
    uint32_t slot_count;
    struct map marks_at;  /* address to the marks with which the walk last visited it */
    code_addresses to_do; /* addresses whose marks have grown */
    uint32_t steps;
    enum value_use use;
    bool goes_on;     /* also behind a use */
    bool is_tested;   /* something marked decides a jump, or a value by a condition */
    bool is_returned; /* something marked is */
};

/* A walk through the function of the call that returns to `address`; false, and nothing to close,
 * when its code is not known. */
bool value_walk_open(struct value_walk *w, struct places *p, uint64_t address);
void value_walk_close(struct value_walk *w);

/* Decodes the instruction at the address; false when there is none. */
bool value_decode(struct value_walk *w, uint64_t address);

/* The walk comes by this address with these marks. */
void value_go_on(struct value_walk *w, uint64_t address, uint32_t marks);

/* Follows the marks wherever they go, up to the first use where the walk does not go on. O(size of
 * the function). */
enum value_use value_walk_run(struct value_walk *w);

/* The bit of a register, by capstone's name of it or of a part of it, or of the flags; 0: of
 * another. */
uint32_t value_mark(uint16_t name);

/* Whether the operand, a register or memory, has a mark. */
bool value_is_marked(const struct value_walk *w, const cs_x86_op *op, uint32_t marks);

#endif
