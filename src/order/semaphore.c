#include "order/semaphore.h"

#include "base/map.h"
#include "order/object_key.h"
#include "wire/kind.h"

/* A semaphore during the pass over the list. */
struct tally {
    uint64_t scoped;
    int64_t balance; /* posts less waits so far */
    int64_t least;   /* the initial count that the list needs */
    int64_t said;    /* by its first SEM_INIT; -1: there is none */
};

struct build {
    const struct trace *t;
    const struct contexts *c;
    struct map number_of;
    VEC(struct tally) tallies;
    struct bucket_items posts, waits;
    uint32_t *of;
};

static struct tally *tally_of(struct build *b, event_id id)
{
    const struct event *e = trace_at(b->t, id);
    const uint64_t scoped = scope_name(b->t, e, e->object);
    bool is_new = false;
    const uint32_t number = *map_slot(&b->number_of, scoped, (uint32_t)b->tallies.count, &is_new);
    if (is_new) {
        vec_push(&b->tallies, (struct tally){.scoped = scoped, .said = -1});
    }
    b->of[id] = number;
    return &b->tallies.at[number];
}

static void read_event(struct build *b, event_id id)
{
    const struct event *e = trace_at(b->t, id);
    if (e->kind == EVENT_SEM_INIT) {
        struct tally *tally = tally_of(b, id);
        if (tally->said < 0 && (e->has & HAS_VALUE) != 0 && e->value >= 0) {
            tally->said = e->value;
        }
    } else if (e->kind == EVENT_SEM_POST) {
        tally_of(b, id)->balance++;
        bucket_add(&b->posts, b->of[id], id);
    } else if (e->kind == EVENT_SEM_WAIT) {
        struct tally *tally = tally_of(b, id);
        tally->balance--;
        tally->least = tally->least < -tally->balance ? -tally->balance : tally->least;
        bucket_add(&b->waits, b->of[id], id);
    }
}

/* ---- the use of a semaphore ---- */

static bool is_in_one_context(const struct contexts *c, struct bucket events)
{
    for (uint32_t i = 1; i < events.count; i++) {
        if (c->of[events.at[i]] != c->of[events.at[0]]) {
            return false;
        }
    }
    return true;
}

/* Each task waits and then posts, in one context, and has posted at the end. */
static bool is_lock(const struct build *b, const struct semaphore *s)
{
    if (s->initial != 1 || s->posts.count != s->waits.count) {
        return false;
    }
    struct map inside = {0}; /* task to the event of its wait, EVENT_NONE when it has posted */
    bool alternates = true;
    uint32_t post = 0;
    uint32_t wait = 0;
    while (alternates && post < s->posts.count) {
        const bool is_wait = wait < s->waits.count && s->waits.at[wait] < s->posts.at[post];
        const event_id id = is_wait ? s->waits.at[wait++] : s->posts.at[post++];
        uint32_t *open = map_slot(&inside, trace_at(b->t, id)->task, EVENT_NONE, NULL);
        alternates =
            is_wait ? *open == EVENT_NONE : *open != EVENT_NONE && b->c->of[*open] == b->c->of[id];
        *open = is_wait ? id : EVENT_NONE;
    }
    map_release(&inside);
    return alternates && wait == s->waits.count;
}

static enum semaphore_use use_of(const struct build *b, const struct semaphore *s)
{
    if (s->waits.count <= s->initial) {
        return SEMAPHORE_FREE;
    }
    if (is_lock(b, s)) {
        return SEMAPHORE_LOCK;
    }
    return is_in_one_context(b->c, s->posts) && is_in_one_context(b->c, s->waits)
               ? SEMAPHORE_LINE
               : SEMAPHORE_COUNTED;
}

static bool has_semaphores(const struct trace *t)
{
    trace_each (t, e) {
        if (e->kind == EVENT_SEM_WAIT || e->kind == EVENT_SEM_POST) {
            return true;
        }
    }
    return false;
}

void semaphores_build(struct semaphores *s, const struct trace *t, const struct contexts *c,
                      struct arena *a)
{
    *s = (struct semaphores){0};
    if (!has_semaphores(t)) {
        return;
    }
    struct build b = {.t = t, .c = c, .of = arena_array(a, uint32_t, t->events.count + 1)};
    for (event_id id = 0; id < t->events.count; id++) {
        read_event(&b, id);
    }
    const uint32_t count = (uint32_t)b.tallies.count;
    struct buckets *posts = arena_array(a, struct buckets, 2);
    struct buckets *waits = posts + 1;
    *posts = buckets_sort(&b.posts, count, a);
    *waits = buckets_sort(&b.waits, count, a);
    struct semaphore *list = arena_array(a, struct semaphore, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct tally *tally = &b.tallies.at[i];
        const int64_t initial = tally->said > tally->least ? tally->said : tally->least;
        list[i] = (struct semaphore){
            .node = (uint32_t)(tally->scoped >> 32),
            .name = (uint32_t)tally->scoped,
            .initial = initial > UINT32_MAX ? UINT32_MAX : (uint32_t)initial,
            .posts = bucket_at(posts, i),
            .waits = bucket_at(waits, i),
        };
        list[i].use = use_of(&b, &list[i]);
        must(list[i].waits.count <= (uint64_t)list[i].initial + list[i].posts.count);
    }
    *s = (struct semaphores){.list = list, .count = count, .of = b.of};
    map_release(&b.number_of);
    vec_release(&b.tallies);
    vec_release(&b.posts.list);
    vec_release(&b.waits.list);
}

const struct semaphore *semaphore_used(const struct semaphores *s, const struct trace *t,
                                       event_id id, enum semaphore_use use)
{
    const uint16_t kind = trace_at(t, id)->kind;
    if (s->of == NULL || (kind != EVENT_SEM_POST && kind != EVENT_SEM_WAIT)) {
        return NULL;
    }
    must(s->of[id] < s->count);
    const struct semaphore *semaphore = &s->list[s->of[id]];
    return semaphore->use == use ? semaphore : NULL;
}
