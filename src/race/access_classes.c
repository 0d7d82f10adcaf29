#include "race/access_classes.h"

#include <inttypes.h>

#include "order/bucket.h"
#include "order/event_notes.h"
#include "race/scoped_ids.h"
#include "race/triple_map.h"
#include "wire/must.h"

struct build {
    const struct trace *t;
    const struct access_filter *f;
    struct scoped variable_of;
    struct triples class_of; /* (variable, task, place and kind) */
    VEC(struct access_variable) variables;
    VEC(struct access_class) classes;
    struct bucket_items items; /* by class */
    struct name_glob variable;
};

static bool has_time(const struct event *e)
{
    return (e->has & HAS_TIME) != 0 && e->time != 0;
}

bool access_is_in_span(const struct access_filter *f, const struct event *e)
{
    return !has_time(e) ||
           ((!f->has_since || e->time >= f->since) && (!f->has_until || e->time <= f->until));
}

void access_note_unmet(const struct name_glob *p, const struct names *names, struct notes *n)
{
    const char *nearest = name_glob_nearest(p, names);
    if (nearest == NULL) {
        notes_add(n, "", "no variable is called '%.80s'", p->text);
    } else {
        notes_add(n, "", "no variable is called '%.80s', did you mean %.80s?", p->text, nearest);
    }
}

static void note_span(const struct access_filter *f, const struct trace *t, struct notes *n)
{
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
    bool is_met = false;
    bool has_access = false; /* with a time */
    trace_each (t, e) {
        if (has_time(e)) {
            has_access = has_access || access_is_plain(e) || access_is_atomic(e);
            first = e->time < first ? e->time : first;
            last = e->time > last ? e->time : last;
            is_met = is_met || access_is_in_span(f, e);
        }
    }
    if (first > last) {
        notes_add(n, "", "no event has a time: none is left out for its time");
    } else if (!is_met) {
        notes_add(n, "", "no event has a time in that span: they are from %" PRId64 " to %" PRId64,
                  first, last);
    } else if (!has_access) {
        notes_add(n, "", "no access has a time: none is left out for its time");
    }
}

const char *access_verb(uint16_t kind)
{
    return kind == EVENT_WRITE          ? "written"
           : kind == EVENT_ATOMIC_LOAD  ? "read atomically"
           : kind == EVENT_ATOMIC_STORE ? "written atomically"
           : kind == EVENT_ATOMIC_RMW   ? "changed atomically"
                                        : "read";
}

static void note_variable(const struct access_filter *f, const struct trace *t, struct notes *n)
{
    struct name_glob p = {.text = f->variable};
    trace_each (t, e) {
        if (access_is_plain(e) || access_is_atomic(e)) {
            (void)name_glob_matches(&p, &t->tables.names, e->object);
        }
    }
    if (!p.is_met) {
        access_note_unmet(&p, &t->tables.names, n);
    }
    name_glob_release(&p);
}

static void note_unnamed(const struct trace *t, struct notes *n)
{
    uint64_t count = 0;
    event_id first = EVENT_NONE;
    for (event_id id = 0; id < t->events.count; id++) {
        if (access_is_plain(&t->events.at[id]) && t->events.at[id].object == 0) {
            first = count++ == 0 ? id : first;
        }
    }
    if (count > 0) {
        char place[sizeof((struct note *)NULL)->place];
        remark_place(place, sizeof place, t, first);
        notes_add_many(n, count, place, ACCESS_UNNAMED);
    }
}

void access_note_odd(const struct access_filter *f, const struct trace *t, struct notes *n)
{
    note_unnamed(t, n);
    if (f->has_since || f->has_until) {
        note_span(f, t, n);
    }
    if (f->variable != NULL) {
        note_variable(f, t, n);
    }
}

static bool is_wanted(struct build *b, uint32_t name)
{
    return b->f->variable == NULL || name_glob_matches(&b->variable, &b->t->tables.names, name);
}

static void collect(struct build *b, event_id id)
{
    const struct event *e = &b->t->events.at[id];
    const uint32_t node = trace_node_of(b->t, e);
    const uint32_t variable = scoped_number(&b->variable_of, &b->t->tables.names, node, e->object);
    if (variable == b->variables.count) {
        vec_push(&b->variables, (struct access_variable){.node = node, .name = e->object});
    }
    must(e->location < UINT32_MAX / 8);
    uint32_t *class = triples_slot(&b->class_of, variable, e->task, access_place(e));
    if (*class == TRIPLE_ABSENT) {
        *class = (uint32_t)b->classes.count;
        vec_push(&b->classes, (struct access_class){.variable = variable,
                                                    .task = e->task,
                                                    .location = e->location,
                                                    .is_write = history_is_write(access_place(e)),
                                                    .is_atomic = access_is_atomic(e)});
        b->variables.at[variable].count++;
    }
    bucket_add(&b->items, *class, id);
}

/* Brings the classes of a variable together, and the events of each class. */
static void lay_out(struct accesses *a, struct build *b, struct arena *arena)
{
    const uint32_t class_count = (uint32_t)b->classes.count;
    const struct buckets sorted = buckets_sort(&b->items, class_count, arena);
    struct access_variable *variables =
        arena_array(arena, struct access_variable, b->variables.count + 1);
    struct access_class *classes = arena_array(arena, struct access_class, class_count + 1);
    uint32_t first = 0;
    for (size_t i = 0; i < b->variables.count; i++) {
        variables[i] = b->variables.at[i];
        variables[i].first = first;
        first += variables[i].count;
        variables[i].count = 0;
    }
    must(first == class_count);
    must(sorted.first[class_count] == b->items.list.count);
    for (uint32_t i = 0; i < class_count; i++) {
        struct access_variable *v = &variables[b->classes.at[i].variable];
        struct access_class *class = &classes[v->first + v->count++];
        *class = b->classes.at[i];
        class->first = sorted.first[i];
        class->count = sorted.first[i + 1] - sorted.first[i];
    }
    *a = (struct accesses){
        .variables = variables,
        .variable_count = (uint32_t)b->variables.count,
        .classes = classes,
        .class_count = class_count,
        .events = sorted.events,
        .count = b->items.list.count,
    };
}

/* Whether each class has events of its task, as listed, and lies in its variable. */
static bool are_sorted(const struct accesses *a, const struct trace *t)
{
    for (uint32_t c = 0; c < a->class_count; c++) {
        const struct access_class *class = &a->classes[c];
        const event_id *events = a->events + class->first;
        const uint32_t first = a->variables[class->variable].first;
        if (c < first || c - first >= a->variables[class->variable].count) {
            return false;
        }
        for (uint32_t i = 0; i < class->count; i++) {
            if (t->events.at[events[i]].task != class->task ||
                (i > 0 && events[i - 1] >= events[i])) {
                return false;
            }
        }
    }
    return true;
}

void accesses_build(struct accesses *a, const struct trace *t, const struct access_filter *f,
                    struct arena *arena)
{
    struct build b = {.t = t, .f = f, .variable = {.text = f->variable}};
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = &t->events.at[id];
        const bool is_access = access_is_plain(e) || (access_is_atomic(e) && !f->skips_atomic);
        if (is_access && e->object != 0 && access_is_in_span(f, e) &&
            !(f->dropped != NULL && bits_has(*f->dropped, id)) && is_wanted(&b, e->object)) {
            collect(&b, id);
        }
    }
    lay_out(a, &b, arena);
    must_in_tests(are_sorted(a, t));
    scoped_release(&b.variable_of);
    triples_release(&b.class_of);
    vec_release(&b.variables);
    vec_release(&b.classes);
    vec_release(&b.items.list);
    name_glob_release(&b.variable);
}

/* Accesses by kind. */
struct kind_counts {
    uint64_t reads, writes, atomic_reads, atomic_writes;
};

static void count_class(struct kind_counts *k, const struct access_class *class)
{
    uint64_t *count = class->is_atomic ? (class->is_write ? &k->atomic_writes : &k->atomic_reads)
                                       : (class->is_write ? &k->writes : &k->reads);
    *count += class->count;
}

/* How many pairs of them clash. */
static uint64_t clash_count(const struct kind_counts *k)
{
    const uint64_t both_write = k->writes == 0 ? 0 : k->writes * (k->writes - 1) / 2;
    return both_write + k->writes * (k->reads + k->atomic_reads + k->atomic_writes) +
           k->reads * k->atomic_writes;
}

uint64_t access_candidate_count(const struct accesses *a, uint32_t variable, size_t task_count)
{
    struct arena scratch = {0};
    const struct access_variable *v = &a->variables[variable];
    struct kind_counts all = {0};
    struct kind_counts *by_task = arena_array(&scratch, struct kind_counts, task_count + 1);
    for (uint32_t i = v->first; i < v->first + v->count; i++) {
        count_class(&all, &a->classes[i]);
        count_class(&by_task[a->classes[i].task], &a->classes[i]);
    }
    uint64_t own = 0;
    for (size_t task = 0; task < task_count; task++) {
        own += clash_count(&by_task[task]);
    }
    arena_release(&scratch);
    must(own <= clash_count(&all));
    return clash_count(&all) - own;
}
