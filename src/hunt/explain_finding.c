#include "hunt/explain_finding.h"

#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/sort.h"
#include "wire/kind.h"

/* The number of events of the same task that are shown before each event of a finding without a
 * witness, of values that are listed, and of events of a witness that rows are made of where not
 * all are asked for: the last ones. */
enum { EVENTS_BEFORE = 3, VALUES_MAX = 10, ROWS_READ = 4000 };

struct explaining {
    const struct finding *finding;
    const struct explain_finding_options *o;
    struct explanation *x;
    struct findings scratch; /* the texts of its events */
    VEC(event_id) events;    /* of the table, in its order */
};

/* The position of an event of the finding in the trace. */
static uint64_t number_of(const struct finding_event *e)
{
    return e->is_joined ? e->number : e->index;
}

static bool is_same_event(const struct finding_event *a, const struct finding_event *b)
{
    return strcmp(a->task, b->task) == 0 && strcmp(a->node, b->node) == 0 &&
           strcmp(a->access, b->access) == 0 && strcmp(a->object, b->object) == 0 &&
           strcmp(a->location, b->location) == 0;
}

static int check_events(struct explaining *g, struct err *e)
{
    const struct finding *f = g->finding;
    for (size_t i = 0; i < f->event_count; i++) {
        const uint64_t number = number_of(&f->events[i]);
        const bool is_there = number < g->o->trace->events.count;
        const struct finding_event own =
            is_there ? findings_event(&g->scratch, g->o->trace, (event_id)number, 0)
                     : (struct finding_event){.task = ""};
        if (!is_there || !is_same_event(&own, &f->events[i])) {
            return err_set(e,
                           "%s: event %llu is not the one of finding %u; the trace has changed "
                           "since: analyse it again",
                           g->o->trace_name, (unsigned long long)number, f->id);
        }
    }
    for (size_t i = 0; i < f->witness_count; i++) {
        if (f->witness[i] >= g->o->trace->events.count) {
            return err_set(e,
                           "%s: there is no event %llu, which the witness of finding %u has; the "
                           "trace has changed since: analyse it again",
                           g->o->trace_name, (unsigned long long)f->witness[i], f->id);
        }
    }
    return 0;
}

/* Choosing the rows */

static bool is_of_finding(const struct explaining *g, event_id id)
{
    for (size_t i = 0; i < g->finding->event_count; i++) {
        if (number_of(&g->finding->events[i]) == id) {
            return true;
        }
    }
    return false;
}

/* Whether a task of the finding does it. */
static bool is_of_its_tasks(const struct explaining *g, event_id id)
{
    const struct trace *t = g->o->trace;
    for (size_t i = 0; i < g->finding->event_count; i++) {
        const event_id own = (event_id)number_of(&g->finding->events[i]);
        if (trace_at(t, own)->task == trace_at(t, id)->task) {
            return true;
        }
    }
    return g->finding->event_count == 0;
}

/* The last events of the witness that the tasks of the finding do. */
static void choose_of_witness(struct explaining *g)
{
    const struct finding *f = g->finding;
    size_t count = 0;
    for (size_t i = 0; i < f->witness_count; i++) {
        count += is_of_its_tasks(g, (event_id)f->witness[i]);
    }
    size_t skipped = g->o->rows_max == 0 || count <= ROWS_READ ? 0 : count - ROWS_READ;
    for (size_t i = 0; i < f->witness_count; i++) {
        const event_id id = (event_id)f->witness[i];
        if (is_of_its_tasks(g, id) && (skipped == 0 || is_of_finding(g, id))) {
            vec_push(&g->events, id);
        } else if (is_of_its_tasks(g, id)) {
            skipped--;
        }
    }
    must(g->events.count <= f->witness_count);
    g->x->omitted_count = f->witness_count - g->events.count;
}

static int compare_ids(const void *left, const void *right, const void *unused)
{
    (void)unused;
    const event_id a = *(const event_id *)left;
    const event_id b = *(const event_id *)right;
    return a < b ? -1 : a > b;
}

/* The events of the finding, each with a few of its task before it, as recorded. */
static void choose_recorded(struct explaining *g)
{
    const struct trace *t = g->o->trace;
    struct map chosen = {0};
    for (size_t i = 0; i < g->finding->event_count; i++) {
        const event_id own = (event_id)number_of(&g->finding->events[i]);
        uint32_t left = EVENTS_BEFORE + 1;
        for (event_id id = own + 1; id-- > 0 && left > 0;) {
            bool is_new = false;
            if (trace_at(t, id)->task != trace_at(t, own)->task) {
                continue;
            }
            left--;
            (void)map_slot(&chosen, id, 1, &is_new);
            if (is_new) {
                vec_push(&g->events, id);
            }
        }
    }
    map_release(&chosen);
    sort_stable(g->events.at, g->events.count, sizeof *g->events.at, compare_ids, NULL);
    must(t->events.count >= g->events.count);
    g->x->omitted_count = t->events.count - g->events.count;
}

/* Rows */

static const char *keep(struct explaining *g, const char *text)
{
    return arena_text(&g->x->arena, text, strlen(text));
}

/* Whether all events of the finding are of one node. */
static bool has_one_node(const struct finding *f)
{
    for (size_t i = 1; i < f->event_count; i++) {
        if (strcmp(f->events[i].node, f->events[0].node) != 0) {
            return false;
        }
    }
    return true;
}

/* "main/1", or "main/1@server" where several nodes take part. */
static const char *column_of(struct explaining *g, const struct finding_event *e)
{
    const bool is_plain = e->node[0] == '\0' || has_one_node(g->finding);
    return is_plain ? e->task : explanation_text(g->x, "%s@%s", e->task, e->node);
}

static const char *verb_of(const char *access)
{
    return strcmp(access, "R") == 0 ? "read" : strcmp(access, "W") == 0 ? "write" : access;
}

static struct explained_row row_of(struct explaining *g, const struct finding_event *e)
{
    const bool has_object = e->object[0] != '\0';
    return (struct explained_row){.number = number_of(e),
                                  .column = explanation_column(g->x, column_of(g, e)),
                                  .operation = explanation_text(g->x, "%s%s%s", verb_of(e->access),
                                                                has_object ? " " : "", e->object),
                                  .location = keep(g, e->location),
                                  .source = keep(g, source_line(g->o->source, e->location)),
                                  .detail = e->stack == NULL || e->stack[0] == '\0'
                                                ? ""
                                                : explanation_text(g->x, "in %s", e->stack)};
}

/* The event that this one follows from: the send of a receive, the creation of a task. */
static void set_from(struct explaining *g, const struct event *e, size_t row_count,
                     struct explained_row *row)
{
    for (size_t i = row_count; i-- > 0;) {
        const struct event *other = trace_at(g->o->trace, g->events.at[i]);
        const bool is_sent = e->kind == EVENT_RECV && other->kind == EVENT_SEND &&
                             other->object == e->object && other->message == e->message;
        const bool is_made = e->kind == EVENT_THREAD_START && other->kind == EVENT_THREAD_CREATE &&
                             other->peer == e->task;
        if (is_sent || is_made) {
            row->has_from = true;
            row->from = g->x->rows.at[i].column;
            return;
        }
    }
}

static void add_rows(struct explaining *g)
{
    for (size_t i = 0; i < g->events.count; i++) {
        const event_id id = g->events.at[i];
        const struct event *e = trace_at(g->o->trace, id);
        const struct finding_event words = findings_event(&g->scratch, g->o->trace, id, 0);
        struct explained_row row = row_of(g, &words);
        row.is_key = is_of_finding(g, id);
        row.is_switch = i > 0 && trace_at(g->o->trace, g->events.at[i - 1])->task != e->task;
        set_from(g, e, i, &row);
        vec_push(&g->x->rows, row);
    }
    must(g->x->rows.count == g->events.count);
    if (g->o->rows_max > 0) {
        explanation_cut(g->x, g->o->rows_max);
    }
}

/* Without a trace, only the events that the finding itself describes. */
static void add_described(struct explaining *g)
{
    for (size_t i = 0; i < g->finding->event_count; i++) {
        struct explained_row row = row_of(g, &g->finding->events[i]);
        row.is_key = true;
        row.is_switch = i > 0 && row.column != g->x->rows.at[i - 1].column;
        vec_push(&g->x->rows, row);
    }
}

/* The recorded run beside the witness */

static const char *event_words(struct explaining *g, event_id id)
{
    const struct finding_event e = findings_event(&g->scratch, g->o->trace, id, 0);
    return explanation_text(g->x, "event %u (%s %s%s%s%s%s)", id, column_of(g, &e),
                            verb_of(e.access), e.object[0] == '\0' ? "" : " ", e.object,
                            e.location[0] == '\0' ? "" : " at ", e.location);
}

/* The events of the witness in recorded order; the first position where the witness differs. */
static void add_parting(struct explaining *g)
{
    const struct finding *f = g->finding;
    VEC(event_id) recorded = {0};
    for (size_t i = 0; i < f->witness_count; i++) {
        vec_push(&recorded, (event_id)f->witness[i]);
    }
    sort_stable(recorded.at, recorded.count, sizeof *recorded.at, compare_ids, NULL);
    size_t at = 0;
    while (at < f->witness_count && recorded.at[at] == f->witness[at]) {
        at++;
    }
    g->x->passing =
        at == f->witness_count
            ? "the recorded run: the witness keeps its order"
            : explanation_text(g->x,
                               "the recorded run: both have %zu event%s of the witness in one "
                               "order; then the recorded run has %s, the witness %s",
                               at, at == 1 ? "" : "s", event_words(g, recorded.at[at]),
                               event_words(g, (event_id)f->witness[at]));
    vec_release(&recorded);
}

/* Values */

static bool reads(const struct event *e)
{
    return e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_LOAD || e->kind == EVENT_ATOMIC_RMW;
}

static bool writes(const struct event *e)
{
    return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

/* Goes over events in an order and keeps, for each read, the last write to its object. */
static void follow(const struct explaining *g, event_id id, struct map *last, struct map *seen)
{
    const struct event *e = trace_at(g->o->trace, id);
    const uint64_t object = map_pair(trace_node_of(g->o->trace, e), e->object);
    if (reads(e)) {
        const uint32_t *write = map_get(last, object);
        map_put(seen, id, write == NULL ? EVENT_NONE : *write);
    }
    if (writes(e)) {
        map_put(last, object, id);
    }
}

static const char *write_words(struct explaining *g, event_id write)
{
    return write == EVENT_NONE ? "the initial value" : event_words(g, write);
}

/* Reads that see another write in the witness than in the recorded run, which must be exact: of
 * other traces, the write that a read saw is not always known. */
static void add_values(struct explaining *g)
{
    const struct finding *f = g->finding;
    const struct trace *t = g->o->trace;
    struct map last = {0};
    struct map recorded = {0};
    struct map shown = {0};
    for (event_id id = 0; id < t->events.count; id++) {
        follow(g, id, &last, &recorded);
    }
    map_clear(&last);
    for (size_t i = 0; i < f->witness_count; i++) {
        follow(g, (event_id)f->witness[i], &last, &shown);
    }
    vec_each (&shown.entries, entry) {
        const uint32_t *own = map_get(&recorded, entry->key);
        must(own != NULL);
        if (*own != entry->value && g->x->values.count < VALUES_MAX) {
            vec_push(&g->x->values,
                     (struct explained_value){event_words(g, (event_id)entry->key),
                                              write_words(g, entry->value), write_words(g, *own)});
        }
    }
    map_release(&last);
    map_release(&recorded);
    map_release(&shown);
}

static int explain_in_trace(struct explaining *g, struct err *e)
{
    const struct finding *f = g->finding;
    if (check_events(g, e) < 0) {
        return -1;
    }
    if (f->witness != NULL) {
        choose_of_witness(g);
        add_parting(g);
        if (g->o->trace->tables.order == ORDER_EXACT) {
            add_values(g);
        }
    } else {
        choose_recorded(g);
        g->x->passing = "unknown: the finding has no witness, so the events are in recorded order "
                        "(repeat the analysis with --witness)";
    }
    add_rows(g);
    return 0;
}

int explain_finding(const struct finding *f, const struct explain_finding_options *o,
                    struct explanation *x, struct err *e)
{
    struct explaining g = {.finding = f, .o = o, .x = x};
    const char *grade = finding_grade_name(f->grade);
    x->title =
        explanation_text(x, "%u. %s%s%s%s: %s", f->id, finding_kind_name(f->kind),
                         grade[0] == '\0' ? "" : " (", grade, grade[0] == '\0' ? "" : ")", f->what);
    x->row_noun = "event";
    x->replay = f->replay == NULL ? NULL : keep(&g, f->replay);
    explanation_add_lines(x, &x->order, f->why == NULL ? "" : f->why);
    int result = 0;
    if (o->trace != NULL) {
        result = explain_in_trace(&g, e);
    } else {
        add_described(&g);
        x->passing = "unknown: the finding comes without a trace file, so only its own events are "
                     "shown";
    }
    vec_release(&g.events);
    findings_release(&g.scratch);
    return result;
}
