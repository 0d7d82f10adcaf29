#include "order/slice.h"

#include <string.h>

#include "base/bits.h"
#include "order/hb.h"
#include "wire/kind.h"

/* The past as the clock of the event tells it: so many events of each task. */
static int keep_past(struct bits kept, const struct trace *t, const struct slice_options *o,
                     struct notes *n, struct err *e)
{
    if (o->event >= t->events.count) {
        return err_set(e, "event %u is beyond the trace, which has %zu", o->event, t->events.count);
    }
    struct hb hb;
    const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_ALL, .given = o->given};
    if (hb_build(&hb, t, &options, n, e) < 0) {
        return -1;
    }
    for (event_id id = 0; id < t->events.count; id++) {
        if (id != o->event && !hb_is_before(&hb, id, o->event)) {
            bits_remove(kept, id);
        }
    }
    hb_release(&hb);
    return 0;
}

static int keep_node(struct bits kept, const struct trace *t, const char *node, struct err *e)
{
    const uint32_t name = names_find(&t->tables.names, node, strlen(node));
    bool is_there = false;
    for (event_id id = 0; id < t->events.count; id++) {
        const bool is_of_node = trace_node_of(t, &t->events.at[id]) == name;
        is_there |= is_of_node;
        if (!is_of_node) {
            bits_remove(kept, id);
        }
    }
    return is_there ? 0 : err_set(e, "no event is of a node '%s' (see clew info)", node);
}

static int keep_object(struct bits kept, const struct trace *t, const char *object, struct err *e)
{
    const uint32_t name = names_find(&t->tables.names, object, strlen(object));
    bool is_there = false;
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *ev = &t->events.at[id];
        const bool is_wait = ev->kind == EVENT_WAIT_BEGIN || ev->kind == EVENT_WAIT_END;
        const bool is_about = name != 0 && (ev->object == name || (is_wait && ev->text == name));
        is_there |= is_about;
        if (!is_about) {
            bits_remove(kept, id);
        }
    }
    return is_there ? 0 : err_set(e, "no event is about an object '%s' (see clew info)", object);
}

static void keep_times(struct bits kept, const struct trace *t, const struct slice_options *o,
                       struct arena *scratch)
{
    /* Before its first time a task is taken to be at the beginning. */
    int64_t *now = arena_array(scratch, int64_t, t->tables.tasks.count + 1);
    for (size_t task = 0; task < t->tables.tasks.count; task++) {
        now[task] = INT64_MIN;
    }
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *ev = &t->events.at[id];
        if ((ev->has & HAS_TIME) != 0) {
            now[ev->task] = ev->time;
        }
        if ((o->has_since && now[ev->task] < o->since) ||
            (o->has_until && now[ev->task] > o->until)) {
            bits_remove(kept, id);
        }
    }
}

int slice_build(struct slice *s, const struct trace *t, const struct slice_options *o,
                struct notes *n, struct err *e)
{
    struct arena scratch = {0};
    const struct bits kept = bits_take(&scratch, t->events.count + 1);
    for (event_id id = 0; id < t->events.count; id++) {
        bits_add(kept, id);
    }
    int result = o->event == EVENT_NONE ? 0 : keep_past(kept, t, o, n, e);
    if (result == 0 && o->node != NULL) {
        result = keep_node(kept, t, o->node, e);
    }
    if (result == 0 && o->object != NULL) {
        result = keep_object(kept, t, o->object, e);
    }
    if (result == 0 && (o->has_since || o->has_until)) {
        keep_times(kept, t, o, &scratch);
    }
    for (event_id id = 0; result == 0 && id < t->events.count; id++) {
        if (bits_has(kept, id)) {
            vec_push(&s->events, id);
        }
    }
    arena_release(&scratch);
    return result;
}

void slice_release(struct slice *s)
{
    vec_release(&s->events);
}
