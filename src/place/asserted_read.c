/* Whether the value of a plain read decides only whether the program aborts:
 *
 *     assert(count > 0);
 *
 * The value is followed through the machine code (x86-64), also to the callers of a function that
 * returns it. It may only be compared, and one way of each jump that depends on it must lead to the
 * call of a function that reports a failed assertion. */
#include <string.h>

#include "place/module_state.h"
#include "place/reported_load.h"
#include "wire/must.h"

enum { CALLERS_MAX = 16, DEPTH_MAX = 3, FAILING_WITHIN = 16 };

/* The name of the function at the address, of this module or, behind a stub, of another. */
static const char *name_of(struct value_walk *w, uint64_t address)
{
    struct code_function function;
    if (code_function(w->p, address, &function)) {
        return function.name;
    }
    for (int i = 0; i < 3 && value_decode(w, address); i++) {
        const cs_x86_op *to = &w->instruction->detail->x86.operands[0];
        address += w->instruction->size;
        if (w->instruction->id == X86_INS_JMP && to->type == X86_OP_MEM &&
            to->mem.base == X86_REG_RIP) {
            return code_import(w->p, address + (uint64_t)to->mem.disp);
        }
    }
    return NULL;
}

static bool is_failure(const char *name)
{
    return name != NULL && (strncmp(name, "__assert", 8) == 0 || strcmp(name, "abort") == 0);
}

/* Whether the code from here on, with no jump that may go elsewhere, calls a function that does not
 * return. */
static bool fails(struct value_walk *w, uint64_t at)
{
    for (int i = 0; i < FAILING_WITHIN && value_decode(w, at); i++) {
        const cs_insn *now = w->instruction;
        const cs_x86_op *to = &now->detail->x86.operands[0];
        const uint64_t target = to->type == X86_OP_IMM ? (uint64_t)to->imm : 0;
        at += now->size;
        if (cs_insn_group(w->decoder, now, CS_GRP_CALL)) {
            const char *name = name_of(w, target);
            if (name == NULL || is_failure(name)) {
                return name != NULL;
            }
            const bool is_part = strstr(name, ".part.") != NULL || strstr(name, ".cold") != NULL;
            if (!is_part && strncmp(name, "__tsan_func_", 12) != 0) {
                return false;
            }
            at = is_part ? target : at;
            continue;
        }
        if (cs_insn_group(w->decoder, now, CS_GRP_RET) ||
            (cs_insn_group(w->decoder, now, CS_GRP_JUMP) && now->id != X86_INS_JMP)) {
            return false;
        }
        at = now->id == X86_INS_JMP ? target : at;
    }
    return false;
}

/* The walk's jump depends on the value: goes on where the program does not abort. */
static bool may_jump(struct value_walk *w, uint32_t marks)
{
    bool *is_asserted = w->context;
    const uint64_t behind = w->instruction->address + w->instruction->size;
    const uint64_t target = (uint64_t)w->instruction->detail->x86.operands[0].imm;
    const bool fails_behind = fails(w, behind);
    const bool fails_there = fails(w, target);
    if (fails_behind != fails_there) {
        *is_asserted = true;
        value_go_on(w, fails_behind ? target : behind, marks);
    }
    return fails_behind != fails_there;
}

/* What becomes of a value that stands in these marks at the address. */
static bool is_asserted_from(struct places *p, uint64_t address, uint32_t marks, uint32_t depth)
{
    static const struct value_rules rules = {.may_jump = may_jump};
    struct value_walk w;
    bool is_asserted = false;
    must(marks != 0);
    must(depth <= DEPTH_MAX);
    if (!value_walk_open(&w, p, address)) {
        return false;
    }
    w.rules = &rules;
    w.context = &is_asserted;
    value_go_on(&w, address, marks);
    const enum value_use use = value_walk_run(&w);
    const struct code_function function = w.function;
    value_walk_close(&w);
    if (use != VALUE_RETURNED || is_asserted || depth == DEPTH_MAX) {
        return use == VALUE_UNUSED && is_asserted;
    }
    code_addresses callers = {0};
    bool answer =
        code_callers(p, &function, &callers) && callers.count > 0 && callers.count <= CALLERS_MAX;
    for (size_t i = 0; i < callers.count && answer; i++) {
        answer = is_asserted_from(p, callers.at[i], 1 << VALUE_RAX, depth + 1);
    }
    vec_release(&callers);
    return answer;
}

static bool look(struct places *p, uint64_t address)
{
    struct value_walk w;
    struct reported_load load;
    if (address < REPORT_CALL_SIZE || !value_walk_open(&w, p, address)) {
        return false;
    }
    const uint32_t size = reported_by(&w, address - REPORT_CALL_SIZE, "read");
    const bool is_known = size != 0 && reported_load(&w, address, size, &load) &&
                          (load.marks != 0 || load.instruction == X86_INS_CMP);
    value_walk_close(&w);
    return is_known && is_asserted_from(p, load.from_end,
                                        load.marks != 0 ? load.marks : (uint32_t)VALUE_FLAGS, 0);
}

bool places_asserts_read(struct places *p, uint64_t address)
{
    bool is_new = false;
    const uint32_t number = *map_slot(&p->asserts_read, address, 0, &is_new);
    if (!is_new) {
        return number != 0;
    }
    const bool answer = look(p, address);
    map_put(&p->asserts_read, address, answer);
    return answer;
}
