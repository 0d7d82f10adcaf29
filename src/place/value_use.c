#include "place/value_use.h"

#include <string.h>

#include "place/module_state.h"
#include "wire/must.h"

enum { INSTRUCTIONS_MAX = 4000 };

enum {
    ARGUMENTS = 1 << VALUE_RDI | 1 << VALUE_RSI | 1 << VALUE_RDX | 1 << VALUE_RCX | 1 << VALUE_R8 |
                1 << VALUE_R9,
    CLOBBERED = ARGUMENTS | 1 << VALUE_RAX | 1 << VALUE_R10 | 1 << VALUE_R11 | VALUE_FLAGS,
};

/* ---- registers ---- */

/* The parts of a register; the first two are those whose change replaces all of it. */
static const struct {
    x86_reg parts[5];
} registers[VALUE_REGISTERS] = {
    [VALUE_RAX] = {{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH}},
    [VALUE_RBX] = {{X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH}},
    [VALUE_RCX] = {{X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH}},
    [VALUE_RDX] = {{X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH}},
    [VALUE_RSI] = {{X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_SIL}},
    [VALUE_RDI] = {{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_DIL}},
    [VALUE_RBP] = {{X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_BPL}},
    [VALUE_RSP] = {{X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_SPL}},
    [VALUE_R8] = {{X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_R8B}},
    [VALUE_R9] = {{X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, X86_REG_R9B}},
    [VALUE_R10] = {{X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, X86_REG_R10B}},
    [VALUE_R11] = {{X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, X86_REG_R11B}},
    [VALUE_R12] = {{X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_R12B}},
    [VALUE_R13] = {{X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, X86_REG_R13B}},
    [VALUE_R14] = {{X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, X86_REG_R14B}},
    [VALUE_R15] = {{X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, X86_REG_R15B}},
};

static uint32_t register_of(uint16_t name, bool *is_whole)
{
    for (uint32_t i = 0; i < VALUE_REGISTERS; i++) {
        for (uint32_t k = 0; k < 5; k++) {
            if (registers[i].parts[k] == (x86_reg)name) {
                *is_whole = k < 2;
                return i;
            }
        }
    }
    return VALUE_REGISTERS;
}

uint32_t value_mark(uint16_t name)
{
    bool is_whole = false;
    const uint32_t number = register_of(name, &is_whole);
    return name == X86_REG_EFLAGS ? VALUE_FLAGS : number == VALUE_REGISTERS ? 0 : 1u << number;
}

/* ---- the frame ---- */

static bool is_in_frame(const struct value_walk *w, const cs_x86_op *op)
{
    return w->has_frame && op->mem.base == X86_REG_RBP && op->mem.index == X86_REG_INVALID &&
           op->mem.segment == X86_REG_INVALID;
}

static bool overlaps(const struct value_slot *s, const cs_x86_op *op)
{
    return op->mem.disp < s->at + s->size && s->at < op->mem.disp + op->size;
}

/* The marks of the slots that the operand reads or writes a part of. */
static uint32_t slots_at(const struct value_walk *w, const cs_x86_op *op)
{
    uint32_t marks = 0;
    for (uint32_t i = 0; i < w->slot_count && is_in_frame(w, op); i++) {
        marks |= overlaps(&w->slots[i], op) ? (uint32_t)VALUE_SLOT << i : 0;
    }
    return marks;
}

bool value_is_marked(const struct value_walk *w, const cs_x86_op *op, uint32_t marks)
{
    const uint32_t own = op->type == X86_OP_REG   ? value_mark((uint16_t)op->reg)
                         : op->type == X86_OP_MEM ? slots_at(w, op)
                                                  : 0;
    must(w->slot_count <= VALUE_SLOTS_MAX);
    return (own & marks) != 0;
}

/* The mark of the slot that the operand is, a new one if need be; 0 when there are too many. */
static uint32_t slot_mark(struct value_walk *w, const cs_x86_op *op)
{
    for (uint32_t i = 0; i < w->slot_count; i++) {
        if (w->slots[i].at == op->mem.disp && w->slots[i].size == op->size) {
            return (uint32_t)VALUE_SLOT << i;
        }
    }
    if (w->slot_count == VALUE_SLOTS_MAX) {
        return 0;
    }
    must(w->slot_count < VALUE_SLOTS_MAX);
    w->slots[w->slot_count] = (struct value_slot){.at = op->mem.disp, .size = op->size};
    return (uint32_t)VALUE_SLOT << w->slot_count++;
}

/* ---- one instruction ---- */

static bool is_in_group(const struct value_walk *w, uint8_t group)
{
    return cs_insn_group(w->decoder, w->instruction, group);
}

static bool does_nothing(const cs_insn *i)
{
    return i->id == X86_INS_NOP || i->id == X86_INS_ENDBR64 || i->id == X86_INS_ENDBR32;
}

/* xor eax, eax: the result does not depend on the operands. */
static bool clears(const cs_insn *i)
{
    const cs_x86 *x = &i->detail->x86;
    return (i->id == X86_INS_XOR || i->id == X86_INS_SUB) && x->op_count == 2 &&
           x->operands[0].type == X86_OP_REG && x->operands[1].type == X86_OP_REG &&
           x->operands[0].reg == x->operands[1].reg;
}

/* Whether the instruction takes an address from something marked. */
static bool is_address(const struct value_walk *w, uint32_t marks)
{
    const cs_x86 *x = &w->instruction->detail->x86;
    for (uint8_t i = 0; i < x->op_count && w->instruction->id != X86_INS_LEA; i++) {
        const cs_x86_op *op = &x->operands[i];
        if (op->type == X86_OP_MEM && (marks & (value_mark((uint16_t)op->mem.base) |
                                                value_mark((uint16_t)op->mem.index))) != 0) {
            return true;
        }
    }
    return false;
}

/* Writes to memory: marks or cleans slots. False when something marked is stored elsewhere. */
static bool store(struct value_walk *w, bool is_marked, uint32_t *marks)
{
    const cs_x86 *x = &w->instruction->detail->x86;
    for (uint8_t i = 0; i < x->op_count; i++) {
        const cs_x86_op *op = &x->operands[i];
        if (op->type != X86_OP_MEM || (op->access & CS_AC_WRITE) == 0) {
            continue;
        }
        const uint32_t own = is_marked && is_in_frame(w, op) ? slot_mark(w, op) : 0;
        if (is_marked && own == 0 &&
            (w->rules == NULL || w->rules->may_store == NULL || !w->rules->may_store(w, op))) {
            return false;
        }
        for (uint32_t k = 0; k < w->slot_count && !is_marked && is_in_frame(w, op); k++) {
            const struct value_slot *s = &w->slots[k];
            if (op->mem.disp <= s->at && op->mem.disp + op->size >= s->at + s->size) {
                *marks &= ~((uint32_t)VALUE_SLOT << k);
            }
        }
        *marks |= own;
    }
    const bool pushes = w->instruction->id == X86_INS_PUSH;
    return !(pushes && is_marked);
}

/* Registers that the instruction reads or writes, by themselves or as a part of its meaning. */
struct touched {
    cs_regs reads, writes;
    uint8_t read_count, write_count;
};

static bool is_marked(const struct value_walk *w, const struct touched *t, uint32_t marks)
{
    const cs_x86 *x = &w->instruction->detail->x86;
    uint32_t read = 0;
    for (uint8_t i = 0; i < t->read_count; i++) {
        read |= value_mark(t->reads[i]);
    }
    for (uint8_t i = 0; i < x->op_count && w->instruction->id != X86_INS_LEA; i++) {
        const cs_x86_op *op = &x->operands[i];
        const bool is_read = op->type == X86_OP_MEM && (op->access & CS_AC_READ) != 0;
        read |= is_read ? slots_at(w, op) : 0;
    }
    return !clears(w->instruction) && (read & marks) != 0;
}

/* Whether the instruction decides by the flags: set or move by a condition. */
static bool tests(const cs_insn *i)
{
    return strncmp(i->mnemonic, "set", 3) == 0 || strncmp(i->mnemonic, "cmov", 4) == 0;
}

/* An instruction that computes and moves. */
static void compute(struct value_walk *w, uint32_t *marks)
{
    struct touched t;
    if (does_nothing(w->instruction)) {
        return;
    }
    if (is_address(w, *marks) || cs_regs_access(w->decoder, w->instruction, t.reads, &t.read_count,
                                                t.writes, &t.write_count) != CS_ERR_OK) {
        w->use = VALUE_USED;
        return;
    }
    const bool has_mark = is_marked(w, &t, *marks);
    w->is_tested |= tests(w->instruction) && (*marks & VALUE_FLAGS) != 0;
    if (has_mark && w->rules != NULL && w->rules->may_change != NULL &&
        !w->rules->may_change(w, *marks)) {
        w->use = VALUE_USED;
        return;
    }
    if (!store(w, has_mark, marks)) {
        w->use = VALUE_USED;
        return;
    }
    for (uint8_t i = 0; i < t.write_count; i++) {
        bool is_whole = t.writes[i] == X86_REG_EFLAGS;
        const uint32_t mark = value_mark(t.writes[i]);
        (void)register_of(t.writes[i], &is_whole);
        if (has_mark && mark == 0 && t.writes[i] != X86_REG_RIP) {
            w->use = VALUE_USED; /* another kind of register */
        } else if (has_mark) {
            *marks |= mark;
        } else if (is_whole) {
            *marks &= ~mark;
        }
    }
}

/* ---- successors ---- */

void value_go_on(struct value_walk *w, uint64_t address, uint32_t marks)
{
    uint32_t *known = map_slot(&w->marks_at, address, UINT32_MAX, NULL);
    const bool is_new = *known == UINT32_MAX;
    if (is_new || (marks & ~*known) != 0) {
        *known = is_new ? marks : *known | marks;
        vec_push(&w->to_do, address);
    }
}

static bool is_inside(const struct value_walk *w, uint64_t address)
{
    return address >= w->function.start && address < w->function.end;
}

/* A part of the function that lies elsewhere because it is hardly ever run. */
static bool is_cold_part(const struct value_walk *w, uint64_t address)
{
    struct code_function other;
    return code_function(w->p, address, &other) && strstr(other.name, ".cold") != NULL;
}

static void end_function(struct value_walk *w, uint32_t marks)
{
    if ((marks & (1 << VALUE_RDX)) != 0) {
        w->use = VALUE_USED;
    } else if ((marks & (1 << VALUE_RAX)) != 0 && !code_returns_nothing(w->p, w->function.start)) {
        w->use = w->use == VALUE_UNUSED ? VALUE_RETURNED : w->use;
        w->is_returned = true;
    }
}

bool value_decode(struct value_walk *w, uint64_t address)
{
    struct code code;
    if (!code_at(w->p, address, &code)) {
        return false;
    }
    return cs_disasm_iter(w->decoder, &code.bytes, &code.size, &code.address, w->instruction);
}

/* Whether any instruction of the function reads one of these slots, wherever it stands. */
static bool has_reader(struct value_walk *w, uint32_t marks)
{
    for (uint64_t at = w->function.start; at < w->function.end; at += w->instruction->size) {
        if (!value_decode(w, at)) {
            return true;
        }
        const cs_x86 *x = &w->instruction->detail->x86;
        for (uint8_t i = 0; i < x->op_count && w->instruction->id != X86_INS_LEA; i++) {
            const cs_x86_op *op = &x->operands[i];
            if (op->type == X86_OP_MEM && (op->access & CS_AC_READ) != 0 &&
                (slots_at(w, op) & marks) != 0) {
                return true;
            }
        }
    }
    return false;
}

static void jump(struct value_walk *w, uint32_t marks)
{
    const cs_insn *i = w->instruction;
    const cs_x86 *x = &i->detail->x86;
    const bool is_direct = x->op_count == 1 && x->operands[0].type == X86_OP_IMM;
    const uint64_t target = is_direct ? (uint64_t)x->operands[0].imm : 0;
    if (!is_direct) { /* by a table: it may go anywhere in the function */
        const bool is_in_slots = (marks & (VALUE_SLOT - 1)) == 0;
        w->use = is_in_slots && !has_reader(w, marks) ? w->use : VALUE_USED;
    } else if (i->id != X86_INS_JMP) {
        const bool is_by_flags = i->id != X86_INS_JRCXZ && i->id != X86_INS_JECXZ &&
                                 i->id != X86_INS_LOOP && i->id != X86_INS_LOOPE &&
                                 i->id != X86_INS_LOOPNE;
        const bool depends = !is_by_flags || (marks & VALUE_FLAGS) != 0;
        if (depends && w->rules != NULL && w->rules->may_jump != NULL &&
            w->rules->may_jump(w, marks)) {
            return;
        }
        if (depends) {
            w->use = VALUE_USED;
            w->is_tested = true;
        }
        value_go_on(w, target, marks);
        value_go_on(w, i->address + i->size, marks);
    } else if (is_inside(w, target) || is_cold_part(w, target)) {
        value_go_on(w, target, marks);
    } else if ((marks & ARGUMENTS) != 0) {
        w->use = VALUE_USED;
    }
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The arguments of the call at the walk's instruction: one, of those that report an access. */
static uint32_t arguments_of(const struct value_walk *w)
{
    const cs_x86_op *op = &w->instruction->detail->x86.operands[0];
    struct code_function called;
    const bool is_report =
        op->type == X86_OP_IMM && code_function(w->p, (uint64_t)op->imm, &called) &&
        (begins_with(called.name, "__tsan_read") || begins_with(called.name, "__tsan_write") ||
         begins_with(called.name, "__tsan_unaligned") || begins_with(called.name, "__tsan_func"));
    return is_report ? 1u << VALUE_RDI : ARGUMENTS;
}

/* A call takes arguments from registers and leaves nothing in those that are not the caller's. */
static void call(struct value_walk *w, uint32_t marks)
{
    const cs_x86 *x = &w->instruction->detail->x86;
    const cs_x86_op *op = &x->operands[0];
    const bool is_through = x->op_count == 1 && op->type == X86_OP_REG;
    if ((marks & arguments_of(w)) != 0 || is_address(w, marks) ||
        (is_through && (marks & value_mark((uint16_t)op->reg)) != 0)) {
        w->use = VALUE_USED;
        if (!w->goes_on) {
            return;
        }
    }
    value_go_on(w, w->instruction->address + w->instruction->size, marks & ~(uint32_t)CLOBBERED);
}

static void step(struct value_walk *w, uint64_t address)
{
    uint32_t marks = *map_get(&w->marks_at, address);
    if (marks == 0) {
        return; /* nothing is left of the value on this way */
    }
    if (w->steps++ == INSTRUCTIONS_MAX || !value_decode(w, address)) {
        w->use = VALUE_USED;
        w->is_tested = true; /* as far as is known */
    } else if (is_in_group(w, CS_GRP_RET) || is_in_group(w, CS_GRP_IRET)) {
        end_function(w, marks);
    } else if (is_in_group(w, CS_GRP_CALL)) {
        call(w, marks);
    } else if (is_in_group(w, CS_GRP_JUMP)) {
        jump(w, marks);
    } else if (is_in_group(w, CS_GRP_INT) || is_in_group(w, CS_GRP_PRIVILEGE)) {
        w->use = VALUE_USED;
    } else {
        compute(w, &marks);
        value_go_on(w, address + w->instruction->size, marks);
    }
}

/* ---- variables whose address is known elsewhere ---- */

/* The next instruction, or the one after a move to rdi, calls a hook that reports an access. */
static bool is_told_only(struct value_walk *w, uint64_t address)
{
    struct code_function called;
    if (!value_decode(w, address)) {
        return false;
    }
    const cs_x86 *x = &w->instruction->detail->x86;
    if (w->instruction->id == X86_INS_MOV && x->operands[0].type == X86_OP_REG &&
        x->operands[0].reg == X86_REG_RDI && x->operands[1].type == X86_OP_REG &&
        !value_decode(w, address + w->instruction->size)) {
        return false;
    }
    return is_in_group(w, CS_GRP_CALL) && x->operands[0].type == X86_OP_IMM &&
           code_function(w->p, (uint64_t)x->operands[0].imm, &called) &&
           (begins_with(called.name, "__tsan_read") || begins_with(called.name, "__tsan_write") ||
            begins_with(called.name, "__tsan_unaligned"));
}

/* Whether the code takes an address at or below the slots, from which it could reach them, for any
 * use other than a hook's argument. */
static bool is_reachable(struct value_walk *w)
{
    int64_t last = INT64_MIN;
    for (uint32_t i = 0; i < w->slot_count; i++) {
        const int64_t end = w->slots[i].at + w->slots[i].size - 1;
        last = end > last ? end : last;
    }
    for (uint64_t at = w->function.start; at < w->function.end;) {
        if (!value_decode(w, at)) {
            return true;
        }
        at += w->instruction->size;
        const cs_x86 *x = &w->instruction->detail->x86;
        const cs_x86_op *from = &x->operands[1];
        const bool is_lea = w->instruction->id == X86_INS_LEA && from->type == X86_OP_MEM;
        const bool is_move = w->instruction->id == X86_INS_MOV && from->type == X86_OP_REG &&
                             x->operands[0].type == X86_OP_REG;
        const bool is_frame = is_lea && from->mem.base == X86_REG_RBP;
        const bool is_stack = is_lea && from->mem.base == X86_REG_RSP;
        const bool is_base = is_move && (from->reg == X86_REG_RBP || from->reg == X86_REG_RSP) &&
                             x->operands[0].reg != X86_REG_RBP && x->operands[0].reg != X86_REG_RSP;
        const bool sets_stack = is_lea && x->operands[0].reg == X86_REG_RSP;
        const bool is_behind =
            is_frame && from->mem.index == X86_REG_INVALID && from->mem.disp > last;
        if (is_base || (is_stack && !sets_stack) ||
            (is_frame && !sets_stack && !is_behind && !is_told_only(w, at))) {
            return true;
        }
    }
    return false;
}

/* Whether the function begins by making rbp its frame. */
static bool makes_frame(struct value_walk *w)
{
    uint64_t at = w->function.start;
    for (int i = 0; i < 4 && at < w->function.end && value_decode(w, at); i++) {
        const cs_x86 *x = &w->instruction->detail->x86;
        if (w->instruction->id == X86_INS_MOV && x->operands[0].type == X86_OP_REG &&
            x->operands[0].reg == X86_REG_RBP && x->operands[1].type == X86_OP_REG &&
            x->operands[1].reg == X86_REG_RSP) {
            return true;
        }
        at += w->instruction->size;
    }
    return false;
}

/* ---- the walk ---- */

bool value_walk_open(struct value_walk *w, struct places *p, uint64_t address)
{
    *w = (struct value_walk){.p = p};
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &w->decoder) != CS_ERR_OK) {
        return false;
    }
    (void)cs_option(w->decoder, CS_OPT_DETAIL, CS_OPT_ON);
    w->instruction = cs_malloc(w->decoder);
    if (w->instruction == NULL || !code_function(p, address - 1, &w->function)) {
        value_walk_close(w);
        return false;
    }
    w->has_frame = makes_frame(w);
    return true;
}

void value_walk_close(struct value_walk *w)
{
    if (w->instruction != NULL) {
        cs_free(w->instruction, 1);
    }
    (void)cs_close(&w->decoder);
    map_release(&w->marks_at);
    vec_release(&w->to_do);
}

enum value_use value_walk_run(struct value_walk *w)
{
    while (w->to_do.count > 0 && (w->use != VALUE_USED || w->goes_on)) {
        step(w, vec_pop(&w->to_do));
    }
    if (w->use != VALUE_USED && w->slot_count > 0 && is_reachable(w)) {
        w->use = VALUE_USED;
    }
    return w->use;
}
