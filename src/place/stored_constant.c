/* The constant that a plain store writes (`done = true`). The compiler reports the store by a call
 * before it:
 *
 *     call  __tsan_write4
 *     mov   dword ptr [rip + done], 1     or     mov  eax, 1
 *                                                mov  [rip + done], eax
 */
#include "place/module_state.h"
#include "place/reported_load.h"
#include "wire/must.h"

enum { STORE_WITHIN = 16 };

/* The registers whose value is known behind the report. */
struct constants {
    int64_t of[VALUE_REGISTERS];
    uint32_t known; /* marks */
};

static uint32_t number_of(uint32_t mark)
{
    must(mark != 0);
    return (uint32_t)__builtin_ctz(mark);
}

/* The value of an operand, if it is known. */
static bool value_of(const struct constants *c, const cs_x86_op *op, int64_t *value)
{
    if (op->type == X86_OP_IMM) {
        *value = op->imm;
        return true;
    }
    const uint32_t mark = op->type == X86_OP_REG ? value_mark((uint16_t)op->reg) : 0;
    if ((c->known & mark) == 0 || number_of(mark) >= VALUE_REGISTERS) {
        return false;
    }
    *value = c->of[number_of(mark)];
    return true;
}

/* The instruction writes to a register: `mov eax, 1` and `xor eax, eax` make it a constant. */
static void follow(struct constants *c, const cs_insn *i)
{
    const cs_x86 *x = &i->detail->x86;
    const cs_x86_op *to = &x->operands[0];
    const uint32_t mark =
        x->op_count > 0 && to->type == X86_OP_REG ? value_mark((uint16_t)to->reg) : 0;
    if (mark == 0 || number_of(mark) >= VALUE_REGISTERS || (to->access & CS_AC_WRITE) == 0) {
        return;
    }
    const bool is_zero = i->id == X86_INS_XOR && x->op_count == 2 &&
                         x->operands[1].type == X86_OP_REG && x->operands[1].reg == to->reg;
    const bool is_whole = to->size >= 4; /* of the others a part keeps its value */
    int64_t value = 0;
    c->known &= ~mark;
    if (is_whole && (is_zero || (i->id == X86_INS_MOV && value_of(c, &x->operands[1], &value)))) {
        c->known |= mark;
        c->of[number_of(mark)] = is_zero ? 0 : value;
    }
}

static bool ends_block(const struct value_walk *w)
{
    return cs_insn_group(w->decoder, w->instruction, CS_GRP_CALL) ||
           cs_insn_group(w->decoder, w->instruction, CS_GRP_JUMP) ||
           cs_insn_group(w->decoder, w->instruction, CS_GRP_RET);
}

/* Finds the first store of this size outside of the frame behind the call. */
static bool look(struct value_walk *w, uint64_t address, uint32_t size, int64_t *value)
{
    struct constants c = {0};
    for (int n = 0; n < STORE_WITHIN && value_decode(w, address) && !ends_block(w); n++) {
        const cs_x86 *x = &w->instruction->detail->x86;
        const cs_x86_op *to = &x->operands[0];
        const bool is_store = x->op_count > 0 && to->type == X86_OP_MEM &&
                              (to->access & CS_AC_WRITE) != 0 && !reported_in_frame(w, to);
        if (is_store) {
            return w->instruction->id == X86_INS_MOV && to->size == size &&
                   value_of(&c, &x->operands[1], value);
        }
        follow(&c, w->instruction);
        address += w->instruction->size;
    }
    return false;
}

bool places_stored_constant(struct places *p, uint64_t address, int64_t *value)
{
    bool is_new = false;
    const uint32_t number =
        *map_slot(&p->constant_of, address, (uint32_t)p->constants.count, &is_new);
    if (is_new) {
        struct place_constant found = {0};
        struct value_walk w;
        if (address >= REPORT_CALL_SIZE && value_walk_open(&w, p, address)) {
            const uint32_t size = reported_by(&w, address - REPORT_CALL_SIZE, "write");
            found.is_known =
                size > 0 && size <= sizeof found.value && look(&w, address, size, &found.value);
            if (found.is_known && size < sizeof found.value) {
                found.value &= (INT64_C(1) << 8 * size) - 1;
            }
            value_walk_close(&w);
        }
        vec_push(&p->constants, found);
    }
    must(number < p->constants.count);
    *value = p->constants.at[number].value;
    return p->constants.at[number].is_known;
}
