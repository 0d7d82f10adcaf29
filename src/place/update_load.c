/* Whether a plain read belongs to an update whose value goes nowhere else (`sum += i`). The
 * compiler reports the read and the write by calls of their own:
 *
 *     call  __tsan_read8
 *     mov   rax, [rip + sum]       the value
 *     lea   rbx, [rax + 1]         changed by one operation that commutes with itself
 *     call  __tsan_write8
 *     mov   [rip + sum], rbx       and stored where it was
 */
#include "place/module_state.h"
#include "place/reported_load.h"
#include "place/unreported_reads.h"
#include "place/value_use.h"
#include "wire/kind.h"
#include "wire/must.h"

struct update {
    uint32_t size;
    struct reported_load load;
    unsigned operation; /* UPDATE_NONE: none yet */
    uint64_t write;     /* the return address of the call that reports the write; 0: not yet met */
};

/* ---- the load ---- */

/* Whether the register that the instruction writes has an address in the frame then. `tainted` are
 * those that had one before. */
static bool makes_frame_address(const struct value_walk *w, uint32_t tainted)
{
    const cs_insn *i = w->instruction;
    const cs_x86 *x = &i->detail->x86;
    const cs_x86_op *from = &x->operands[1];
    const uint32_t base = w->has_frame ? value_mark(X86_REG_RBP) : 0;
    const uint32_t frame = value_mark(X86_REG_RSP) | base | tainted;
    if (x->op_count != 2) {
        return false;
    }
    if (i->id == X86_INS_LEA) {
        return ((value_mark((uint16_t)from->mem.base) | value_mark((uint16_t)from->mem.index)) &
                frame) != 0;
    }
    return from->type == X86_OP_REG && (value_mark((uint16_t)from->reg) & frame) != 0;
}

/* Whether the call may report something in the frame: what lies there is loaded in ways that look
 * like those of spilled registers. */
static bool may_be_in_frame(struct value_walk *w, uint64_t call)
{
    uint32_t tainted = 0;
    for (uint64_t at = w->function.start; at < call; at += w->instruction->size) {
        if (!value_decode(w, at)) {
            return true;
        }
        const cs_x86 *x = &w->instruction->detail->x86;
        const bool writes = x->op_count > 0 && x->operands[0].type == X86_OP_REG &&
                            (x->operands[0].access & CS_AC_WRITE) != 0;
        const uint32_t mark = writes ? value_mark((uint16_t)x->operands[0].reg) : 0;
        const bool is_changed = (x->operands[0].access & CS_AC_READ) != 0;
        if (makes_frame_address(w, tainted)) {
            tainted |= mark;
        } else if (!is_changed) {
            tainted &= ~mark;
        }
    }
    return (tainted & (1u << VALUE_RDI)) != 0;
}

static unsigned operation_of(unsigned instruction)
{
    switch (instruction) {
    case X86_INS_ADD:
    case X86_INS_SUB:
    case X86_INS_INC:
    case X86_INS_DEC:
    case X86_INS_LEA: return UPDATE_ADD;
    case X86_INS_OR: return UPDATE_OR;
    case X86_INS_AND: return UPDATE_AND;
    case X86_INS_XOR: return UPDATE_XOR;
    default: return UPDATE_NONE;
    }
}

static bool is_move(unsigned instruction)
{
    return instruction == X86_INS_MOV || instruction == X86_INS_MOVZX ||
           instruction == X86_INS_MOVSX || instruction == X86_INS_MOVSXD;
}

/* Finds the load behind the call that returns to `address`, and begins the walk behind it. */
static bool begin(struct value_walk *w, struct update *u, uint64_t address)
{
    must(u->size > 0);
    if (!reported_load(w, address, u->size, &u->load)) {
        return false;
    }
    const unsigned id = u->load.instruction;
    const bool is_operation = operation_of(id) != UPDATE_NONE && id != X86_INS_SUB;
    if (u->load.marks == 0 || (!is_move(id) && !is_operation)) {
        return false;
    }
    u->operation = is_operation ? operation_of(id) : UPDATE_NONE;
    value_go_on(w, u->load.from_end, u->load.marks | (is_operation ? (uint32_t)VALUE_FLAGS : 0));
    return true;
}

/* ---- the change and the store ---- */

/* The value and something else are added, whatever the instruction is called. */
static bool adds_to_value(const struct value_walk *w, uint32_t marks)
{
    const cs_insn *i = w->instruction;
    const cs_x86 *x = &i->detail->x86;
    if (i->id == X86_INS_LEA) {
        const x86_op_mem *m = &x->operands[1].mem;
        const bool has_base = (value_mark((uint16_t)m->base) & marks) != 0;
        const bool has_index = (value_mark((uint16_t)m->index) & marks) != 0;
        return has_base != has_index && (!has_index || m->scale == 1);
    }
    if (x->op_count == 1) {
        return true; /* inc, dec */
    }
    const bool is_first = value_is_marked(w, &x->operands[0], marks);
    const bool is_second = value_is_marked(w, &x->operands[1], marks);
    return x->op_count == 2 && is_first != is_second && (is_first || i->id != X86_INS_SUB);
}

static bool may_change(struct value_walk *w, uint32_t marks)
{
    struct update *u = w->context;
    const cs_insn *i = w->instruction;
    const cs_x86 *x = &i->detail->x86;
    const unsigned operation = operation_of(i->id);
    if (i->id == X86_INS_CDQE) {
        return u->size <= 4;
    }
    if (is_move(i->id)) {
        return x->operands[0].size >= u->size && x->operands[1].size >= u->size;
    }
    if (operation == UPDATE_NONE || (u->operation != UPDATE_NONE && u->operation != operation) ||
        x->operands[0].size < u->size || !adds_to_value(w, marks)) {
        return false;
    }
    must(u->operation == UPDATE_NONE || u->operation == operation);
    u->operation = operation;
    return true;
}

/* Where the last call before the address returns to, with no jump since; 0: there is none. */
static uint64_t call_before(struct value_walk *w, uint64_t address)
{
    uint64_t behind = 0;
    for (uint64_t at = w->function.start; at < address; at += w->instruction->size) {
        if (!value_decode(w, at)) {
            return 0;
        }
        const bool is_call = cs_insn_group(w->decoder, w->instruction, CS_GRP_CALL);
        const bool is_end = cs_insn_group(w->decoder, w->instruction, CS_GRP_JUMP) ||
                            cs_insn_group(w->decoder, w->instruction, CS_GRP_RET);
        behind = is_call ? at + w->instruction->size : is_end ? 0 : behind;
    }
    return behind;
}

static bool may_store(struct value_walk *w, const cs_x86_op *to)
{
    struct update *u = w->context;
    const uint64_t at = w->instruction->address;
    const uint64_t end = at + w->instruction->size;
    if (w->instruction->id != X86_INS_MOV || to->size != u->size || reported_in_frame(w, to) ||
        !reported_is_same(&u->load, to, end)) {
        return false;
    }
    const uint64_t behind = call_before(w, at);
    const bool is_reported =
        behind > REPORT_CALL_SIZE && reported_by(w, behind - REPORT_CALL_SIZE, "write") == u->size;
    const bool is_only = u->write == 0 || u->write == behind;
    u->write = behind;
    return value_decode(w, at) && is_reported && is_only;
}

/* ---- asking ---- */

static const struct value_rules rules = {.may_change = may_change, .may_store = may_store};

/* Whether something else in the function may read what was stored. */
static bool is_seen(struct value_walk *w, const struct update *u)
{
    const uint64_t variable = unseen_static(&u->load.from, u->load.from_end);
    return variable != 0 && unseen_reads(w, variable);
}

static void look(struct places *p, uint64_t address, struct place_update *update)
{
    struct value_walk w;
    struct update u = {0};
    if (address < REPORT_CALL_SIZE || !value_walk_open(&w, p, address)) {
        return;
    }
    w.rules = &rules;
    w.context = &u;
    u.size = reported_by(&w, address - REPORT_CALL_SIZE, "read");
    if (u.size != 0 && !may_be_in_frame(&w, address - REPORT_CALL_SIZE) && begin(&w, &u, address) &&
        value_walk_run(&w) == VALUE_UNUSED && u.write != 0 && u.operation != UPDATE_NONE &&
        !is_seen(&w, &u)) {
        *update = (struct place_update){.operation = (uint8_t)u.operation, .write = u.write};
    }
    value_walk_close(&w);
}

bool places_plain_update(struct places *p, uint64_t address, struct place_update *update)
{
    bool is_new = false;
    const uint32_t number =
        *map_slot(&p->plain_update_of, address, (uint32_t)p->plain_updates.count, &is_new);
    if (is_new) {
        struct place_update found = {0};
        look(p, address, &found);
        vec_push(&p->plain_updates, found);
    }
    must(number < p->plain_updates.count);
    *update = p->plain_updates.at[number];
    return update->operation != 0;
}
