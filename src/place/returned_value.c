/* Whether a program uses the value that a call returned. */
#include "place/module_state.h"
#include "place/unreported_reads.h"
#include "place/value_use.h"
#include "wire/must.h"

enum {
    CALLERS_MAX = 64,
    DEPTH_MAX = 4, /* of functions that return the value */
    CALL_SIZE = 5,
};

static enum value_use look_behind(struct places *p, uint64_t address,
                                  struct code_function *function)
{
    struct value_walk w;
    if (!value_walk_open(&w, p, address)) {
        return VALUE_USED;
    }
    value_go_on(&w, address, 1 << VALUE_RAX);
    enum value_use use = value_walk_run(&w);
    const uint64_t variable = use == VALUE_UNUSED ? unseen_argument(&w, address - CALL_SIZE) : 0;
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
    const enum value_use use = look_behind(p, address, &function);
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
