#include "race/message_handlers.h"

#include "base/vec.h"
#include "order/bucket.h"
#include "wire/must.h"

struct entry {
    uint32_t rank;
    event_id event;
};

struct build {
    struct inboxes *x;
    const struct hb *hb;
    const struct accesses *a;
    const struct access_filter *f;
    struct arena *arena;
    struct arena scratch;
    uint32_t *rank_of;           /* per message, RANK_NONE when it is left out */
    struct bucket_items by_task; /* numbers of messages */
    VEC(struct entry) entries;
    struct bucket_items by_track;
    uint32_t track_count;
};

/* ---- messages ---- */

static uint32_t receiver(const struct build *b, const struct message *m)
{
    return b->hb->trace->events.at[m->receive].task;
}

static void collect_messages(struct build *b)
{
    const struct trace *t = b->hb->trace;
    const struct messages *all = &b->hb->messages;
    b->rank_of = arena_array(&b->scratch, uint32_t, all->count + 1);
    uint32_t *count = arena_array(&b->scratch, uint32_t, (size_t)b->x->task_count + 1);
    for (uint32_t i = 0; i < all->count; i++) {
        const struct message *m = &all->list[i];
        b->rank_of[i] = RANK_NONE;
        if (access_is_in_span(b->f, trace_at(t, m->send)) &&
            access_is_in_span(b->f, trace_at(t, m->receive))) {
            b->rank_of[i] = count[receiver(b, m)]++;
            bucket_add(&b->by_task, receiver(b, m), i);
        }
    }
}

static void lay_out_messages(struct build *b)
{
    const struct buckets sorted = buckets_sort(&b->by_task, b->x->task_count, &b->scratch);
    struct inbox *of_task = arena_array(b->arena, struct inbox, (size_t)b->x->task_count + 1);
    struct map last_of_send = {0}; /* send to rank, within the task at hand */
    for (uint32_t task = 0; task < b->x->task_count; task++) {
        const struct bucket numbers = bucket_at(&sorted, task);
        struct message *messages = arena_array(b->arena, struct message, numbers.count + 1);
        uint32_t *like_before = arena_array(b->arena, uint32_t, numbers.count + 1);
        map_clear(&last_of_send);
        for (uint32_t rank = 0; rank < numbers.count; rank++) {
            messages[rank] = b->hb->messages.list[numbers.at[rank]];
            uint32_t *last = map_slot(&last_of_send, messages[rank].send, RANK_NONE, NULL);
            like_before[rank] = *last;
            *last = rank;
        }
        of_task[task] = (struct inbox){
            .task = task,
            .count = numbers.count,
            .messages = messages,
            .like_before = like_before,
        };
    }
    map_release(&last_of_send);
    b->x->of_task = of_task;
}

/* ---- tracks ---- */

static void add_entry(struct build *b, uint32_t track, uint32_t rank, event_id event)
{
    vec_push(&b->entries, (struct entry){.rank = rank, .event = event});
    bucket_add(&b->by_track, track, (event_id)b->entries.count - 1);
}

static uint32_t track_number(struct build *b, uint32_t class, uint32_t stream)
{
    if (class < b->a->class_count && stream == 0) {
        return class;
    }
    bool is_new = false;
    const uint32_t track =
        *map_slot(&b->x->track_of, map_pair(class, stream), b->track_count, &is_new);
    b->track_count += is_new;
    return track;
}

/* Adds to the track of the class, and to its part for the stream. */
static void add_entries(struct build *b, uint32_t class, uint32_t rank, event_id event,
                        uint32_t stream)
{
    add_entry(b, track_number(b, class, 0), rank, event);
    if (stream != 0) {
        add_entry(b, track_number(b, class, stream), rank, event);
    }
}

static void collect_accesses(struct build *b)
{
    const struct contexts *c = &b->hb->contexts;
    /* Handlers of a task come in listed order, and so do a class's events: the message is looked up
     * once per handler. */
    uint32_t *message_of = arena_array(&b->scratch, uint32_t, (size_t)c->count + 1);
    for (uint32_t i = c->task_count; i < c->count; i++) {
        message_of[i] = message_of_receive(&b->hb->messages, c->list[i].receive);
    }
    for (uint32_t class = 0; class < b->a->class_count; class ++) {
        const struct access_class *k = &b->a->classes[class];
        for (uint32_t i = 0; i < k->count; i++) {
            const event_id id = b->a->events[k->first + i];
            const uint32_t message =
                context_is_handler(c, c->of[id]) ? message_of[c->of[id]] : MESSAGE_NONE;
            if (message != MESSAGE_NONE && b->rank_of[message] != RANK_NONE &&
                receiver(b, &b->hb->messages.list[message]) == k->task) {
                add_entries(b, class, b->rank_of[message], id,
                            b->hb->messages.list[message].stream);
            }
        }
    }
}

static void collect_receives(struct build *b)
{
    const struct trace *t = b->hb->trace;
    for (uint32_t task = 0; task < b->x->task_count; task++) {
        const struct inbox *x = &b->x->of_task[task];
        for (uint32_t rank = 0; rank < x->count; rank++) {
            const struct message *m = &x->messages[rank];
            const uint32_t location = trace_at(t, m->receive)->location;
            const uint32_t place = *map_slot(
                &b->x->place_of, map_pair(task, location),
                inbox_class(b->x, b->x->task_count) + (uint32_t)b->x->place_of.entries.count, NULL);
            add_entries(b, inbox_class(b->x, task), rank, m->receive, m->stream);
            add_entries(b, place, rank, m->receive, m->stream);
        }
    }
}

static bool tracks_ascend(const struct track *tracks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 1; k < tracks[i].count; k++) {
            if (tracks[i].ranks[k - 1] > tracks[i].ranks[k]) {
                return false;
            }
        }
    }
    return true;
}

static void lay_out_tracks(struct build *b)
{
    const struct buckets sorted = buckets_sort(&b->by_track, b->track_count, &b->scratch);
    must(b->track_count >= b->a->class_count);
    must(sorted.first[b->track_count] == b->entries.count);
    uint32_t *ranks = arena_array(b->arena, uint32_t, b->entries.count + 1);
    event_id *events = arena_array(b->arena, event_id, b->entries.count + 1);
    struct track *tracks = arena_array(b->arena, struct track, (size_t)b->track_count + 1);
    for (uint32_t i = 0; i < b->track_count; i++) {
        const uint32_t first = sorted.first[i];
        tracks[i] = (struct track){
            .count = sorted.first[i + 1] - first, .ranks = ranks + first, .events = events + first};
    }
    for (size_t i = 0; i < b->entries.count; i++) {
        ranks[i] = b->entries.at[sorted.events[i]].rank;
        events[i] = b->entries.at[sorted.events[i]].event;
    }
    must_in_tests(tracks_ascend(tracks, b->track_count));
    b->x->tracks = tracks;
    struct bucket_items by_task = {0};
    for (uint32_t class = 0; class < b->a->class_count; class ++) {
        if (tracks[class].count > 0) {
            bucket_add(&by_task, b->a->classes[class].task, class);
        }
    }
    b->x->classes = buckets_sort(&by_task, b->x->task_count, b->arena);
    vec_release(&by_task.list);
}

void inboxes_build(struct inboxes *x, const struct hb *hb, const struct accesses *a,
                   const struct access_filter *f, struct arena *arena)
{
    *x = (struct inboxes){.task_count = hb->contexts.task_count,
                          .access_class_count = a->class_count};
    struct build b = {
        .x = x, .hb = hb, .a = a, .f = f, .arena = arena, .track_count = a->class_count};
    collect_messages(&b);
    lay_out_messages(&b);
    collect_accesses(&b);
    collect_receives(&b);
    lay_out_tracks(&b);
    vec_release(&b.by_task.list);
    vec_release(&b.entries);
    vec_release(&b.by_track.list);
    arena_release(&b.scratch);
}

void inboxes_release(struct inboxes *x)
{
    map_release(&x->track_of);
    map_release(&x->place_of);
}

/* ---- asking ---- */

struct track inbox_track(const struct inboxes *x, uint32_t class, uint32_t stream)
{
    if (class < x->access_class_count && stream == 0) {
        return x->tracks[class];
    }
    const uint32_t *found = map_get(&x->track_of, map_pair(class, stream));
    if (found == NULL) {
        return (struct track){0};
    }
    must(*found >= x->access_class_count);
    return x->tracks[*found];
}

uint32_t track_from(const struct track *k, uint32_t rank)
{
    must_in_tests(k->count == 0 || k->ranks[0] <= k->ranks[k->count - 1]);
    uint32_t low = 0;
    uint32_t high = k->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (k->ranks[middle] < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t track_count(const struct track *k, uint32_t from, uint32_t to)
{
    return from < to ? track_from(k, to) - track_from(k, from) : 0;
}
