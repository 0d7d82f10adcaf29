#include "minimize/minimize.h"

#include "minimize/engine/contents.h"
#include "minimize/stages/stages.h"

static void (*const stage_functions[])(struct reducer *r) = {
#define STAGE(id, function, name, meaning) function##_stage,
    STAGE_LIST(STAGE)
#undef STAGE
};

/* One stage, and how it finds steps again. */
struct pass {
    enum stage stage;
    struct ways ways;
};

/* The newest match does most of the work where messages repeat, the same content where they do not.
 */
#define ALL_WAYS                                                                \
    {                                                                           \
        {PICK_SAME_OR_OLDEST, PICK_SAME_OR_NEWEST, PICK_NEWEST, PICK_OLDEST}, 4 \
    }
/* Of reactions: from long runs of Raft none that the other ways kept was not kept by this one. */
#define FIRST_WAY                \
    {                            \
        {PICK_SAME_OR_OLDEST}, 1 \
    }
#define SAME_WAY       \
    {                  \
        {PICK_SAME}, 1 \
    }
#define TYPE_WAYS                     \
    {                                 \
        {PICK_OLDEST, PICK_NEWEST}, 2 \
    }

/* Those that are done once: later there is less to be found. */
enum { CLEW_PASSES_ONCE = 2 };

/* Singles are run again with PICK_SAME, for steps that go together with one that is left out: the
 * other ways match a later operation in the place of a missing one. */
static const struct pass clew_passes[] = {
    {STAGE_SWITCHES, ALL_WAYS},   {STAGE_ECHOES, ALL_WAYS},    {STAGE_CLUSTERS, ALL_WAYS},
    {STAGE_REACTIONS, FIRST_WAY}, {STAGE_SLICE, ALL_WAYS},     {STAGE_EXTERNALS, ALL_WAYS},
    {STAGE_CHUNKS, ALL_WAYS},     {STAGE_CLUSTERS, ALL_WAYS},  {STAGE_REACTIONS, FIRST_WAY},
    {STAGE_ECHOES, ALL_WAYS},     {STAGE_SHORTCUTS, ALL_WAYS}, {STAGE_CONES, ALL_WAYS},
    {STAGE_STRANDS, ALL_WAYS},    {STAGE_ECHOES, ALL_WAYS},    {STAGE_SHORTCUTS, ALL_WAYS},
    {STAGE_SINGLES, ALL_WAYS},    {STAGE_SINGLES, SAME_WAY},   {STAGE_ECHOES, ALL_WAYS},
    {STAGE_SHORTCUTS, ALL_WAYS},  {STAGE_SEEDS, ALL_WAYS},     {STAGE_ROLES, TYPE_WAYS},
    {STAGE_CONTENTS, ALL_WAYS},   {STAGE_DRIFT, ALL_WAYS},     {STAGE_PAIRS, ALL_WAYS},
    {STAGE_TAILS, ALL_WAYS},      {STAGE_MATCHES, ALL_WAYS},   {STAGE_MOVES, ALL_WAYS},
    {STAGE_ANEW, ALL_WAYS},       {STAGE_DETOURS, ALL_WAYS},   {STAGE_SINGLES, SAME_WAY},
    {STAGE_EXACT, ALL_WAYS},
};

static const struct pass demi_passes[] = {
    {STAGE_SLICE, SAME_WAY},     {STAGE_EXTERNALS, SAME_WAY}, {STAGE_SINGLES, SAME_WAY},
    {STAGE_CLUSTERS, TYPE_WAYS}, {STAGE_SINGLES, TYPE_WAYS},  {STAGE_MATCHES, TYPE_WAYS},
    {STAGE_CONTENTS, TYPE_WAYS},
};

static const struct pass demi_paper_passes[] = {
    {STAGE_CONTENTS, TYPE_WAYS}, {STAGE_SLICE, SAME_WAY},    {STAGE_EXTERNALS, SAME_WAY},
    {STAGE_CHUNKS, TYPE_WAYS},   {STAGE_SINGLES, TYPE_WAYS}, {STAGE_MATCHES, TYPE_WAYS},
};

static const struct {
    const struct pass *passes;
    size_t count;
    bool is_repeated; /* a later stage that helps makes the earlier ones worth another try */
} pipelines[] = {
    [COMPAT_NONE] = {clew_passes, sizeof clew_passes / sizeof *clew_passes, true},
    [COMPAT_DEMI] = {demi_passes, sizeof demi_passes / sizeof *demi_passes, false},
    [COMPAT_DEMI_PAPER] = {demi_paper_passes, sizeof demi_paper_passes / sizeof *demi_paper_passes,
                           false},
};

#define NAMED(id, name) name,
static const char *const same_names[] = {SAME_LIST(NAMED)};
static const char *const compat_names[] = {COMPAT_LIST(NAMED)};
#undef NAMED
#define NAMED(id, function, name, meaning) name,
#define MEANING(id, function, name, meaning) meaning,
static const char *const stage_names[] = {STAGE_LIST(NAMED)};
static const char *const stage_meanings[] = {STAGE_LIST(MEANING)};
#undef NAMED
#undef MEANING

const char *stage_name(enum stage stage)
{
    must(stage < STAGE_COUNT);
    return stage_names[stage];
}

const char *stage_meaning(enum stage stage)
{
    must(stage < STAGE_COUNT);
    return stage_meanings[stage];
}

const char *same_name(enum same same)
{
    return same_names[same];
}

const char *compat_name(enum compat compat)
{
    must(compat < COMPAT_COUNT);
    return compat_names[compat];
}

bool compat_has(enum compat compat, enum stage stage)
{
    for (size_t i = 0; i < pipelines[compat].count; i++) {
        if (pipelines[compat].passes[i].stage == stage) {
            return true;
        }
    }
    return false;
}

static bool is_asked(const struct reducer *r, enum stage stage)
{
    return r->options->stages == 0 || (r->options->stages >> stage & 1) != 0;
}

/* Whether this pass proves that no step can go alone once it ends without success: the passes
 * before it have tried the other ways since the last new best. */
static bool is_last_of_singles(const struct reducer *r, const struct pass *pass)
{
    return r->options->compat == COMPAT_NONE && pass->stage == STAGE_SINGLES &&
           pass->ways.at[0] == PICK_SAME;
}

/* True when it found something better. */
static bool run_pass(struct reducer *r, const struct pass *pass)
{
    const uint32_t bests = r->best_count;
    r->stage = pass->stage;
    r->ways = pass->ways;
    reducer_tell(r);
    if (pass->stage == STAGE_EXACT) {
        speculation_end(r->speculation); /* its steps are no candidates */
    }
    struct stage_account *account = &r->result->stages[pass->stage];
    account->was_run = true;
    if (!account->has_failed) {
        account->note[0] = '\0';
    }
    stage_functions[pass->stage](r);
    must(r->stage == pass->stage);
    const bool is_better = r->best_count > bests;
    must(is_better || r->best_count == bests);
    if (!is_better && is_last_of_singles(r, pass) && reducer_goes_on(r) &&
        r->result->proof == PROOF_NONE) {
        r->result->proof = PROOF_MINIMAL;
    }
    return is_better;
}

/* That nothing can go need not be known twice. */
static bool is_known(const struct reducer *r, const struct pass *pass)
{
    return is_last_of_singles(r, pass) && r->result->proof != PROOF_NONE;
}

/* From seeds on, a new best restarts the pipeline; the passes before seeds run to their own end.
 * Executions that restart has found have been through all of them. */
static bool is_repeated_after(const struct reducer *r, const struct pass *pass)
{
    const struct pass *from = pipelines[r->options->compat].passes;
    while (from < pass && from->stage != STAGE_SEEDS) {
        from++;
    }
    return pipelines[r->options->compat].is_repeated && from->stage == STAGE_SEEDS &&
           pass->stage != STAGE_ANEW;
}

/* The stages for a program that is left with the fewest possible switches. It can only lose steps,
 * and most of these nobody chooses: they are those of its code. Where no switch is left, there is
 * one such execution. */
static const uint32_t stages_switched =
    1u << STAGE_SWITCHES | 1u << STAGE_SLICE | 1u << STAGE_CHUNKS | 1u << STAGE_SINGLES;
static const uint32_t stages_unswitched = 1u << STAGE_SWITCHES | 1u << STAGE_SINGLES;

static bool is_needless(const struct reducer *r, enum stage stage)
{
    if (r->options->stages != 0 || !r->result->has_fewest_switches) {
        return false;
    }
    const uint32_t needed = r->result->final_switches == 0 ? stages_unswitched : stages_switched;
    return (needed >> stage & 1) == 0;
}

void stages_run(struct reducer *r, uint32_t left_out)
{
    const struct pass *passes = pipelines[r->options->compat].passes;
    const size_t count = pipelines[r->options->compat].count;
    for (size_t i = 0; i < count && reducer_goes_on(r); i++) {
        const enum stage stage = passes[i].stage;
        if (!is_asked(r, stage) || is_needless(r, stage) || (left_out >> stage & 1) != 0 ||
            is_known(r, &passes[i])) {
            continue;
        }
        if (run_pass(r, &passes[i]) && is_repeated_after(r, &passes[i])) {
            i = CLEW_PASSES_ONCE - 1;
        }
    }
}

/* The accounts of the stages lead from the first run to the result. */
static void check_accounts(const struct minimized *m)
{
    int64_t steps = (int64_t)m->initial_steps;
    uint64_t replays = 0;
    for (int i = 0; i <= STAGE_NONE; i++) {
        steps += m->stages[i].steps;
        replays += m->stages[i].replays;
    }
    must(replays == m->replays);
    must(m->is_flaky || steps == (int64_t)m->best.steps.count);
}

/* The claims about the result: none where replays of it differ. */
static void conclude(struct reducer *r)
{
    struct minimized *m = r->result;
    r->stage = STAGE_NONE;
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        m->has_atoms = m->has_atoms || r->partner_of.at[i] != i;
    }
    m->has_unignorable = r->first.unignorable.entries.count > 0;
    if (reducer_size(r) == 0) {
        m->proof = PROOF_OPTIMAL; /* whichever stages were run: nothing is shorter than nothing */
    }
    m->is_flaky = m->is_flaky || r->world->doubt_count > 0;
    if (r->world->doubt_count > 0 ||
        ((m->proof != PROOF_NONE || m->has_fewest_switches) && !reducer_is_steady(r))) {
        m->proof = PROOF_NONE;
        m->has_fewest_switches = false;
    }
    must(m->proof == PROOF_NONE || !m->is_flaky);
    must(r->world->has_tasks || m->is_flaky || reducer_size(r) <= m->initial_steps);
    check_accounts(m);
}

int minimize(struct world *w, const struct plan *p, const struct minimize_options *o,
             struct minimized *m, struct err *e)
{
    *m = (struct minimized){0};
    struct minimize_options options = *o;
    struct reducer r = {.world = w,
                        .options = &options,
                        .result = m,
                        .speculation = speculation_new(o->jobs),
                        .stage = STAGE_NONE,
                        .e = e};
    limit_begin(&options.budget);
    int result = reducer_begin(&r, p);
    if (result == 0) {
        limit_begin(
            &options.budget); /* the budget is for the search, however long the first run takes */
        stages_run(&r, 0);
        speculation_end(r.speculation);
        conclude(&r);
        result = r.is_broken ? -1 : 0;
    }
    reducer_release(&r);
    speculation_free(r.speculation);
    return result;
}

void minimized_release(struct minimized *m)
{
    execution_release(&m->best);
    contents_release(&m->contents);
}
