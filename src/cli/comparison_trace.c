/* The traces that clew diff compares. */
#include <stdio.h>
#include <string.h>

#include "cli/comparison_parts.h"
#include "cli/reading.h"
#include "order/cause.h"
#include "trace/kind.h"

/* Names of messages count them (n1>n2/vote#3); where one is missing, those behind it have other
 * numbers and are the same all the same. */
static size_t size_without_number(const char *text)
{
    const char *number = strrchr(text, '#');
    const bool is_number = number != NULL && number[1] != '\0' &&
                           strspn(number + 1, "0123456789") == strlen(number + 1);
    return is_number ? (size_t)(number - text) : strlen(text);
}

static void task_text(const struct trace *t, uint32_t number, char *text, size_t size)
{
    const struct task *task = &t->tables.tasks.at[number];
    (void)snprintf(text, size, "%s%s%s", trace_name(t, task->name), task->node == 0 ? "" : "@",
                   trace_name(t, task->node));
}

/* What it does; without the number, whichever time it is. */
static void event_text(const struct trace *t, const struct event *event, bool has_number,
                       char *text, size_t size)
{
    char peer[TEXT_SIZE / 4] = "";
    if ((event->has & HAS_PEER) != 0) {
        task_text(t, event->peer, peer, sizeof peer);
    }
    const char *rest = (event->has & HAS_PEER) != 0 ? peer : trace_name(t, event->message);
    const char *object = trace_name(t, event->object);
    const size_t rest_size = has_number ? strlen(rest) : size_without_number(rest);
    (void)snprintf(text, size, "%s%s%s%s%.*s", kind_of(event->kind)->name, *object == 0 ? "" : " ",
                   object, *rest == 0 ? "" : " ", (int)rest_size, rest);
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

/* Whose the object is, too: names are those of a node, but for locks of several processes. */
static void object_text(const struct trace *t, const struct event *event, char *text, size_t size)
{
    const bool is_everywhere =
        event->kind == EVENT_LOCK && lock_mode_is_across_processes(event->mode);
    (void)snprintf(text, size, "%s@%s", trace_name(t, event->object),
                   is_everywhere ? "" : trace_name(t, trace_node_of(t, event)));
}

static void add_events(struct comparison *c, enum align_side side, const struct trace *t)
{
    struct arena arena = {0};
    const event_id *cause_of = causes_build(t, &arena);
    for (uint32_t i = 0; i < t->events.count; i++) {
        const struct event *event = &t->events.at[i];
        char strand[TEXT_SIZE];
        char what[TEXT_SIZE];
        char shown[TEXT_SIZE];
        char object[TEXT_SIZE];
        task_text(t, event->task, strand, sizeof strand);
        event_text(t, event, false, what, sizeof what);
        event_text(t, event, true, shown, sizeof shown);
        object_text(t, event, object, sizeof object);
        alignment_add(&c->alignment, side,
                      &(struct act_made){.strand = strand,
                                         .what = what,
                                         .shown = shown,
                                         .index = i,
                                         .has_cause = cause_of[i] != EVENT_NONE,
                                         .cause = cause_of[i],
                                         .object = is_order_known(t, event) ? object : NULL,
                                         .is_read = is_read(event)});
    }
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
