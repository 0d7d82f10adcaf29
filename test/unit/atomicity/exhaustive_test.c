/* Every pair of two small threads. With the interleaving forced event by event, the engine finds a
 * pattern exactly where the conflicts of the two threads, taken as one region each, form a cycle.
 * With the interleaving free but for critical sections of one lock, it finds one exactly where some
 * interleaving has such a cycle, by brute force and by the walk that SPIN is compared with. */
#include "atomicity/match.h"
#include "atomicity/promela.h"
#include "test.h"
#include "trace_text.h"
#include "wire/kind.h"

struct size {
    uint32_t one, other; /* accesses of each thread */
    uint32_t kinds;      /* of accesses: 2 for one variable, 4 for two */
};

static void count_match(void *context, const struct match *m)
{
    uint64_t *count = context;
    *count += m->pattern != VIOLATION_STALE;
}

/* Each access has a place of its own; between accesses of different threads an order is declared.
 */
static void write_trace(struct trace *t, const struct violation_access *a, uint32_t count)
{
    uint32_t tasks[3] = {0};
    uint32_t variables[2];
    trace_init(t);
    tasks[1] = tables_task_text(&t->tables, "T1", 2);
    tasks[2] = tables_task_text(&t->tables, "T2", 2);
    variables[0] = names_intern_text(&t->tables.names, "x");
    variables[1] = names_intern_text(&t->tables.names, "y");
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%u", i);
        const uint32_t place = names_intern_text(&t->tables.names, name);
        if (i > 0 && a[i - 1].thread != a[i].thread) {
            trace_append(t, &(struct event){.kind = EVENT_HAPPENS_BEFORE,
                                            .task = tasks[a[i - 1].thread],
                                            .object = place});
            trace_append(t, &(struct event){.kind = EVENT_HAPPENS_AFTER,
                                            .task = tasks[a[i].thread],
                                            .object = place});
        }
        trace_append(t, &(struct event){.kind = a[i].is_write ? EVENT_WRITE : EVENT_READ,
                                        .task = tasks[a[i].thread],
                                        .object = variables[a[i].which],
                                        .location = place});
    }
    trace_seal(t);
}

/* How many patterns the engine finds in the trace, stale reads aside. */
static uint64_t matches_in(const struct frame *f, const struct match_options *asked)
{
    uint64_t found = 0;
    struct match_options options = *asked;
    struct matcher matcher;
    options.found = count_match;
    options.context = &found;
    matcher_init(&matcher, &options);
    for (uint32_t x = 0; x < f->variables.list.count; x++) {
        struct sketch s;
        sketch_build(&s, f, x, VARIABLE_NONE);
        match_single(&matcher, &s);
        sketch_release(&s);
    }
    if (f->variables.list.count == 2) {
        struct sketch s;
        sketch_build(&s, f, 0, 1);
        match_pair(&matcher, &s);
        sketch_release(&s);
    }
    CHECK_INT(matcher.stats.unknown, 0);
    matcher_release(&matcher);
    return found;
}

static uint64_t matches_of(const struct violation_access *a, uint32_t count)
{
    struct trace t;
    struct frame f;
    struct notes n = {0};
    struct err e = {0};
    write_trace(&t, a, count);
    CHECK_INT(frame_build(&f, &t, &n, &e), 0);
    const uint64_t found = matches_in(&f, &(struct match_options){.keeps_forced = true});
    frame_release(&f);
    notes_release(&n);
    trace_release(&t);
    return found;
}

/* The number-th interleaving of these sizes: which positions are thread 1's, and what each access
 * is. False when the number names none. */
static bool interleaving(struct size size, uint64_t number, struct violation_access *a)
{
    const uint32_t count = size.one + size.other;
    const uint64_t positions = number & ((1u << count) - 1);
    uint64_t kinds = number >> count;
    if ((uint32_t)__builtin_popcountll(positions) != size.one) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t kind = kinds % size.kinds;
        a[i] = (struct violation_access){
            .thread = positions >> i & 1 ? 1 : 2, .which = kind >> 1 & 1, .is_write = kind & 1};
        kinds /= size.kinds;
    }
    return true;
}

static void try_all(struct size size, uint64_t stride)
{
    const uint32_t count = size.one + size.other;
    uint64_t end = 1u << count;
    uint64_t tried = 0;
    uint64_t cyclic = 0;
    for (uint32_t i = 0; i < count; i++) {
        end *= size.kinds;
    }
    for (uint64_t number = 0; number < end; number++) {
        struct violation_access a[VIOLATION_SIZE_MAX];
        if (!interleaving(size, number, a) || tried++ % stride != 0) {
            continue;
        }
        const bool is_cyclic = !violation_is_conflict_serializable(a, count);
        cyclic += is_cyclic;
        if ((matches_of(a, count) > 0) != is_cyclic) {
            fail_msg("interleaving %llu of %u+%u", (unsigned long long)number, size.one,
                     size.other);
        }
    }
    CHECK(cyclic > 0);
}

TEST(one_variable_is_complete_and_sound)
{
    try_all((struct size){.one = 2, .other = 1, .kinds = 2}, 1);
    try_all((struct size){.one = 2, .other = 2, .kinds = 2}, 1);
    try_all((struct size){.one = 3, .other = 2, .kinds = 2}, 1);
    try_all((struct size){.one = 3, .other = 3, .kinds = 2}, 1);
    try_all((struct size){.one = 4, .other = 3, .kinds = 2}, 1);
}

TEST(two_variables_are_complete_and_sound)
{
    try_all((struct size){.one = 2, .other = 2, .kinds = 4}, 1);
    try_all((struct size){.one = 3, .other = 2, .kinds = 4}, 1);
    try_all((struct size){.one = 3, .other = 3, .kinds = 4}, test_is_long() ? 1 : 31);
    try_all((struct size){.one = 4, .other = 2, .kinds = 4}, test_is_long() ? 1 : 29);
    try_all((struct size){.one = 4, .other = 3, .kinds = 4}, test_is_long() ? 1 : 307);
}

/* ---- free interleavings ---- */

enum { THREAD_SIZE_MAX = 4, TASK_COUNT = 2 };

/* An access, and what the thread does with the one lock before and after it. */
struct program_access {
    struct violation_access access;
    bool is_locked;      /* it is in a critical section */
    bool begins_section; /* the first of it */
};

struct program {
    struct program_access threads[TASK_COUNT][THREAD_SIZE_MAX];
    uint32_t counts[TASK_COUNT];
};

/* Two threads whose accesses the number gives. A layout has two bits per access: whether it is in a
 * critical section, and whether it begins a new one; layout 0 has no locks. */
static struct program program_of(struct size size, uint64_t number, uint64_t layout)
{
    struct program p = {.counts = {size.one, size.other}};
    for (uint8_t thread = 0; thread < TASK_COUNT; thread++) {
        for (uint32_t i = 0; i < p.counts[thread]; i++) {
            const uint64_t kind = number % size.kinds;
            struct program_access *a = &p.threads[thread][i];
            const bool was_locked = i > 0 && p.threads[thread][i - 1].is_locked;
            a->access = (struct violation_access){
                .thread = thread + 1, .which = kind >> 1 & 1, .is_write = kind & 1};
            a->is_locked = layout & 1;
            a->begins_section = a->is_locked && (!was_locked || (layout >> 1 & 1));
            number /= size.kinds;
            layout >>= 2;
        }
    }
    return p;
}

/* Whether the thread gives the lock back behind its i-th access. */
static bool ends_section(const struct program *p, int thread, uint32_t i)
{
    const struct program_access *a = p->threads[thread];
    return a[i].is_locked &&
           (i + 1 == p->counts[thread] || !a[i + 1].is_locked || a[i + 1].begins_section);
}

static void write_program(struct trace *t, const struct program *p)
{
    static const char *const names[] = {"T1", "T2"};
    trace_init(t);
    const uint32_t lock = names_intern_text(&t->tables.names, "m");
    for (int thread = 0; thread < TASK_COUNT; thread++) {
        const uint32_t task = tables_task_text(&t->tables, names[thread], 2);
        for (uint32_t i = 0; i < p->counts[thread]; i++) {
            const struct program_access *a = &p->threads[thread][i];
            const char place[] = {"ab"[thread], (char)('0' + i), '\0'};
            if (a->begins_section) {
                trace_append(t, &(struct event){.kind = EVENT_LOCK, .task = task, .object = lock});
            }
            trace_append(t, &(struct event){
                                .kind = a->access.is_write ? EVENT_WRITE : EVENT_READ,
                                .task = task,
                                .object = names_intern_text(&t->tables.names,
                                                            a->access.which == 0 ? "x" : "y"),
                                .location = names_intern_text(&t->tables.names, place),
                            });
            if (ends_section(p, thread, i)) {
                trace_append(t,
                             &(struct event){.kind = EVENT_UNLOCK, .task = task, .object = lock});
            }
        }
    }
    trace_seal(t);
}

/* Brute force: whether some interleaving that the lock allows is cyclic. */
struct brute {
    const struct program *program;
    struct violation_access list[2 * THREAD_SIZE_MAX];
    uint32_t done[TASK_COUNT];
};

static bool holds_lock(const struct brute *b, int thread)
{
    const uint32_t done = b->done[thread];
    return done > 0 && b->program->threads[thread][done - 1].is_locked &&
           !ends_section(b->program, thread, done - 1);
}

static bool some_interleaving_is_cyclic(struct brute *b)
{
    const struct program *p = b->program;
    const uint32_t count = b->done[0] + b->done[1];
    if (count == p->counts[0] + p->counts[1]) {
        return !violation_is_conflict_serializable(b->list, count);
    }
    for (int thread = 0; thread < TASK_COUNT; thread++) {
        const uint32_t next = b->done[thread];
        if (next == p->counts[thread] ||
            (p->threads[thread][next].begins_section && holds_lock(b, 1 - thread))) {
            continue;
        }
        b->list[count] = p->threads[thread][next].access;
        b->done[thread]++;
        const bool is_found = some_interleaving_is_cyclic(b);
        b->done[thread]--;
        if (is_found) {
            return true;
        }
    }
    return false;
}

/* SPIN's claims, each decided by a walk over all states of the model. */
static bool some_claim_occurs(const struct frame *f)
{
    struct sketch sketch;
    struct model m;
    struct decider d;
    claim_list claims = {0};
    bool is_found = false;
    sketch_build(&sketch, f, 0, f->variables.list.count > 1 ? 1 : VARIABLE_NONE);
    model_build(&m, &sketch);
    decider_init(&d, &m, 0);
    promela_claims(&m, &claims);
    for (size_t i = 0; i < claims.count && !is_found; i++) {
        const struct claim *c = &claims.at[i];
        struct sequence q = {.count = c->access_count};
        for (uint32_t k = 0; k < c->access_count; k++) {
            q.threads[k] = c->threads[c->accesses[k].thread - 1];
            q.kinds[k] = (uint8_t)(c->accesses[k].which * 2 + c->accesses[k].is_write);
        }
        const enum decision decision = decider_occurs(&d, &q);
        CHECK(decision != DECIDE_UNKNOWN);
        is_found = decision == DECIDE_YES;
    }
    vec_release(&claims);
    decider_release(&d);
    model_release(&m);
    sketch_release(&sketch);
    return is_found;
}

/* Compares engine, brute force and SPIN's claims; true when there is a violation. */
static bool try_program(const struct program *p)
{
    struct trace t;
    struct frame f;
    struct notes n = {0};
    struct err e = {0};
    write_program(&t, p);
    CHECK_INT(frame_build(&f, &t, &n, &e), 0);
    const bool is_cyclic = some_interleaving_is_cyclic(&(struct brute){.program = p});
    const bool is_claimed = some_claim_occurs(&f);
    const bool is_found = matches_in(&f, &(struct match_options){.keeps_rounds = true}) > 0;
    if (is_cyclic != is_claimed || is_cyclic != is_found) {
        fail_msg("brute force %d, claims %d, engine %d:\n%s", is_cyclic, is_claimed, is_found,
                 trace_text(&t));
    }
    frame_release(&f);
    notes_release(&n);
    trace_release(&t);
    return is_cyclic;
}

/* A layout of critical sections, chosen by a multiplicative hash; every second one has each access
 * in a section. */
static uint64_t layout_of(uint64_t number)
{
    const uint64_t all_locked = 0x5555;
    return number * 0x9e3779b97f4a7c15 >> 48 | (number % 2 == 0 ? all_locked : 0);
}

/* Tries every stride-th program of this size without locks, and each in some layouts. */
static void try_programs(struct size size, uint64_t stride, uint32_t layout_count)
{
    const uint32_t count = size.one + size.other;
    uint64_t end = 1;
    uint64_t found[2] = {0}; /* without locks, with */
    for (uint32_t i = 0; i < count; i++) {
        end *= size.kinds;
    }
    for (uint64_t number = 0; number < end; number += stride) {
        struct program p = program_of(size, number, 0);
        found[0] += try_program(&p);
        for (uint32_t i = 1; i <= layout_count; i++) {
            p = program_of(size, number, layout_of(number * layout_count + i));
            found[1] += try_program(&p);
        }
    }
    print_message("# %u+%u accesses: %llu violations without locks, %llu with\n", size.one,
                  size.other, (unsigned long long)found[0], (unsigned long long)found[1]);
    CHECK(found[0] > 0);
    CHECK(found[1] > 0);
}

TEST(engine_brute_force_and_the_claims_of_spin_agree)
{
    const bool is_long = test_is_long();
    try_programs((struct size){.one = 3, .other = 2, .kinds = 4}, is_long ? 1 : 7, 4);
    try_programs((struct size){.one = 3, .other = 3, .kinds = 4}, is_long ? 1 : 37, 4);
    try_programs((struct size){.one = 4, .other = 2, .kinds = 4}, is_long ? 1 : 11, 4);
    try_programs((struct size){.one = 4, .other = 3, .kinds = 4}, is_long ? 1 : 101, 4);
}

/* The smallest case that couples of neighbouring accesses miss: W x and W y belong together, with a
 * read of each between. */
TEST(a_couple_may_have_other_kinds_between)
{
    struct program p = {.counts = {4, 2}};
    static const struct violation_access one[] = {
        {.thread = 1, .which = 0, .is_write = true},
        {.thread = 1, .which = 1},
        {.thread = 1, .which = 0},
        {.thread = 1, .which = 1, .is_write = true},
    };
    for (int i = 0; i < 4; i++) {
        p.threads[0][i].access = one[i];
    }
    p.threads[1][0].access = (struct violation_access){.thread = 2, .which = 0};
    p.threads[1][1].access = (struct violation_access){.thread = 2, .which = 1};
    CHECK(try_program(&p));
}
