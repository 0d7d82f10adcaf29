#include "explore/parallel.h"

#include <string.h>
#include <sys/mman.h>

#include "base/fault_injection.h"
#include "base/fork_pool.h"
#include "base/mem.h"
#include "base/sort.h"
#include "explore/search_loop.h"

struct crowd {
    struct world *world;
    const struct explore_options *options;
    struct explored *joined;
    uint64_t first; /* the number of the first run */
    struct loop_shared *shared;
};

/* The numbers of a part's result; the violations follow, each with its texts. */
struct told {
    uint64_t runs, steps, states, limited_runs, redundant_runs;
    uint64_t changed_runs, classes[PICK_CLASS_COUNT];
    struct world_coverage coverage;
    uint64_t violation_count;
    uint64_t executions;
    uint32_t shared_words;
    enum world_order order;
    bool is_complete, has_data_races, has_drawn, is_stopped;
};

struct told_violation {
    enum outcome outcome;
    enum finding_severity severity;
    uint32_t values;
    uint32_t step_count;
    uint64_t run, hash, count;
    uint32_t key_size, what_size, calls_size, schedule_size;
};

static bool is_systematic(int strategy)
{
    return strategy == EXPLORE_DELAY || strategy == EXPLORE_DPOR;
}

void parallel_tell(const struct explored *x, struct out *result)
{
    struct told t = {.runs = x->runs,
                     .steps = x->steps,
                     .states = x->states,
                     .limited_runs = x->limited_runs,
                     .redundant_runs = x->redundant_runs,
                     .coverage = x->coverage,
                     .violation_count = x->violations.count,
                     .executions = x->executions,
                     .shared_words = x->shared_words,
                     .order = x->order,
                     .has_data_races = x->has_data_races,
                     .has_drawn = x->has_drawn,
                     .is_complete = x->is_complete,
                     .is_stopped = x->is_stopped};
    t.changed_runs = x->changed_runs;
    memcpy(t.classes, x->classes, sizeof t.classes);
    out_bytes(result, &t, sizeof t);
    vec_each (&x->violations, v) {
        const struct told_violation told = {.outcome = v->outcome,
                                            .severity = v->severity,
                                            .values = v->values,
                                            .step_count = v->step_count,
                                            .run = v->run,
                                            .hash = v->hash,
                                            .count = v->count,
                                            .key_size = (uint32_t)strlen(v->key),
                                            .what_size = (uint32_t)strlen(v->what),
                                            .calls_size = (uint32_t)strlen(v->calls),
                                            .schedule_size = (uint32_t)strlen(v->schedule)};
        out_bytes(result, &told, sizeof told);
        out_text(result, v->key);
        out_text(result, v->what);
        out_text(result, v->calls);
        out_text(result, v->schedule);
    }
}

/* Each part has its share of the runs, and draws from a seed of its own. */
static int work(void *context, uint32_t part, struct out *result, struct err *e)
{
    const struct crowd *c = context;
    struct explore_options o = *c->options;
    must(part < o.jobs);
    if (part > 0 && is_systematic(o.strategy)) {
        o.strategy = PICK_POS;
    }
    struct loop l = {.part = part, .first = c->first, .shared = c->shared};
    struct explored found = {0};
    const int status = loop_run(c->world, &o, &l, &found, e);
    if (status == 0) {
        parallel_tell(&found, result);
    }
    explored_release(&found);
    return status;
}

/* The bytes of a worker that are not taken yet. */
struct unread {
    const char *at;
    size_t left;
};

static int take_bytes(struct unread *u, void *to, size_t size)
{
    if (u->left < size) {
        return -1;
    }
    memcpy(to, u->at, size);
    u->at += size;
    u->left -= size;
    return 0;
}

static char *take_text(struct unread *u, size_t size)
{
    must(size <= u->left);
    char *text = mem_text(u->at, size);
    u->at += size;
    u->left -= size;
    return text;
}

static int take_violation(struct explored *x, struct unread *u)
{
    struct told_violation t;
    if (take_bytes(u, &t, sizeof t) < 0 ||
        (size_t)t.key_size + t.what_size + t.calls_size + t.schedule_size > u->left) {
        return -1;
    }
    struct violation v = {.key = take_text(u, t.key_size),
                          .what = take_text(u, t.what_size),
                          .calls = take_text(u, t.calls_size),
                          .schedule = take_text(u, t.schedule_size),
                          .outcome = t.outcome,
                          .severity = t.severity,
                          .values = t.values,
                          .step_count = t.step_count,
                          .run = t.run,
                          .hash = t.hash,
                          .count = t.count};
    struct violation *known = explored_find(x, v.key);
    if (known == NULL) {
        vec_push(&x->violations, v);
        return 0;
    }
    v.count += known->count;
    known->count = v.count;
    if (v.run < known->run) {
        const struct violation later = *known;
        *known = v;
        v = later;
    }
    violation_release(&v);
    return 0;
}

int parallel_take(struct explored *x, const char *bytes, size_t size, struct err *e)
{
    struct told t;
    struct unread u = {.at = bytes, .left = size};
    if (take_bytes(&u, &t, sizeof t) < 0) {
        return err_set(e, "a worker's result is cut short");
    }
    x->runs += t.runs;
    x->steps += t.steps;
    x->states += t.states;
    x->limited_runs += t.limited_runs;
    x->changed_runs += t.changed_runs;
    for (uint32_t i = 0; i < PICK_CLASS_COUNT; i++) {
        x->classes[i] += t.classes[i];
    }
    x->redundant_runs += t.redundant_runs;
    x->is_complete = x->is_complete || t.is_complete;
    x->executions += t.executions;
    x->shared_words = t.shared_words > x->shared_words ? t.shared_words : x->shared_words;
    x->order = t.order > x->order ? t.order : x->order;
    x->has_data_races = x->has_data_races || t.has_data_races;
    x->has_drawn = x->has_drawn || t.has_drawn;
    x->is_stopped = x->is_stopped || t.is_stopped;
    if (t.coverage.block_covered > x->coverage.block_covered) {
        x->coverage = t.coverage;
    }
    for (uint64_t i = 0; i < t.violation_count; i++) {
        if (take_violation(x, &u) < 0) {
            return err_set(e, "a worker's result is cut short");
        }
    }
    return 0;
}

static int take(void *context, const char *bytes, size_t size, struct err *e)
{
    const struct crowd *c = context;
    return parallel_take(c->joined, bytes, size, e);
}

static int compare(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct violation *a = left;
    const struct violation *b = right;
    return a->run < b->run ? -1 : a->run > b->run;
}

/* Violations that only runs beyond the last one wanted showed, which is the run of this number. */
static void drop_later(struct explored *x, uint64_t last)
{
    size_t kept = 0;
    for (size_t i = 0; i < x->violations.count; i++) {
        struct violation *v = &x->violations.at[i];
        must(v->run >= 1);
        if (v->run - 1 > last) {
            violation_release(v);
        } else {
            x->violations.at[kept++] = *v;
        }
    }
    x->violations.count = kept;
}

int parallel_explore(struct world *w, const struct explore_options *o, struct explored *x,
                     struct err *e)
{
    struct crowd c = {.world = w, .options = o, .joined = x};
    void *shared = seam_fails() ? MAP_FAILED
                                : mmap(NULL, sizeof *c.shared, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return err_set(e, "no memory to share among workers");
    }
    c.shared = shared;
    atomic_init(&c.shared->is_over, false);
    atomic_init(&c.shared->runs, UINT_FAST64_MAX);
    int result = o->campaign == NULL ? 0 : campaign_next(o->campaign, &c.first, e);
    if (o->campaign != NULL) {
        campaign_pause(o->campaign);
    }
    const struct fork_pool crew = {.count = o->jobs, .work = work, .take = take, .context = &c};
    result = result < 0 ? -1 : fork_pool_run(&crew, e);
    if (result == 0) {
        drop_later(x, atomic_load_explicit(&c.shared->runs, memory_order_relaxed));
    }
    (void)munmap(shared, sizeof *c.shared);
    if (result == 0) {
        sort_stable(x->violations.at, x->violations.count, sizeof *x->violations.at, compare, NULL);
    }
    return result;
}
