#include "order/reads_from.h"

#include <string.h>

#include "base/map.h"
#include "order/object_key.h"
#include "trace/kind_table.h"
#include "wire/kind.h"

/* A write that a read in doubt may have seen. */
struct source {
    event_id read, write;
};

struct build {
    const struct hb *hb;
    const struct trace *t;
    struct arena scratch;
    struct map blocks; /* names of heap blocks, by node */
    uint8_t *doubt;
    event_id *writer;
    bool *may_hide_write;
    VEC(struct source) sources;
};

static bool is_access(const struct event *e)
{
    return (event_class(e) == CLASS_ACCESS || event_class(e) == CLASS_ATOMIC) && e->object != 0;
}

static bool is_atomic(const struct event *e)
{
    return event_class(e) == CLASS_ATOMIC;
}

/* Whether the old value matters, to the program or to the new value. */
static bool reads(const struct event *e)
{
    return e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_LOAD || e->kind == EVENT_ATOMIC_RMW;
}

static bool writes(const struct event *e)
{
    return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

/* Whether the first, listed before the second access of the same variable, really came first. */
static bool is_known_before(const struct build *b, event_id first, event_id second)
{
    must(first < second);
    const struct event *x = &b->t->events.at[first];
    const struct event *y = &b->t->events.at[second];
    return x->task == y->task || (is_atomic(x) && is_atomic(y)) ||
           hb_is_before(b->hb, first, second);
}

/* ---- heap blocks ---- */

static void find_blocks(struct build *b)
{
    trace_each (b->t, e) {
        if (e->kind == EVENT_ALLOC && e->object != 0) {
            (void)map_slot(&b->blocks, scope_name(b->t, e, e->object), 1, NULL);
        }
    }
}

/* A variable in a block is named by the block, and where in it: "list.c:12#3+8",
 * "list.c:12#3.next".
 */
static bool is_in_block(const struct build *b, const struct event *e)
{
    const struct names *names = &b->t->tables.names;
    const char *text = names_text(names, e->object);
    const uint32_t size = names_size(names, e->object);
    const char *number = memrchr(text, '#', size);
    if (b->blocks.entries.count == 0 || number == NULL) {
        return false;
    }
    const size_t base = (size_t)(number - text) + strcspn(number, "+.[");
    const uint32_t name = base == size ? e->object : names_find(names, text, base);
    return name != 0 && map_get(&b->blocks, scope_name(b->t, e, name)) != NULL;
}

/* ---- whether the order can be relied on ---- */

static bool is_overtaken(const struct sections *s, const struct lock *lock, uint32_t index)
{
    const struct section *open = &s->list[s->by_lock[lock->first + index]];
    for (uint32_t i = index + 1; i < lock->count && !open->is_released; i++) {
        if (sections_exclude(open, &s->list[s->by_lock[lock->first + i]])) {
            return true;
        }
    }
    return false;
}

bool reads_from_can_know(const struct hb *hb)
{
    const struct sections *s = &hb->sections;
    for (uint32_t i = 0; i < hb->waits.count; i++) {
        if (!hb->waits.list[i].is_paired && !hb->waits.list[i].is_semaphore) {
            return false;
        }
    }
    for (uint32_t l = 0; l < s->lock_count; l++) {
        for (uint32_t i = 0; i < s->locks[l].count; i++) {
            if (is_overtaken(s, &s->locks[l], i)) {
                return false;
            }
        }
    }
    return !hb->has_dropped && !hb->is_contradictory;
}

/* ---- one variable ---- */

/* Its accesses, as listed. */
struct variable {
    const event_id *events;
    uint32_t count;
};

static void doubt(struct build *b, event_id read, enum read_doubt reason)
{
    b->doubt[read] = (uint8_t)reason;
    b->writer[read] = EVENT_NONE;
}

static void settle(struct build *b, event_id read, event_id writer)
{
    b->writer[read] = writer;
    if (writer == EVENT_NONE && is_in_block(b, &b->t->events.at[read])) {
        doubt(b, read, READ_NO_WRITER);
    }
}

/* Whether each write is known to come before the next one listed. */
static bool writes_are_chain(const struct build *b, const struct variable *v)
{
    event_id last = EVENT_NONE;
    for (uint32_t i = 0; i < v->count; i++) {
        if (writes(&b->t->events.at[v->events[i]])) {
            if (last != EVENT_NONE && !is_known_before(b, last, v->events[i])) {
                return false;
            }
            last = v->events[i];
        }
    }
    return true;
}

/* Where the writes are a chain, the two beside a read decide. */
static void read_chain(struct build *b, const struct variable *v)
{
    event_id next = EVENT_NONE;
    for (uint32_t i = v->count; i-- > 0;) {
        const event_id id = v->events[i];
        const struct event *e = &b->t->events.at[id];
        if (reads(e) && next != EVENT_NONE && !is_known_before(b, id, next)) {
            doubt(b, id, READ_CONCURRENT);
        }
        next = writes(e) ? id : next;
    }
    event_id last = EVENT_NONE;
    for (uint32_t i = 0; i < v->count; i++) {
        const event_id id = v->events[i];
        const struct event *e = &b->t->events.at[id];
        if (reads(e) && last != EVENT_NONE && !is_known_before(b, last, id)) {
            doubt(b, id, READ_CONCURRENT);
        } else if (reads(e) && b->doubt[id] == READ_CERTAIN) {
            settle(b, id, last);
        }
        last = writes(e) ? id : last;
    }
}

/* The writes of one task, as listed: writes[first .. first + count); the first `done` are listed
 * before the current access. */
struct writer {
    uint32_t task;
    uint32_t first, count, done;
};

typedef VEC(struct writer) writer_list;

static struct writer *writer_of(writer_list *list, struct map *number_of, uint32_t task)
{
    bool is_new = false;
    const uint32_t number = *map_slot(number_of, task, (uint32_t)list->count, &is_new);
    if (is_new) {
        vec_push(list, (struct writer){.task = task});
    }
    return &list->at[number];
}

/* The last write of the task that is listed before the current access, EVENT_NONE when there is
 * none. */
static event_id last_of(const struct writer *w, const event_id *by_task)
{
    return w->done > 0 ? by_task[w->first + w->done - 1] : EVENT_NONE;
}

static event_id nearest_of(const writer_list *list, const event_id *by_task)
{
    event_id nearest = EVENT_NONE;
    vec_each (list, w) {
        const event_id last = last_of(w, by_task);
        nearest = last != EVENT_NONE && (nearest == EVENT_NONE || last > nearest) ? last : nearest;
    }
    return nearest;
}

/* Decides one read by the last write of each task before it and the first after it. */
static void read_one(struct build *b, event_id id, const writer_list *list, const event_id *by_task)
{
    const event_id nearest = nearest_of(list, by_task);
    must(nearest == EVENT_NONE || nearest < id);
    if (nearest != EVENT_NONE && !is_known_before(b, nearest, id)) {
        doubt(b, id, READ_CONCURRENT);
        return;
    }
    vec_each (list, w) {
        const event_id last = last_of(w, by_task);
        const bool is_itself = w->done < w->count && by_task[w->first + w->done] == id;
        const uint32_t after = w->done + is_itself;
        if (after < w->count && !is_known_before(b, id, by_task[w->first + after])) {
            doubt(b, id, READ_CONCURRENT);
            return;
        }
        if (last != EVENT_NONE && last != nearest && !is_known_before(b, last, nearest)) {
            doubt(b, id, is_known_before(b, last, id) ? READ_TWO_LAST : READ_CONCURRENT);
            return;
        }
    }
    settle(b, id, nearest);
}

/* Sorts the writes of the variable by task, into the scratch arena and the list. */
static const event_id *sort_writes(struct build *b, const struct variable *v, writer_list *list,
                                   struct map *number_of)
{
    event_id *by_task = arena_array(&b->scratch, event_id, v->count);
    for (uint32_t i = 0; i < v->count; i++) {
        const struct event *e = &b->t->events.at[v->events[i]];
        if (writes(e)) {
            writer_of(list, number_of, e->task)->count++;
        }
    }
    uint32_t first = 0;
    vec_each (list, w) {
        w->first = first;
        first += w->count;
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const struct event *e = &b->t->events.at[v->events[i]];
        if (writes(e)) {
            struct writer *w = writer_of(list, number_of, e->task);
            by_task[w->first + w->done++] = v->events[i];
        }
    }
    must(first <= v->count);
    vec_each (list, w) {
        must(w->done == w->count);
        w->done = 0;
    }
    return by_task;
}

static void read_unordered(struct build *b, const struct variable *v)
{
    const struct arena_mark mark = arena_mark(&b->scratch);
    writer_list list = {0};
    struct map number_of = {0};
    const event_id *by_task = sort_writes(b, v, &list, &number_of);
    for (uint32_t i = 0; i < v->count; i++) {
        const struct event *e = &b->t->events.at[v->events[i]];
        if (reads(e)) {
            read_one(b, v->events[i], &list, by_task);
        }
        if (writes(e)) {
            writer_of(&list, &number_of, e->task)->done++;
        }
    }
    vec_release(&list);
    map_release(&number_of);
    arena_reset(&b->scratch, mark);
}

/* ---- the writes that a read in doubt may have seen ---- */

/* The number of the task's writes that are not known to come after the read: the first ones. */
static uint32_t possible_count(const struct build *b, const struct writer *w,
                               const event_id *by_task, event_id read)
{
    uint32_t low = 0;
    uint32_t high = w->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const event_id write = by_task[w->first + middle];
        if (write <= read || !is_known_before(b, read, write)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* In a heap block a write that was not recorded may have come before all others. */
static bool may_miss_writer(const struct build *b, const writer_list *list, const event_id *by_task,
                            event_id read)
{
    bool has_earlier = false;
    vec_each (list, w) {
        const event_id first = by_task[w->first];
        has_earlier |= first < read && is_known_before(b, first, read);
    }
    return !has_earlier && is_in_block(b, &b->t->events.at[read]);
}

static void find_sources(struct build *b, const struct variable *v)
{
    const struct arena_mark mark = arena_mark(&b->scratch);
    writer_list list = {0};
    struct map number_of = {0};
    const event_id *by_task = sort_writes(b, v, &list, &number_of);
    for (uint32_t i = 0; i < v->count; i++) {
        const event_id read = v->events[i];
        const bool is_open = b->doubt[read] == READ_CONCURRENT || b->doubt[read] == READ_TWO_LAST;
        if (!is_open || may_miss_writer(b, &list, by_task, read)) {
            continue;
        }
        vec_each (&list, w) {
            const uint32_t count = possible_count(b, w, by_task, read);
            if (w->task != b->t->events.at[read].task && count > 0) {
                const struct source source = {.read = read, .write = by_task[w->first + count - 1]};
                vec_push(&b->sources, source);
            }
        }
    }
    vec_release(&list);
    map_release(&number_of);
    arena_reset(&b->scratch, mark);
}

static bool has_doubts(const struct build *b, const struct variable *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        if (b->doubt[v->events[i]] != READ_CERTAIN) {
            return true;
        }
    }
    return false;
}

/* The recorder keeps a task's last write of a word that only it uses: an earlier one, which the
 * task then read, may be missing where a later one exists. */
static void find_hidden(struct build *b, const struct variable *v)
{
    struct map last_of = {0}; /* task to its last write listed */
    for (uint32_t i = v->count; i-- > 0;) {
        const event_id id = v->events[i];
        const struct event *e = &b->t->events.at[id];
        if (e->kind == EVENT_READ) {
            b->may_hide_write[id] = map_get(&last_of, e->task) != NULL;
        }
        if (e->kind == EVENT_WRITE) {
            (void)map_slot(&last_of, e->task, id, NULL);
        }
    }
    map_release(&last_of);
}

/* Only later reads see the old value of a blind update: they saw it, the updates before it, and the
 * write before those, if all of them are certain. */
static void see_through_updates(struct build *b, const struct variable *v)
{
    event_id writer = EVENT_NONE;
    enum read_doubt reason = READ_CERTAIN; /* of an update since */
    for (uint32_t i = 0; i < v->count; i++) {
        const event_id id = v->events[i];
        const struct event *e = &b->t->events.at[id];
        const event_id found = b->writer[id];
        if (event_is_update(e) || event_is_blind(e)) {
            reason = b->doubt[id] == READ_CERTAIN ? reason : (enum read_doubt)b->doubt[id];
        } else if (found != EVENT_NONE && event_is_update(&b->t->events.at[found])) {
            b->writer[id] = writer;
            if (reason != READ_CERTAIN) {
                doubt(b, id, reason);
            }
        }
        if (event_is_blind(e)) {
            b->doubt[id] = READ_CERTAIN;
            b->writer[id] = EVENT_NONE;
        }
        if (writes(e) && !event_is_update(e)) {
            writer = id;
            reason = READ_CERTAIN;
        }
    }
}

static void read_variable(struct build *b, const struct variable *v)
{
    if (writes_are_chain(b, v)) {
        read_chain(b, v);
    } else {
        read_unordered(b, v);
    }
    see_through_updates(b, v);
    find_hidden(b, v);
    if (has_doubts(b, v)) {
        find_sources(b, v);
    }
}

/* ---- all variables ---- */

/* Calls read_variable for each variable, with its accesses as listed. */
static void read_variables(struct build *b)
{
    const struct trace *t = b->t;
    struct map number_of = {0};
    VEC(uint32_t) firsts = {0};
    size_t count = 0;
    trace_each (t, e) {
        if (is_access(e)) {
            const uint32_t fresh = (uint32_t)firsts.count;
            bool is_new = false;
            const uint32_t number =
                *map_slot(&number_of, scope_name(t, e, e->object), fresh, &is_new);
            if (is_new) {
                vec_push(&firsts, 0);
            }
            firsts.at[number]++;
            count++;
        }
    }
    event_id *events = arena_array(&b->scratch, event_id, count + 1);
    uint32_t first = 0;
    vec_each (&firsts, at) {
        const uint32_t size = *at;
        *at = first;
        first += size;
    }
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = &t->events.at[id];
        if (is_access(e)) {
            events[firsts.at[*map_get(&number_of, scope_name(t, e, e->object))]++] = id;
        }
    }
    /* Each first has become the end of its variable. */
    uint32_t begin = 0;
    vec_each (&firsts, end) {
        read_variable(b, &(struct variable){.events = events + begin, .count = *end - begin});
        begin = *end;
    }
    must(begin == count);
    vec_release(&firsts);
    map_release(&number_of);
}

/* The sources by their reads, as the ends of their epochs. */
static void lay_out_sources(struct build *b, struct reads_from *r, const event_id *end,
                            struct arena *a)
{
    const size_t event_count = b->t->events.count;
    uint32_t *first = arena_array(a, uint32_t, event_count + 2);
    event_id *sources = arena_array(a, event_id, b->sources.count + 1);
    uint32_t *next = arena_array(&b->scratch, uint32_t, event_count + 1);
    vec_each (&b->sources, source) {
        first[source->read + 1]++;
    }
    for (size_t id = 0; id < event_count; id++) {
        first[id + 1] += first[id];
        next[id] = first[id];
    }
    vec_each (&b->sources, source) {
        sources[next[source->read]++] = end[source->write];
    }
    must(first[event_count] == b->sources.count);
    r->sources = sources;
    r->source_first = first;
}

/* The last event of each writer's epoch: plain accesses follow it up to the task's next event of
 * another kind. */
static void find_ends(struct build *b, struct reads_from *r, struct arena *a)
{
    const struct trace *t = b->t;
    event_id *end = arena_array(&b->scratch, event_id, t->events.count + 1);
    event_id *open = arena_array(&b->scratch, event_id, t->tables.tasks.count + 1);
    event_id *writer_end = arena_array(a, event_id, t->events.count + 1);
    for (size_t i = 0; i < t->tables.tasks.count; i++) {
        open[i] = EVENT_NONE;
    }
    for (event_id id = (event_id)t->events.count; id-- > 0;) {
        const struct event *e = &t->events.at[id];
        const bool is_plain = event_class(e) == CLASS_ACCESS;
        end[id] = is_plain && open[e->task] != EVENT_NONE ? open[e->task] : id;
        open[e->task] = is_plain ? end[id] : EVENT_NONE;
    }
    for (event_id id = 0; id < t->events.count; id++) {
        writer_end[id] = b->writer[id] == EVENT_NONE ? EVENT_NONE : end[b->writer[id]];
    }
    r->writer_end = writer_end;
    lay_out_sources(b, r, end, a);
}

static void count_doubts(struct reads_from *r, const struct build *b)
{
    for (event_id id = 0; id < b->t->events.count; id++) {
        const struct event *e = &b->t->events.at[id];
        if (is_access(e) && reads(e) && !event_is_blind(e)) {
            r->count[b->doubt[id]]++;
        } else {
            must(b->doubt[id] == READ_CERTAIN);
            must(b->writer[id] == EVENT_NONE);
        }
        must(b->writer[id] == EVENT_NONE || b->writer[id] < id);
    }
}

void reads_from_build(struct reads_from *r, const struct hb *hb, struct arena *a)
{
    must(hb->model == HB_OBSERVED);
    must(hb->scope == REACH_ALL);
    const size_t count = hb->trace->events.count;
    struct build b = {.hb = hb, .t = hb->trace};
    b.doubt = arena_array(a, uint8_t, count + 1);
    b.writer = arena_array(a, event_id, count + 1);
    b.may_hide_write = arena_array(a, bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        b.writer[i] = EVENT_NONE;
    }
    find_blocks(&b);
    read_variables(&b);
    *r = (struct reads_from){
        .doubt = b.doubt, .writer = b.writer, .may_hide_write = b.may_hide_write};
    find_ends(&b, r, a);
    count_doubts(r, &b);
    map_release(&b.blocks);
    vec_release(&b.sources);
    arena_release(&b.scratch);
}
