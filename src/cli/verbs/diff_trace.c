/* The traces that clew diff compares. */
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "cli/input/trace_input.h"
#include "cli/verbs/diff_parts.h"
#include "order/cause.h"
#include "trace/kind_table.h"
#include "trace/name_scope.h"

/* Names of messages count them (n1>n2/vote#3); where one is missing, those behind it have other
 * numbers and are the same all the same. */
static size_t size_without_number(const char *text)
{
    const char *number = strrchr(text, '#');
    const bool is_number = number != NULL && number[1] != '\0' &&
                           strspn(number + 1, "0123456789") == strlen(number + 1);
    return is_number ? (size_t)(number - text) : strlen(text);
}

static void print_task(const struct trace *t, uint32_t number, struct out *out)
{
    const struct task *task = &t->tables.tasks.at[number];
    out_text(out, trace_name(t, task->name));
    if (task->node != 0) {
        out_format(out, "@%s", trace_name(t, task->node));
    }
}

/* Its operation, without the number of its message. */
static void print_what(const struct trace *t, const struct event *event, bool has_number,
                       struct out *out)
{
    const struct kind *kind = kind_of(event->kind);
    /* That a plain access belongs to an update is a note for the race analysis. */
    const bool has_mode = kind->class != CLASS_ACCESS || event->mode == ACCESS_CONDITIONAL;
    const char *mode = has_mode ? mode_name(kind->modes, event->mode) : NULL;
    const char *object = trace_name(t, event->object);
    const bool has_peer = (event->has & HAS_PEER) != 0;
    const char *message = has_peer ? "" : trace_name(t, event->message); /* one field is both */
    out_text(out, kind->name);
    if (*object != '\0') {
        out_format(out, " %s", object);
    }
    if (mode != NULL) {
        out_format(out, " mode=%s", mode);
    }
    if (*message != '\0') {
        const size_t size = has_number ? strlen(message) : size_without_number(message);
        out_text(out, " ");
        out_bytes(out, message, size);
    }
    if (has_peer) {
        out_text(out, " ");
        print_task(t, event->peer, out);
    }
    if (event->kind == EVENT_FILE_RENAME) {
        out_format(out, " to %s", trace_name(t, event->text));
    }
}

/* Whether it makes a difference which of two such events of one object comes first. Accesses of a
 * recording are not in the order they had. */
static bool is_order_known(const struct trace *t, const struct event *event)
{
    switch (event->kind) {
    case EVENT_LOCK:
    case EVENT_WAIT_BEGIN:
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
    case EVENT_SEM_POST:
    case EVENT_SEM_WAIT:
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW: return true;
    case EVENT_READ:
    case EVENT_WRITE:
    case EVENT_FREE: return t->tables.order != ORDER_STAMPED;
    default: return false;
    }
}

static bool is_read(const struct event *event)
{
    return event->kind == EVENT_READ || event->kind == EVENT_ATOMIC_LOAD ||
           (event->kind == EVENT_LOCK && lock_mode_is_shared(event->mode));
}

/* Whose the object is, too: names are those of a node, but for locks of several processes, where
 * the order of all nodes is known. */
static void print_object(const struct trace *t, const struct event *event, struct out *out)
{
    const bool is_everywhere = event->kind == EVENT_LOCK && t->tables.order != ORDER_NODE &&
                               lock_mode_is_across_processes(event->mode);
    const bool is_whole = is_everywhere || scope_is_whole(&t->tables.names, event->object);
    out_format(out, "%s@%s", trace_name(t, event->object),
               is_whole ? "" : trace_name(t, trace_node_of(t, event)));
}

/* Texts of one event, of any length. */
struct event_texts {
    struct out strand, what, shown, object;
};

static void begin_text(struct out *out)
{
    out->used = 0;
}

static void print_texts(struct event_texts *x, const struct trace *t, const struct event *event)
{
    begin_text(&x->strand);
    print_task(t, event->task, &x->strand);
    begin_text(&x->what);
    print_what(t, event, false, &x->what);
    begin_text(&x->shown);
    print_what(t, event, true, &x->shown);
    begin_text(&x->object);
    print_object(t, event, &x->object);
    out_char(&x->strand, '\0');
    out_char(&x->what, '\0');
    out_char(&x->shown, '\0');
    out_char(&x->object, '\0');
}

/* By operation and object: an order that both sides have. */
static int compare_accesses(const void *left, const void *right, const void *context)
{
    const struct trace *t = context;
    const struct event *a = &t->events.at[*(const event_id *)left];
    const struct event *b = &t->events.at[*(const event_id *)right];
    const int order = strcmp(trace_name(t, a->object), trace_name(t, b->object));
    return order != 0 ? order : (int)a->kind - (int)b->kind;
}

/* The accesses of a task since it did anything else, and where they are listed. */
struct accesses {
    VEC(event_id) slots;
};

/* They take each other's places. */
static void sort_accesses(struct accesses *a, const struct trace *t, event_id *listed)
{
    VEC(event_id) sorted = {0};
    vec_each (&a->slots, slot) {
        vec_push(&sorted, *slot);
    }
    sort_stable(sorted.at, sorted.count, sizeof *sorted.at, compare_accesses, t);
    for (size_t i = 0; i < sorted.count; i++) {
        listed[a->slots.at[i]] = sorted.at[i];
    }
    vec_release(&sorted);
    vec_clear(&a->slots);
}

/* The events as they are compared. A recording lists the accesses of a task between two other
 * events of it in any order: here it is the same for equal ones. */
static const event_id *list_events(const struct trace *t, struct arena *arena)
{
    const size_t task_count = t->tables.tasks.count;
    event_id *listed = arena_array(arena, event_id, t->events.count + 1);
    struct accesses *of = mem_zero(task_count + 1, sizeof *of);
    for (event_id i = 0; i < t->events.count; i++) {
        const struct event *event = &t->events.at[i];
        listed[i] = i;
        if (t->tables.order == ORDER_STAMPED && event_class(event) == CLASS_ACCESS) {
            vec_push(&of[event->task].slots, i);
        } else {
            sort_accesses(&of[event->task], t, listed);
        }
    }
    for (size_t i = 0; i < task_count; i++) {
        sort_accesses(&of[i], t, listed);
        vec_release(&of[i].slots);
    }
    mem_free(of);
    return listed;
}

static void add_events(struct comparison *c, enum align_side side, const struct trace *t)
{
    struct arena arena = {0};
    struct event_texts x;
    const event_id *cause_of = causes_build(t, &arena);
    const event_id *listed = list_events(t, &arena);
    out_open_memory(&x.strand);
    out_open_memory(&x.what);
    out_open_memory(&x.shown);
    out_open_memory(&x.object);
    for (event_id i = 0; i < t->events.count; i++) {
        const event_id id = listed[i];
        const struct event *event = &t->events.at[id];
        const bool has_object = event->object != 0 && is_order_known(t, event);
        print_texts(&x, t, event);
        alignment_add(&c->alignment, side,
                      &(struct act_made){.strand = x.strand.buffer,
                                         .what = x.what.buffer,
                                         .shown = x.shown.buffer,
                                         .index = id,
                                         .has_cause = cause_of[id] != EVENT_NONE,
                                         .cause = cause_of[id],
                                         .object = has_object ? x.object.buffer : NULL,
                                         .is_read = is_read(event)});
    }
    out_abandon(&x.strand);
    out_abandon(&x.what);
    out_abandon(&x.shown);
    out_abandon(&x.object);
    arena_release(&arena);
}

int comparison_add_trace(struct comparison *c, enum align_side side, struct err *e)
{
    struct reading r;
    int result = reading_open_one(&r, c->session, side, e);
    if (result < 0) {
        return result;
    }
    result = reading_load(&r, e);
    if (result == 0) {
        add_events(c, side, &r.trace);
        reading_warn(&r);
    }
    c->is_cut |= r.is_cut;
    reading_close(&r);
    return result;
}
