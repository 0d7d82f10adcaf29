#include "random_recording.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "order/object_key.h"
#include "shrink.h"
#include "trace/kind_table.h"

static bool is_plain(const struct event *e)
{
    return e->kind == EVENT_READ || e->kind == EVENT_WRITE;
}

uint32_t *recording_epochs(const struct trace *t)
{
    uint32_t *epoch = mem_zero(t->events.count + 1, sizeof *epoch);
    uint32_t *now = mem_zero(t->tables.tasks.count + 1, sizeof *now);
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        now[e->task] += !is_plain(e);
        epoch[id] = now[e->task];
    }
    mem_free(now);
    return epoch;
}

/* ---- events left out ---- */

/* A variable as the recorder knows it. */
struct word {
    bool is_used, is_shared;
    uint32_t owner;
    event_id last_read, last_write; /* of the owner */
};

typedef VEC(struct word) word_list;

static struct word *word_of(word_list *words, struct map *number_of, const struct trace *t,
                            const struct event *e)
{
    bool is_new = false;
    const uint32_t number =
        *map_slot(number_of, scope_name(t, e, e->object), (uint32_t)words->count, &is_new);
    if (is_new) {
        vec_push(words, (struct word){.last_read = EVENT_NONE, .last_write = EVENT_NONE});
    }
    return &words->at[number];
}

static void share(struct word *w, bool *is_kept)
{
    if (!w->is_shared && w->last_read != EVENT_NONE) {
        is_kept[w->last_read] = true;
    }
    if (!w->is_shared && w->last_write != EVENT_NONE) {
        is_kept[w->last_write] = true;
    }
    w->is_used = true;
    w->is_shared = true;
}

/* Leaves a trail where the task owns the word; false where the access is to a shared one. */
static bool leaves_trail(struct word *w, const struct event *e, event_id id, bool *is_kept)
{
    if (!w->is_used) {
        *w = (struct word){
            .is_used = true, .owner = e->task, .last_read = EVENT_NONE, .last_write = EVENT_NONE};
    }
    if (!w->is_shared && w->owner != e->task) {
        share(w, is_kept);
    }
    if (w->is_shared) {
        return false;
    }
    *(e->kind == EVENT_READ ? &w->last_read : &w->last_write) = id;
    return true;
}

/* Whether this is the first access of its task to the word from its place in its epoch. */
static bool is_first(const struct trace *t, const uint32_t *epoch, event_id id)
{
    const struct event *e = trace_at(t, id);
    for (event_id i = id; i-- > 0;) {
        const struct event *before = trace_at(t, i);
        if (before->task == e->task && epoch[i] == epoch[id] && before->kind == e->kind &&
            before->object == e->object && before->location == e->location) {
            return false;
        }
    }
    return true;
}

static bool *choose_kept(const struct trace *t, enum recording_filter filter)
{
    bool *is_kept = mem_zero(t->events.count + 1, sizeof *is_kept);
    uint32_t *epoch = recording_epochs(t);
    word_list words = {0};
    struct map number_of = {0};
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        if (event_class(e) == CLASS_ATOMIC && filter == RECORDING_OWNED) {
            share(word_of(&words, &number_of, t, e), is_kept);
        }
        if (!is_plain(e) || filter == RECORDING_ALL) {
            is_kept[id] = true;
        } else if (filter == RECORDING_SITES ||
                   !leaves_trail(word_of(&words, &number_of, t, e), e, id, is_kept)) {
            is_kept[id] = is_first(t, epoch, id);
        }
    }
    vec_release(&words);
    map_release(&number_of);
    mem_free(epoch);
    return is_kept;
}

/* ---- the merge ---- */

/* The position of an event: after so many events of other kinds; random among equals. */
struct place {
    uint32_t behind, draw;
    event_id event;
};

static int compare_places(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct place *a = left;
    const struct place *b = right;
    int order = (a->behind > b->behind) - (a->behind < b->behind);
    order = order != 0 ? order : (a->draw > b->draw) - (a->draw < b->draw);
    return order != 0 ? order : (a->event > b->event) - (a->event < b->event);
}

/* Draws, for each event, its place among those of other kinds: an access not before the one drawn
 * for the access before it in its task, nor behind the task's next event of another kind. */
static void draw_places(const struct trace *t, struct prng *prng, struct place *places)
{
    const size_t task_count = t->tables.tasks.count;
    uint32_t *number = mem_zero(t->events.count + 1, sizeof *number);
    uint32_t *most = mem_zero(t->events.count + 1, sizeof *most);
    uint32_t *next = mem_zero(task_count + 1, sizeof *next);
    struct place *last = mem_zero(task_count + 1, sizeof *last);
    uint32_t count = 0;
    for (event_id id = 0; id < t->events.count; id++) {
        count += !is_plain(trace_at(t, id));
        number[id] = count;
    }
    for (size_t i = 0; i < task_count; i++) {
        next[i] = count;
    }
    /* A task that begins with an access begins no earlier than it did: after its creation. */
    for (event_id id = (event_id)t->events.count; id-- > 0;) {
        const struct event *e = trace_at(t, id);
        last[e->task].behind = number[id];
        most[id] = next[e->task];
        next[e->task] = is_plain(e) ? next[e->task] : number[id] - 1;
    }
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        struct place *before = &last[e->task];
        struct place own = {.behind = number[id], .event = id};
        if (is_plain(e)) {
            const uint32_t range = most[id] - before->behind + 1;
            own.behind = before->behind + (uint32_t)prng_below(prng, range);
            own.draw = (uint32_t)prng_below(prng, 1000) + 1;
            own.draw += own.behind == before->behind ? before->draw : 0;
        }
        places[id] = own;
        *before = own;
    }
    mem_free(number);
    mem_free(most);
    mem_free(next);
    mem_free(last);
}

void recording_of(struct recording *r, const struct trace *exact, struct prng *prng,
                  enum recording_filter filter)
{
    *r = (struct recording){0};
    trace_copy_tables(&r->trace, exact);
    r->trace.tables.order = ORDER_STAMPED;
    bool *is_kept = choose_kept(exact, filter);
    struct place *places = mem_zero(exact->events.count + 1, sizeof *places);
    draw_places(exact, prng, places);
    sort_stable(places, exact->events.count, sizeof *places, compare_places, NULL);
    for (size_t i = 0; i < exact->events.count; i++) {
        if (is_kept[places[i].event]) {
            trace_append(&r->trace, trace_at(exact, places[i].event));
            vec_push(&r->source, places[i].event);
        }
    }
    trace_seal(&r->trace);
    mem_free(places);
    mem_free(is_kept);
}

void recording_release(struct recording *r)
{
    trace_release(&r->trace);
    vec_release(&r->source);
}
