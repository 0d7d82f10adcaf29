#include "place/reported_load.h"

#include <stdlib.h>
#include <string.h>

#include "wire/must.h"

enum { LOAD_WITHIN = 16 };

bool reported_in_frame(const struct value_walk *w, const cs_x86_op *op)
{
    return op->mem.base == X86_REG_RSP || (w->has_frame && op->mem.base == X86_REG_RBP);
}

uint32_t reported_by(struct value_walk *w, uint64_t call, const char *what)
{
    struct code_function called;
    const size_t size = strlen(what);
    const cs_x86 *x = &w->instruction->detail->x86;
    if (!value_decode(w, call) || !cs_insn_group(w->decoder, w->instruction, CS_GRP_CALL) ||
        x->op_count != 1 || x->operands[0].type != X86_OP_IMM ||
        !code_function(w->p, (uint64_t)x->operands[0].imm, &called)) {
        return 0;
    }
    const char *name = called.name;
    name += strncmp(name, "__tsan_", 7) == 0 ? 7 : 0;
    name += strncmp(name, "unaligned_", 10) == 0 ? 10 : 0;
    const bool is_it = name != called.name && strncmp(name, what, size) == 0;
    return is_it ? (uint32_t)strtoul(name + size, NULL, 10) : 0;
}

/* The operand of the walk's instruction that it loads from, outside of the frame; NULL: none. */
static const cs_x86_op *loaded(const struct value_walk *w)
{
    const cs_x86 *x = &w->instruction->detail->x86;
    for (uint8_t i = 0; i < x->op_count && w->instruction->id != X86_INS_LEA; i++) {
        const cs_x86_op *op = &x->operands[i];
        if (op->type == X86_OP_MEM && !reported_in_frame(w, op)) {
            return op;
        }
    }
    return NULL;
}

static bool ends_block(const struct value_walk *w)
{
    return cs_insn_group(w->decoder, w->instruction, CS_GRP_CALL) ||
           cs_insn_group(w->decoder, w->instruction, CS_GRP_JUMP) ||
           cs_insn_group(w->decoder, w->instruction, CS_GRP_RET);
}

bool reported_load(struct value_walk *w, uint64_t address, uint32_t size, struct reported_load *l)
{
    must(size > 0);
    for (int i = 0; i < LOAD_WITHIN; i++) {
        if (!value_decode(w, address) || ends_block(w)) {
            return false;
        }
        address += w->instruction->size;
        const cs_x86_op *from = loaded(w);
        if (from == NULL) {
            continue;
        }
        const cs_x86_op *to = &w->instruction->detail->x86.operands[0];
        const bool has_register = from != to && to->type == X86_OP_REG;
        *l = (struct reported_load){.from = *from,
                                    .start = address - w->instruction->size,
                                    .from_end = address,
                                    .instruction = w->instruction->id,
                                    .operand = (uint8_t)(from - to),
                                    .marks = has_register ? value_mark((uint16_t)to->reg) : 0};
        must(l->start < l->from_end);
        must(l->operand < w->instruction->detail->x86.op_count);
        return from->size == size;
    }
    return false;
}

bool reported_is_same(const struct reported_load *l, const cs_x86_op *to, uint64_t to_end)
{
    const bool is_relative = l->from.mem.base == X86_REG_RIP;
    if (is_relative != (to->mem.base == X86_REG_RIP)) {
        return false;
    }
    const int64_t from_base = is_relative ? (int64_t)l->from_end : 0;
    const int64_t to_base = is_relative ? (int64_t)to_end : 0;
    return from_base + l->from.mem.disp == to_base + to->mem.disp &&
           (l->from.mem.index == X86_REG_INVALID) == (to->mem.index == X86_REG_INVALID) &&
           l->from.mem.scale == to->mem.scale && l->from.mem.segment == to->mem.segment;
}
