#include "minimize/minimize.h"

#include "minimize/reduce.h"

static void (*const stage_functions[])(struct reducer *r) = {
    [STAGE_SLICE] = slice_stage,   [STAGE_EXTERNALS] = externals_stage, [STAGE_CONES] = cones_stage,
    [STAGE_CHUNKS] = chunks_stage, [STAGE_PAIRS] = pairs_stage,         [STAGE_MOVES] = moves_stage,
    [STAGE_EXACT] = exact_stage,
};

const char *stage_name(enum stage stage)
{
    static const char *const names[] = {
#define STAGE(id, name) name,
        STAGE_LIST(STAGE)
#undef STAGE
    };
    return names[stage];
}

const char *same_name(enum same same)
{
    static const char *const names[] = {
#define SAME(id, name) name,
        SAME_LIST(SAME)
#undef SAME
    };
    return names[same];
}

static bool is_asked(const struct reducer *r, enum stage stage)
{
    return r->options->stages == 0 || (r->options->stages >> stage & 1) != 0;
}

static void tell(const struct reducer *r)
{
    const struct minimized *m = r->result;
    if (r->options->progress != NULL) {
        r->options->progress(r->options->context,
                             &(struct minimize_progress){.stage = r->stage,
                                                         .steps = reducer_size(r),
                                                         .externals = m->final_externals,
                                                         .replays = m->replays});
    }
}

/* A stage that finds something better makes the cheap ones worth another try: begin anew, until
 * none finds any. */
static void run_stages(struct reducer *r)
{
    for (int stage = 0; stage < STAGE_COUNT && reducer_goes_on(r); stage++) {
        if (!is_asked(r, (enum stage)stage)) {
            continue;
        }
        const uint32_t size = reducer_size(r);
        const uint32_t externals = r->result->final_externals;
        r->stage = (enum stage)stage;
        tell(r);
        stage_functions[stage](r);
        const bool is_better = reducer_size(r) < size || r->result->final_externals < externals;
        if (is_better && stage > STAGE_CHUNKS) {
            stage = STAGE_SLICE;
        }
    }
}

int minimize(struct world *w, const struct plan *p, const struct minimize_options *o,
             struct minimized *m, struct err *e)
{
    *m = (struct minimized){0};
    struct reducer r = {.world = w, .options = o, .result = m, .e = e};
    int result = reducer_begin(&r, p);
    if (result == 0) {
        run_stages(&r);
        m->is_stopped = r.is_over;
        if (m->proof == PROOF_NONE && !r.is_over && is_asked(&r, STAGE_CHUNKS)) {
            m->proof = PROOF_MINIMAL;
        }
        result = r.is_broken ? -1 : 0;
    }
    reducer_release(&r);
    return result;
}

void minimized_release(struct minimized *m)
{
    execution_release(&m->best);
}
