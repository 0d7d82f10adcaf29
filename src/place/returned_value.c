/* Whether a program uses the value that a call returned, and whether it decides by it. */
#include "place/module_state.h"
#include "place/unreported_reads.h"
#include "place/value_use.h"
#include "wire/must.h"

enum {
    CALLERS_MAX = 64,
    DEPTH_MAX = 4, /* of functions that return the value */
    CALL_SIZE = 5,
};

static enum value_use look_behind(struct places *p, uint64_t address, bool is_atomic,
                                  struct code_function *function)
{
    struct value_walk w;
    if (!value_walk_open(&w, p, address)) {
        return VALUE_USED;
    }
    value_go_on(&w, address, 1 << VALUE_RAX);
    enum value_use use = value_walk_run(&w);
    const uint64_t variable =
        use == VALUE_UNUSED && is_atomic ? unseen_argument(&w, address - CALL_SIZE) : 0;
    if (variable != 0 && unseen_reads(&w, variable)) {
        use = VALUE_USED;
    }
    *function = w.function;
    value_walk_close(&w);
    return use;
}

/* A function that returns the value, such as the operators of std::atomic in code that is not
 * optimized: all its callers decide. */
static bool is_used(struct places *p, uint64_t address, uint32_t depth)
{
    struct code_function function;
    const enum value_use use = look_behind(p, address, true, &function);
    must(depth <= DEPTH_MAX);
    if (use != VALUE_RETURNED || depth == DEPTH_MAX) {
        return use != VALUE_UNUSED;
    }
    code_addresses callers = {0};
    bool is_used_there = !code_callers(p, &function, &callers) || callers.count > CALLERS_MAX;
    for (size_t i = 0; i < callers.count && !is_used_there; i++) {
        is_used_there = is_used(p, callers.at[i], depth + 1);
    }
    vec_release(&callers);
    return is_used_there;
}

bool places_ignores_result(struct places *p, uint64_t address)
{
    bool is_new = false;
    const uint32_t number = *map_slot(&p->ignores_result, address, 0, &is_new);
    if (!is_new) {
        return number != 0;
    }
    struct code_function function;
    const bool answer = address != 0 && look_behind(p, address, false, &function) == VALUE_UNUSED;
    map_put(&p->ignores_result, address, answer);
    return answer;
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

/* ---- decisions ---- */

/* Whether the function can return without the call that returns to `address`. */
static bool may_pass_over(struct value_walk *w, uint64_t address)
{
    bool answer = false;
    struct map seen = {0};
    code_addresses to_do = {0};
    vec_push(&to_do, w->function.start);
    while (to_do.count > 0 && !answer) {
        const uint64_t at = vec_pop(&to_do);
        bool is_new = false;
        (void)map_slot(&seen, at, 1, &is_new);
        if (!is_new) {
            continue;
        }
        if (at < w->function.start || at >= w->function.end || !value_decode(w, at)) {
            answer = true; /* as far as is known */
            break;
        }
        const cs_insn *i = w->instruction;
        const cs_x86_op *to = &i->detail->x86.operands[0];
        const bool is_jump = cs_insn_group(w->decoder, i, CS_GRP_JUMP);
        answer = cs_insn_group(w->decoder, i, CS_GRP_RET) || (is_jump && to->type != X86_OP_IMM);
        if (is_jump && to->type == X86_OP_IMM) {
            vec_push(&to_do, (uint64_t)to->imm);
        }
        if (i->id != X86_INS_JMP && at + i->size != address) {
            vec_push(&to_do, at + i->size);
        }
    }
    map_release(&seen);
    vec_release(&to_do);
    return answer;
}

/* A function that always makes the call and returns its value is a wrapper: those that call it
 * decide. One that makes the call on a condition has decided. */
static bool is_tested(struct places *p, uint64_t address, uint32_t depth)
{
    struct value_walk w;
    if (!value_walk_open(&w, p, address)) {
        return true;
    }
    must(depth <= DEPTH_MAX);
    w.goes_on = true;
    value_go_on(&w, address, 1 << VALUE_RAX);
    (void)value_walk_run(&w);
    const struct code_function function = w.function;
    bool answer = w.is_tested;
    const bool is_wrapper = !answer && w.is_returned && !may_pass_over(&w, address);
    value_walk_close(&w);
    if (!is_wrapper) {
        return answer;
    }
    code_addresses callers = {0};
    answer =
        depth == DEPTH_MAX || !code_callers(p, &function, &callers) || callers.count > CALLERS_MAX;
    for (size_t i = 0; i < callers.count && !answer; i++) {
        answer = is_tested(p, callers.at[i], depth + 1);
    }
    vec_release(&callers);
    return answer;
}

bool places_tests_result(struct places *p, uint64_t address)
{
    bool is_new = false;
    const uint32_t number = *map_slot(&p->tests_result, address, 1, &is_new);
    if (!is_new) {
        return number != 0;
    }
    const bool answer = address == 0 || is_tested(p, address, 0);
    map_put(&p->tests_result, address, answer);
    return answer;
}
