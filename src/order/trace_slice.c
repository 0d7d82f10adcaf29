#include "order/trace_slice.h"

#include "base/bits.h"
#include "order/hb.h"
#include "wire/kind.h"

void slice_filter_init(struct slice_filter *f, const struct slice_options *o,
                       const struct tables *tables)
{
    *f = (struct slice_filter){
        .options = o,
        .tables = tables,
        .nodes = {.text = o->node},
        .objects = {.text = o->object},
    };
}

static bool node_is_kept(struct slice_filter *f, const struct event *e)
{
    return f->nodes.text == NULL ||
           name_glob_matches(&f->nodes, &f->tables->names, f->tables->tasks.at[e->task].node);
}

static bool object_is_kept(struct slice_filter *f, const struct event *e)
{
    const struct names *names = &f->tables->names;
    const bool is_wait = e->kind == EVENT_WAIT_BEGIN || e->kind == EVENT_WAIT_END;
    return f->objects.text == NULL || name_glob_matches(&f->objects, names, e->object) ||
           (is_wait && name_glob_matches(&f->objects, names, e->text));
}

static bool time_is_kept(struct slice_filter *f, const struct event *e)
{
    const struct slice_options *o = f->options;
    if (!o->has_since && !o->has_until) {
        return true;
    }
    vec_reserve(&f->times, (size_t)e->task + 1);
    while (f->times.count <= e->task) {
        vec_push(&f->times, INT64_MIN); /* before its first time a task is at the beginning */
    }
    int64_t *now = &f->times.at[e->task];
    if ((e->has & HAS_TIME) != 0 && e->time != 0) { /* 0 among real times is none */
        *now = e->time;
    }
    return !(o->has_since && *now < o->since) && !(o->has_until && *now > o->until);
}

bool slice_keeps(struct slice_filter *f, const struct event *e)
{
    /* Every condition is evaluated: each also updates its state from events that another drops. */
    const bool node = node_is_kept(f, e);
    const bool object = object_is_kept(f, e);
    const bool time = time_is_kept(f, e);
    return node && object && time;
}

static int refuse(const struct slice_filter *f, const struct name_glob *p, const char *what,
                  struct err *e)
{
    const char *nearest = name_glob_nearest(p, &f->tables->names);
    return nearest == NULL
               ? err_set(e, "no event is %s '%.80s' (see clew info)", what, p->text)
               : err_set(e, "no event is %s '%.80s', did you mean %.80s?", what, p->text, nearest);
}

int slice_filter_end(struct slice_filter *f, struct err *e)
{
    if (f->nodes.text != NULL && !f->nodes.is_met) {
        return refuse(f, &f->nodes, "of a node", e);
    }
    if (f->objects.text != NULL && !f->objects.is_met) {
        return refuse(f, &f->objects, "about an object", e);
    }
    return 0;
}

void slice_filter_release(struct slice_filter *f)
{
    name_glob_release(&f->nodes);
    name_glob_release(&f->objects);
    vec_release(&f->times);
}

/* The past by the vector clock of the event: a number of events of each task. */
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
        if (id == o->event || hb_is_before(&hb, id, o->event)) {
            bits_add(kept, id);
        }
    }
    hb_release(&hb);
    return 0;
}

int slice_build(struct slice *s, const struct trace *t, const struct slice_options *o,
                struct notes *n, struct err *e)
{
    struct arena scratch = {0};
    struct slice_filter filter;
    slice_filter_init(&filter, o, &t->tables);
    const struct bits past = bits_take(&scratch, t->events.count + 1);
    int result = o->event == EVENT_NONE ? 0 : keep_past(past, t, o, n, e);
    for (event_id id = 0; result == 0 && id < t->events.count; id++) {
        const bool is_kept = slice_keeps(&filter, trace_at(t, id));
        if (is_kept && (o->event == EVENT_NONE || bits_has(past, id))) {
            vec_push(&s->events, id);
        }
    }
    if (result == 0) {
        result = slice_filter_end(&filter, e);
    }
    slice_filter_release(&filter);
    arena_release(&scratch);
    return result;
}

void slice_release(struct slice *s)
{
    vec_release(&s->events);
}
