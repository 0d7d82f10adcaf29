/* Every interleaving of two small threads, forced event by event: the engine finds a pattern
 * exactly where the conflicts of the two threads, taken as one region each, form a cycle. */
#include "atomicity/match.h"
#include "test.h"
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

static uint64_t matches_of(const struct violation_access *a, uint32_t count)
{
    struct trace t;
    struct frame f;
    struct notes n = {0};
    struct err e = {0};
    uint64_t found = 0;
    struct matcher matcher;
    write_trace(&t, a, count);
    CHECK_INT(frame_build(&f, &t, &n, &e), 0);
    matcher_init(&matcher, &(struct match_options){
                               .keeps_forced = true, .found = count_match, .context = &found});
    for (uint32_t x = 0; x < f.variables.list.count; x++) {
        struct sketch s;
        sketch_build(&s, &f, x, VARIABLE_NONE);
        match_single(&matcher, &s);
        sketch_release(&s);
    }
    if (f.variables.list.count == 2) {
        struct sketch s;
        sketch_build(&s, &f, 0, 1);
        match_pair(&matcher, &s);
        sketch_release(&s);
    }
    matcher_release(&matcher);
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
    try_all((struct size){.one = 3, .other = 3, .kinds = 4}, test_is_long() ? 1 : 7);
}
