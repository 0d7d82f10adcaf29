/* Whether the value that a call returned is used: a forward walk over the machine code behind the
 * call. What depends on the value is *marked*: registers, the flags, and variables in the frame,
 * where code that is not optimized puts results that nobody reads. The value is used when something
 * marked decides a jump, is an address, an argument, or is stored anywhere else. What the walk does
 * not understand counts as use. */
#include <capstone/capstone.h>
#include <string.h>

#include "base/map.h"
#include "place/code.h"
#include "place/state.h"

enum {
    INSTRUCTIONS_MAX = 4000, /* of one walk */
    SLOTS_MAX = 8,
    CALLERS_MAX = 64,
    DEPTH_MAX = 4, /* of functions that return the value */
    REGISTERS = 16,
};

/* What is marked: a bit each for 16 registers, the flags, and the slots. */
enum { MARK_FLAGS = 1 << REGISTERS, MARK_SLOT = 1 << (REGISTERS + 1) };

/* Numbers of registers here. */
enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, NO_REGISTER };

enum {
    ARGUMENTS = 1 << RDI | 1 << RSI | 1 << RDX | 1 << RCX | 1 << R8 | 1 << R9,
    CLOBBERED = ARGUMENTS | 1 << RAX | 1 << R10 | 1 << R11 | MARK_FLAGS,
};

/* A variable in the frame: bytes from rbp on. */
struct slot {
    int64_t at;
    uint32_t size;
};

enum use {
    USE_NONE,
    USE_RETURNED, /* the function returns it */
    USE_SOME,
};

struct walk {
    struct places *p;
    csh decoder;
    cs_insn *instruction;
    struct code_function function;
    bool has_frame; /* rbp is the frame's */
    struct slot slots[SLOTS_MAX];
    uint32_t slot_count;
    struct map marks_at;  /* address to what was marked when it was looked at */
    code_addresses to_do; /* addresses whose marks have grown */
    uint32_t steps;
    enum use use;
};

/* ---- registers ---- */

/* The parts of a register; the first two are those whose change replaces all of it. */
static const struct {
    x86_reg parts[5];
} registers[REGISTERS] = {
    [RAX] = {{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH}},
    [RBX] = {{X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH}},
    [RCX] = {{X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH}},
    [RDX] = {{X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH}},
    [RSI] = {{X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_SIL}},
    [RDI] = {{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_DIL}},
    [RBP] = {{X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_BPL}},
    [RSP] = {{X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_SPL}},
    [R8] = {{X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_R8B}},
    [R9] = {{X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, X86_REG_R9B}},
    [R10] = {{X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, X86_REG_R10B}},
    [R11] = {{X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, X86_REG_R11B}},
    [R12] = {{X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_R12B}},
    [R13] = {{X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, X86_REG_R13B}},
    [R14] = {{X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, X86_REG_R14B}},
    [R15] = {{X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, X86_REG_R15B}},
};

static uint32_t register_of(uint16_t name, bool *is_whole)
{
    for (uint32_t i = 0; i < REGISTERS; i++) {
        for (uint32_t k = 0; k < 5; k++) {
            if (registers[i].parts[k] == (x86_reg)name) {
                *is_whole = k < 2;
                return i;
            }
        }
    }
    return NO_REGISTER;
}

/* The bit of a register or of the flags; 0: of another. */
static uint32_t mark_of(uint16_t name)
{
    bool is_whole = false;
    const uint32_t number = register_of(name, &is_whole);
    return name == X86_REG_EFLAGS ? MARK_FLAGS : number == NO_REGISTER ? 0 : 1u << number;
}

/* ---- the frame ---- */

static bool is_in_frame(const struct walk *w, const cs_x86_op *op)
{
    return w->has_frame && op->mem.base == X86_REG_RBP && op->mem.index == X86_REG_INVALID &&
           op->mem.segment == X86_REG_INVALID;
}

static bool overlaps(const struct slot *s, const cs_x86_op *op)
{
    return op->mem.disp < s->at + s->size && s->at < op->mem.disp + op->size;
}

/* The marks of the slots that the operand reads or writes a part of. */
static uint32_t slots_at(const struct walk *w, const cs_x86_op *op)
{
    uint32_t marks = 0;
    for (uint32_t i = 0; i < w->slot_count && is_in_frame(w, op); i++) {
        marks |= overlaps(&w->slots[i], op) ? (uint32_t)MARK_SLOT << i : 0;
    }
    return marks;
}

/* The mark of the slot that the operand is, a new one if need be; 0 when there are too many. */
static uint32_t slot_mark(struct walk *w, const cs_x86_op *op)
{
    for (uint32_t i = 0; i < w->slot_count; i++) {
        if (w->slots[i].at == op->mem.disp && w->slots[i].size == op->size) {
            return (uint32_t)MARK_SLOT << i;
        }
    }
    if (w->slot_count == SLOTS_MAX) {
        return 0;
    }
    w->slots[w->slot_count] = (struct slot){.at = op->mem.disp, .size = op->size};
    return (uint32_t)MARK_SLOT << w->slot_count++;
}

/* ---- one instruction ---- */

static bool is_in_group(const struct walk *w, uint8_t group)
{
    return cs_insn_group(w->decoder, w->instruction, group);
}

static bool does_nothing(const cs_insn *i)
{
    return i->id == X86_INS_NOP || i->id == X86_INS_ENDBR64 || i->id == X86_INS_ENDBR32;
}

/* xor eax, eax: the result does not depend on what was there. */
static bool clears(const cs_insn *i)
{
    const cs_x86 *x = &i->detail->x86;
    return (i->id == X86_INS_XOR || i->id == X86_INS_SUB) && x->op_count == 2 &&
           x->operands[0].type == X86_OP_REG && x->operands[1].type == X86_OP_REG &&
           x->operands[0].reg == x->operands[1].reg;
}

/* Whether the instruction takes an address from something marked. */
static bool is_address(const struct walk *w, uint32_t marks)
{
    const cs_x86 *x = &w->instruction->detail->x86;
    for (uint8_t i = 0; i < x->op_count && w->instruction->id != X86_INS_LEA; i++) {
        const cs_x86_op *op = &x->operands[i];
        if (op->type == X86_OP_MEM &&
            (marks & (mark_of((uint16_t)op->mem.base) | mark_of((uint16_t)op->mem.index))) != 0) {
            return true;
        }
    }
    return false;
}

/* Writes to memory: marks or cleans slots. False when something marked is stored elsewhere. */
static bool store(struct walk *w, bool is_marked, uint32_t *marks)
{
    const cs_x86 *x = &w->instruction->detail->x86;
    for (uint8_t i = 0; i < x->op_count; i++) {
        const cs_x86_op *op = &x->operands[i];
        if (op->type != X86_OP_MEM || (op->access & CS_AC_WRITE) == 0) {
            continue;
        }
        const uint32_t own = is_marked && is_in_frame(w, op) ? slot_mark(w, op) : 0;
        if (is_marked && own == 0) {
            return false;
        }
        for (uint32_t k = 0; k < w->slot_count && !is_marked && is_in_frame(w, op); k++) {
            const struct slot *s = &w->slots[k];
            if (op->mem.disp <= s->at && op->mem.disp + op->size >= s->at + s->size) {
                *marks &= ~((uint32_t)MARK_SLOT << k);
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

static bool is_marked(const struct walk *w, const struct touched *t, uint32_t marks)
{
    const cs_x86 *x = &w->instruction->detail->x86;
    uint32_t read = 0;
    for (uint8_t i = 0; i < t->read_count; i++) {
        read |= mark_of(t->reads[i]);
    }
    for (uint8_t i = 0; i < x->op_count && w->instruction->id != X86_INS_LEA; i++) {
        const cs_x86_op *op = &x->operands[i];
        const bool is_read = op->type == X86_OP_MEM && (op->access & CS_AC_READ) != 0;
        read |= is_read ? slots_at(w, op) : 0;
    }
    return !clears(w->instruction) && (read & marks) != 0;
}

/* An instruction that computes and moves. */
static void compute(struct walk *w, uint32_t *marks)
{
    struct touched t;
    if (does_nothing(w->instruction)) {
        return;
    }
    if (is_address(w, *marks) || cs_regs_access(w->decoder, w->instruction, t.reads, &t.read_count,
                                                t.writes, &t.write_count) != CS_ERR_OK) {
        w->use = USE_SOME;
        return;
    }
    const bool has_mark = is_marked(w, &t, *marks);
    if (!store(w, has_mark, marks)) {
        w->use = USE_SOME;
        return;
    }
    for (uint8_t i = 0; i < t.write_count; i++) {
        bool is_whole = t.writes[i] == X86_REG_EFLAGS;
        const uint32_t mark = mark_of(t.writes[i]);
        (void)register_of(t.writes[i], &is_whole);
        if (has_mark && mark == 0 && t.writes[i] != X86_REG_RIP) {
            w->use = USE_SOME; /* another kind of register */
        } else if (has_mark) {
            *marks |= mark;
        } else if (is_whole) {
            *marks &= ~mark;
        }
    }
}

/* ---- where it goes on ---- */

static void go_on(struct walk *w, uint64_t address, uint32_t marks)
{
    uint32_t *known = map_slot(&w->marks_at, address, UINT32_MAX, NULL);
    const bool is_new = *known == UINT32_MAX;
    if (is_new || (marks & ~*known) != 0) {
        *known = is_new ? marks : *known | marks;
        vec_push(&w->to_do, address);
    }
}

static bool is_inside(const struct walk *w, uint64_t address)
{
    return address >= w->function.start && address < w->function.end;
}

/* A part of the function that lies elsewhere because it is hardly ever run. */
static bool is_cold_part(const struct walk *w, uint64_t address)
{
    struct code_function other;
    return code_function(w->p, address, &other) && strstr(other.name, ".cold") != NULL;
}

static void end_function(struct walk *w, uint32_t marks)
{
    if ((marks & (1 << RDX)) != 0) {
        w->use = USE_SOME;
    } else if ((marks & (1 << RAX)) != 0 && w->use == USE_NONE &&
               !code_returns_nothing(w->p, w->function.start)) {
        w->use = USE_RETURNED;
    }
}

static bool decode(struct walk *w, uint64_t address)
{
    struct code code;
    if (!code_at(w->p, address, &code)) {
        return false;
    }
    return cs_disasm_iter(w->decoder, &code.bytes, &code.size, &code.address, w->instruction);
}

/* Whether any instruction of the function reads one of these slots, wherever it stands. */
static bool has_reader(struct walk *w, uint32_t marks)
{
    for (uint64_t at = w->function.start; at < w->function.end; at += w->instruction->size) {
        if (!decode(w, at)) {
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

static void jump(struct walk *w, uint32_t marks)
{
    const cs_insn *i = w->instruction;
    const cs_x86 *x = &i->detail->x86;
    const bool is_direct = x->op_count == 1 && x->operands[0].type == X86_OP_IMM;
    const uint64_t target = is_direct ? (uint64_t)x->operands[0].imm : 0;
    if (!is_direct) { /* by a table: it may go anywhere in the function */
        const bool is_in_slots = (marks & (MARK_SLOT - 1)) == 0;
        w->use = is_in_slots && !has_reader(w, marks) ? w->use : USE_SOME;
    } else if (i->id != X86_INS_JMP) {
        const bool is_by_flags = i->id != X86_INS_JRCXZ && i->id != X86_INS_JECXZ &&
                                 i->id != X86_INS_LOOP && i->id != X86_INS_LOOPE &&
                                 i->id != X86_INS_LOOPNE;
        if (!is_by_flags || (marks & MARK_FLAGS) != 0) {
            w->use = USE_SOME;
        }
        go_on(w, target, marks);
        go_on(w, i->address + i->size, marks);
    } else if (is_inside(w, target) || is_cold_part(w, target)) {
        go_on(w, target, marks);
    } else if ((marks & ARGUMENTS) != 0) {
        w->use = USE_SOME;
    }
}

/* A call takes arguments from registers and leaves nothing in those that are not the caller's. */
static void call(struct walk *w, uint32_t marks)
{
    const cs_x86 *x = &w->instruction->detail->x86;
    const cs_x86_op *op = &x->operands[0];
    const bool is_through = x->op_count == 1 && op->type == X86_OP_REG;
    if ((marks & ARGUMENTS) != 0 || is_address(w, marks) ||
        (is_through && (marks & mark_of((uint16_t)op->reg)) != 0)) {
        w->use = USE_SOME;
        return;
    }
    go_on(w, w->instruction->address + w->instruction->size, marks & ~(uint32_t)CLOBBERED);
}

static void step(struct walk *w, uint64_t address)
{
    uint32_t marks = *map_get(&w->marks_at, address);
    if (marks == 0) {
        return; /* nothing is left of the value on this way */
    }
    if (w->steps++ == INSTRUCTIONS_MAX || !decode(w, address)) {
        w->use = USE_SOME;
    } else if (is_in_group(w, CS_GRP_RET) || is_in_group(w, CS_GRP_IRET)) {
        end_function(w, marks);
    } else if (is_in_group(w, CS_GRP_CALL)) {
        call(w, marks);
    } else if (is_in_group(w, CS_GRP_JUMP)) {
        jump(w, marks);
    } else if (is_in_group(w, CS_GRP_INT) || is_in_group(w, CS_GRP_PRIVILEGE)) {
        w->use = USE_SOME;
    } else {
        compute(w, &marks);
        go_on(w, address + w->instruction->size, marks);
    }
}

/* ---- variables whose address is known elsewhere ---- */

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The next instruction, or the one after a move to rdi, tells the runtime of an access. */
static bool is_told_only(struct walk *w, uint64_t address)
{
    struct code_function called;
    if (!decode(w, address)) {
        return false;
    }
    const cs_x86 *x = &w->instruction->detail->x86;
    if (w->instruction->id == X86_INS_MOV && x->operands[0].type == X86_OP_REG &&
        x->operands[0].reg == X86_REG_RDI && x->operands[1].type == X86_OP_REG &&
        !decode(w, address + w->instruction->size)) {
        return false;
    }
    return is_in_group(w, CS_GRP_CALL) && x->operands[0].type == X86_OP_IMM &&
           code_function(w->p, (uint64_t)x->operands[0].imm, &called) &&
           (begins_with(called.name, "__tsan_read") || begins_with(called.name, "__tsan_write") ||
            begins_with(called.name, "__tsan_unaligned"));
}

/* Whether an address at or below the slots, from which they can be reached, is taken for something
 * other than telling of an access. */
static bool is_reachable(struct walk *w)
{
    int64_t last = INT64_MIN;
    for (uint32_t i = 0; i < w->slot_count; i++) {
        const int64_t end = w->slots[i].at + w->slots[i].size - 1;
        last = end > last ? end : last;
    }
    for (uint64_t at = w->function.start; at < w->function.end;) {
        if (!decode(w, at)) {
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
static bool makes_frame(struct walk *w)
{
    uint64_t at = w->function.start;
    for (int i = 0; i < 4 && at < w->function.end && decode(w, at); i++) {
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

/* ---- the value's way ---- */

static enum use use_behind(struct walk *w, uint64_t address)
{
    if (!code_function(w->p, address - 1, &w->function)) {
        return USE_SOME;
    }
    w->has_frame = makes_frame(w);
    go_on(w, address, 1 << RAX);
    while (w->to_do.count > 0 && w->use != USE_SOME) {
        step(w, vec_pop(&w->to_do));
    }
    if (w->use != USE_SOME && w->slot_count > 0 && is_reachable(w)) {
        w->use = USE_SOME;
    }
    return w->use;
}

static enum use look_behind(struct places *p, uint64_t address, struct code_function *function)
{
    struct walk w = {.p = p};
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &w.decoder) != CS_ERR_OK) {
        return USE_SOME;
    }
    (void)cs_option(w.decoder, CS_OPT_DETAIL, CS_OPT_ON);
    w.instruction = cs_malloc(w.decoder);
    const enum use use = w.instruction == NULL ? USE_SOME : use_behind(&w, address);
    *function = w.function;
    if (w.instruction != NULL) {
        cs_free(w.instruction, 1);
    }
    (void)cs_close(&w.decoder);
    map_release(&w.marks_at);
    vec_release(&w.to_do);
    return use;
}

/* A function that returns the value, such as the operators of std::atomic in code that is not
 * optimized: all its callers decide. */
static bool is_used(struct places *p, uint64_t address, uint32_t depth)
{
    struct code_function function;
    const enum use use = look_behind(p, address, &function);
    if (use != USE_RETURNED || depth == DEPTH_MAX) {
        return use != USE_NONE;
    }
    code_addresses callers = {0};
    bool is_used_there = !code_callers(p, &function, &callers) || callers.count > CALLERS_MAX;
    for (size_t i = 0; i < callers.count && !is_used_there; i++) {
        is_used_there = is_used(p, callers.at[i], depth + 1);
    }
    vec_release(&callers);
    return is_used_there;
}

bool places_uses_result(struct places *p, uint64_t address)
{
    bool is_new = false;
    const uint32_t number = *map_slot(&p->uses_result, address, 1, &is_new);
    if (!is_new) {
        return number != 0;
    }
    const bool answer = address == 0 || is_used(p, address, 0);
    map_put(&p->uses_result, address, answer);
    return answer;
}
