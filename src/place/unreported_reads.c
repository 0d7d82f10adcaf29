#include "place/unreported_reads.h"

#include <string.h>

#include "place/module_state.h"
#include "wire/must.h"

uint64_t unseen_static(const cs_x86_op *op, uint64_t end)
{
    if (op->type != X86_OP_MEM || op->mem.index != X86_REG_INVALID ||
        op->mem.segment != X86_REG_INVALID) {
        return 0;
    }
    return op->mem.base == X86_REG_RIP       ? end + (uint64_t)op->mem.disp
           : op->mem.base == X86_REG_INVALID ? (uint64_t)op->mem.disp
                                             : 0;
}

/* The static address that the walk's instruction puts into a register; 0: none. */
static uint64_t address_made(const struct value_walk *w)
{
    const cs_insn *i = w->instruction;
    const cs_x86 *x = &i->detail->x86;
    if (x->op_count != 2 || x->operands[0].type != X86_OP_REG) {
        return 0;
    }
    if (i->id == X86_INS_LEA) {
        return unseen_static(&x->operands[1], i->address + i->size);
    }
    const bool is_number = i->id == X86_INS_MOV && x->operands[1].type == X86_OP_IMM;
    return is_number ? (uint64_t)x->operands[1].imm : 0;
}

static bool is_call(const struct value_walk *w)
{
    return cs_insn_group(w->decoder, w->instruction, CS_GRP_CALL);
}

/* Whether the walk's instruction calls a hook with this in its name. The hook accesses the variable
 * only as it reports. */
static bool calls_hook(struct value_walk *w, const char *part)
{
    struct code_function called;
    const cs_x86 *x = &w->instruction->detail->x86;
    return x->op_count == 1 && x->operands[0].type == X86_OP_IMM &&
           code_function(w->p, (uint64_t)x->operands[0].imm, &called) &&
           (strncmp(called.name, "__tsan_", 7) == 0 || strncmp(called.name, "__wrap_", 7) == 0) &&
           strstr(called.name, part) != NULL;
}

/* Whether the walk's instruction calls a function that `clew cc` has built, which reports its own
 * reads. The walk returns to the instruction. */
static bool calls_built(struct value_walk *w)
{
    struct code_function called;
    const uint64_t call = w->instruction->address;
    const cs_x86 *x = &w->instruction->detail->x86;
    if (x->op_count != 1 || x->operands[0].type != X86_OP_IMM ||
        !code_function(w->p, (uint64_t)x->operands[0].imm, &called)) {
        return false;
    }
    bool is_built = false;
    for (uint64_t at = called.start; at < called.end && !is_built && value_decode(w, at);
         at += w->instruction->size) {
        is_built = is_call(w) && calls_hook(w, "__tsan_");
    }
    return value_decode(w, call) && is_built;
}

/* Whether the walk's instruction reads the variable and does not store there. */
static bool loads(const struct value_walk *w, uint64_t variable)
{
    const cs_insn *i = w->instruction;
    const cs_x86 *x = &i->detail->x86;
    for (uint8_t k = 0; k < x->op_count && i->id != X86_INS_LEA; k++) {
        const cs_x86_op *op = &x->operands[k];
        if (unseen_static(op, i->address + i->size) == variable && (op->access & CS_AC_READ) != 0 &&
            (op->access & CS_AC_WRITE) == 0) {
            return true;
        }
    }
    return false;
}

enum {
    ARGUMENTS = 1 << VALUE_RDI | 1 << VALUE_RSI | 1 << VALUE_RDX | 1 << VALUE_RCX | 1 << VALUE_R8 |
                1 << VALUE_R9,
    KEPT = 1 << VALUE_RBX | 1 << VALUE_RBP | 1 << VALUE_R12 | 1 << VALUE_R13 | 1 << VALUE_R14 |
           1 << VALUE_R15, /* by calls */
};

/* The registers that hold the variable's address behind the walk's instruction, which is no call.
 */
static uint32_t holders_after(const struct value_walk *w, uint64_t variable, uint32_t holders)
{
    const cs_x86 *x = &w->instruction->detail->x86;
    if (x->op_count == 0 || x->operands[0].type != X86_OP_REG ||
        (x->operands[0].access & CS_AC_WRITE) == 0) {
        return holders;
    }
    const uint32_t to = value_mark((uint16_t)x->operands[0].reg);
    const bool is_copy = w->instruction->id == X86_INS_MOV && x->operands[1].type == X86_OP_REG &&
                         (value_mark((uint16_t)x->operands[1].reg) & holders) != 0;
    return is_copy || address_made(w) == variable ? holders | to : holders & ~to;
}

/* Whether the walk's instruction puts the address into memory outside of the frame. */
static bool stores_address(const struct value_walk *w, uint32_t holders)
{
    const cs_x86 *x = &w->instruction->detail->x86;
    return w->instruction->id == X86_INS_MOV && x->operands[0].type == X86_OP_MEM &&
           x->operands[0].mem.base != X86_REG_RSP && x->operands[0].mem.base != X86_REG_RBP &&
           x->operands[1].type == X86_OP_REG &&
           (value_mark((uint16_t)x->operands[1].reg) & holders) != 0;
}

bool unseen_reads(struct value_walk *w, uint64_t variable)
{
    uint32_t holders = 0;
    bool is_reported = false; /* the last call reported a read */
    for (uint64_t at = w->function.start; at < w->function.end; at += w->instruction->size) {
        if (!value_decode(w, at)) {
            return true;
        }
        if (is_call(w)) {
            if ((holders & ARGUMENTS) != 0 && !calls_hook(w, "") && !calls_built(w)) {
                return true;
            }
            holders &= KEPT;
            /* clang leaves the load behind the call that takes its place. */
            is_reported = calls_hook(w, "read") || calls_hook(w, "atomic");
        } else if ((loads(w, variable) && !is_reported) || stores_address(w, holders)) {
            return true;
        } else {
            holders = holders_after(w, variable, holders);
        }
    }
    return false;
}

/* The number of a register that the operand is; VALUE_REGISTERS: it is none. */
static uint32_t register_of(const cs_x86_op *op)
{
    const uint32_t mark = op->type == X86_OP_REG ? value_mark((uint16_t)op->reg) : 0;
    uint32_t number = 0;
    while (number < VALUE_REGISTERS && mark != 1u << number) {
        number++;
    }
    must(number <= VALUE_REGISTERS);
    return number;
}

uint64_t unseen_argument(struct value_walk *w, uint64_t call)
{
    uint64_t held[VALUE_REGISTERS + 1] = {0}; /* the static address in each register */
    for (uint64_t at = w->function.start; at < call; at += w->instruction->size) {
        if (!value_decode(w, at)) {
            return 0;
        }
        const cs_x86 *x = &w->instruction->detail->x86;
        for (uint32_t i = 0; i < VALUE_REGISTERS && is_call(w); i++) {
            held[i] = (KEPT & 1u << i) != 0 ? held[i] : 0;
        }
        if (is_call(w) || x->op_count == 0 || (x->operands[0].access & CS_AC_WRITE) == 0) {
            continue;
        }
        const bool is_copy = w->instruction->id == X86_INS_MOV && x->op_count == 2;
        const uint64_t copied = is_copy ? held[register_of(&x->operands[1])] : 0;
        const uint64_t made = address_made(w);
        held[register_of(&x->operands[0])] = made != 0 ? made : copied;
        held[VALUE_REGISTERS] = 0;
    }
    return held[VALUE_RDI];
}
