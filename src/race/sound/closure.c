#include "race/sound/closure.h"

#include <string.h>

#include "order/reads_from.h"
#include "race/feasible/dependencies.h"
#include "wire/kind.h"
#include "wire/must.h"

/* Of past cuts, 256 MiB; where tasks are few, millions of cuts. */
enum { PAST_NUMBERS_MAX = 1 << 26 };

/* ---- setting up ---- */

/* A lock that excludes nobody orders nothing. */
static bool is_contended(const struct sections *s, uint32_t number)
{
    return s->locks[s->list[number].lock].is_contended;
}

static void sort_sections_by_task(struct cuts *c)
{
    const struct sections *s = &c->hb->sections;
    const size_t task_count = c->tasks.count;
    uint32_t *first = arena_array(&c->arena, uint32_t, task_count + 2);
    uint32_t *by_task = arena_array(&c->arena, uint32_t, s->count + 1);
    c->begin_next = arena_array(&c->arena, uint32_t, task_count + 1);
    for (uint32_t i = 0; i < s->count; i++) {
        first[s->list[i].task + 1] += is_contended(s, i);
    }
    for (size_t i = 0; i < task_count; i++) {
        if (first[i + 1] > 0) {
            vec_push(&c->holders, (uint32_t)i);
        }
        first[i + 1] += first[i];
        c->begin_next[i] = first[i];
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (is_contended(s, i)) {
            by_task[c->begin_next[s->list[i].task]++] = i;
        }
    }
    must(task_count == 0 || c->begin_next[task_count - 1] == first[task_count]);
    memcpy(c->begin_next, first, task_count * sizeof *first);
    c->by_task = by_task;
    c->by_task_first = first;
    c->end_count = arena_array(&c->arena, uint32_t, s->count + 1);
}

/* Within a task every order keeps the list. */
static void number_events(struct cuts *c)
{
    const struct trace *t = c->hb->trace;
    uint32_t *number_of = arena_array(&c->arena, uint32_t, t->events.count + 1);
    uint32_t *count = arena_array(&c->arena, uint32_t, t->tables.tasks.count + 1);
    for (event_id id = 0; id < t->events.count; id++) {
        number_of[id] = ++count[t->events.at[id].task];
    }
    c->number_of = number_of;
}

void cuts_init(struct cuts *c, const struct hb *hb)
{
    const struct trace *t = hb->trace;
    *c = (struct cuts){.hb = hb};
    for (size_t i = 0; i < t->tables.tasks.count; i++) {
        (void)clocks_column_new(&c->clocks);
    }
    for (size_t i = 0; i < t->tables.tasks.count; i++) {
        const uint32_t row = clocks_row_new(&c->clocks);
        vec_push(&c->tasks, (struct cut_task){.row = row, .count_from = 1, .stuck_from = CUT_NONE});
    }
    for (size_t i = 0; i < hb->sections.lock_count; i++) {
        vec_push(&c->locks, (struct cut_lock){0});
    }
    c->count_of = arena_array(&c->arena, uint32_t, t->events.count + 1);
    c->in_next = arena_array(&c->arena, uint32_t, (size_t)hb->contexts.count + 1);
    memcpy(c->in_next, hb->graph.in_first, hb->contexts.count * sizeof *c->in_next);
    sort_sections_by_task(c);
    if (hb->reads != NULL) {
        number_events(c);
    }
    c->scratch = clocks_row_new(&c->clocks);
    c->past_max = PAST_NUMBERS_MAX / (c->clocks.stride + 1);
    must(c->clocks.width == t->tables.tasks.count);
    must(c->past_max > 0);
}

void cuts_release(struct cuts *c)
{
    vec_each (&c->tasks, t) {
        vec_release(&t->past);
        vec_release(&t->holdings);
        vec_release(&t->doubts);
    }
    vec_release(&c->doubters);
    vec_each (&c->users, u) {
        vec_release(&u->begun);
    }
    vec_each (&c->locks, l) {
        vec_release(&l->users);
    }
    vec_each (&c->streams, s) {
        vec_release(&s->sends);
        vec_release(&s->begins);
    }
    vec_release(&c->tasks);
    vec_release(&c->holders);
    vec_release(&c->open);
    vec_release(&c->users);
    vec_release(&c->locks);
    vec_each (&c->contents, content) {
        vec_release(&content->updates);
    }
    vec_release(&c->contents);
    vec_release(&c->streams);
    map_release(&c->user_of);
    map_release(&c->stream_of);
    scoped_release(&c->variable_of);
    clocks_release(&c->clocks);
    arena_release(&c->arena);
}

/* The number of elements whose first member is at most `limit`; they ascend by it. Most searches
 * are for values near the end, so the search begins there. */
static size_t count_up_to(const void *at, size_t count, size_t size, uint32_t limit)
{
    const char *bytes = at;
    size_t low = count;  /* all below are counted */
    size_t high = count; /* none from here on is */
    for (size_t step = 1; low > 0; step *= 2) {
        if (*(const uint32_t *)(const void *)(bytes + (low - 1) * size) <= limit) {
            break;
        }
        high = low - 1;
        low = low > step ? low - step : 0;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (*(const uint32_t *)(const void *)(bytes + middle * size) <= limit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

#define vec_count_up_to(v, limit) count_up_to((v)->at, (v)->count, sizeof *(v)->at, (limit))

/* ---- past cuts ---- */

/* Gives up every other past cut; the next one stands for it. */
static void thin_past(struct cuts *c)
{
    vec_each (&c->tasks, t) {
        size_t kept = 0;
        for (size_t i = 0; i < t->past.count; i++) {
            if (i % 2 == 1 || i + 1 == t->past.count) {
                t->past.at[kept++] = t->past.at[i];
            } else {
                clocks_row_free(&c->clocks, t->past.at[i].row);
                c->past_count--;
            }
        }
        t->past.count = kept;
    }
}

/* The cut of the task is about to change with the event it is at: keeps it as it was before. */
static void keep_past(struct cuts *c, uint32_t task)
{
    struct cut_task *t = &c->tasks.at[task];
    if (t->count_from > t->count) {
        return;
    }
    if (c->past_count >= c->past_max) {
        thin_past(c);
    }
    const uint32_t row = clocks_row_new(&c->clocks);
    clocks_copy(&c->clocks, row, t->row);
    must(t->past.count == 0 || vec_last(&t->past)->count_to < t->count_from);
    vec_push(&t->past,
             (struct cut_past){.count_to = t->count, .count_from = t->count_from, .row = row});
    c->past_count++;
    t->count_from = t->count + 1;
    t->epoch++;
}

/* The cut of a task when it had done `count` events, at least one. */
static struct cut_past past_at(const struct cuts *c, uint32_t task, uint32_t count)
{
    const struct cut_task *t = &c->tasks.at[task];
    if (count >= t->count_from) {
        return (struct cut_past){.count_to = t->count, .count_from = t->count_from, .row = t->row};
    }
    must(count > 0);
    must(t->past.count > 0);
    must(vec_last(&t->past)->count_to >= count);
    return t->past.at[vec_count_up_to(&t->past, count - 1)];
}

/* ---- including ---- */

/* A row in the making; the cut of a task, or scratch. */
struct target {
    uint32_t row;
    uint32_t task; /* CUT_NONE: scratch */
};

/* Joins a past cut of the task, with `own` of its own events. */
static void join_past(struct cuts *c, struct target to, uint32_t task, const struct cut_past *past,
                      uint32_t own)
{
    uint32_t *row = clocks_row(&c->clocks, to.row);
    const uint32_t before = row[task];
    clocks_join(&c->clocks, to.row, past->row);
    row[task] = before > own ? before : own;
}

/* Adds an event with all it needs, except for sections that have to end. True when it was not in
 * it. */
static bool include(struct cuts *c, struct target to, struct cut_source source)
{
    if (clocks_row(&c->clocks, to.row)[source.task] >= source.count) {
        return false;
    }
    /* First, since it may give up past cuts. */
    if (to.task != CUT_NONE) {
        keep_past(c, to.task);
    }
    const struct cut_past past = past_at(c, source.task, source.count);
    const bool is_exact = source.count >= past.count_from;
    must(past.count_to >= source.count);
    join_past(c, to, source.task, &past, is_exact ? source.count : past.count_to);
    must_in_tests(clocks_row(&c->clocks, to.row)[source.task] >= source.count);
    return true;
}

/* The sections that a task has open after this many events. */
static struct cut_holding holding_at(const struct cuts *c, uint32_t task, uint32_t count)
{
    const struct cut_task *t = &c->tasks.at[task];
    const struct cut_holding none = {0};
    const size_t begun = vec_count_up_to(&t->holdings, count);
    return begun == 0 ? none : t->holdings.at[begun - 1];
}

/* Whether the cut holds the beginning of a later section that this one, open in it, excludes. */
static bool must_end(const struct cuts *c, const uint32_t *cut, uint32_t task,
                     const struct cut_section *s)
{
    vec_each (&c->locks.at[s->lock].users, place) {
        const struct cut_user *u = &c->users.at[*place];
        if (u->task == task || vec_last(&u->begun)->number < s->number) {
            continue;
        }
        const size_t begun = vec_count_up_to(&u->begun, cut[u->task]);
        if (begun == 0) {
            continue;
        }
        const struct cut_begun *latest = &u->begun.at[begun - 1];
        const uint32_t number = s->is_shared ? latest->exclusive_last : latest->number;
        if (number != CUT_NONE && number > s->number) {
            return true;
        }
    }
    return false;
}

/* Ends one section that has to, if there is one. */
static bool end_section(struct cuts *c, struct target to, uint32_t task)
{
    const uint32_t *cut = clocks_row(&c->clocks, to.row);
    const struct cut_holding holding = holding_at(c, task, cut[task]);
    for (uint32_t i = 0; i < holding.count; i++) {
        const struct cut_section s = c->open.at[holding.first + i];
        /* It ended before the later one began, so its end was fed, unless the list overlaps. */
        const struct cut_source end = {task, c->end_count[s.number]};
        if (end.count != 0 && must_end(c, cut, task, &s)) {
            (void)include(c, to, end);
            return true;
        }
    }
    return false;
}

/* Ends sections that have to. */
static void end_sections(struct cuts *c, struct target to)
{
    size_t quiet = 0; /* tasks in a row without anything to end */
    for (size_t i = 0; quiet < c->holders.count; i = i + 1 == c->holders.count ? 0 : i + 1) {
        quiet++;
        while (end_section(c, to, c->holders.at[i])) {
            quiet = 0;
        }
    }
}

/* The events that the task's reads in doubt need and the cut must hold; NULL: none. */
static const uint32_t *doubt_row(const struct cuts *c, const uint32_t *cut, uint32_t task)
{
    const struct cut_task *t = &c->tasks.at[task];
    const size_t held = vec_count_up_to(&t->doubts, cut[task]);
    return held == 0 ? NULL : clocks_row(&c->clocks, t->doubts.at[held - 1].row);
}

/* Adds the writes that reads in doubt may have seen, as far as they were fed. True when something
 * was added. */
static bool add_sources(struct cuts *c, struct target to)
{
    bool grew = false;
    for (size_t i = 0; i < c->doubters.count; i++) {
        const uint32_t *cut = clocks_row(&c->clocks, to.row);
        const uint32_t *wanted = doubt_row(c, cut, c->doubters.at[i]);
        for (uint32_t task = 0; wanted != NULL && task < c->tasks.count; task++) {
            if (wanted[task] > cut[task] && wanted[task] <= c->tasks.at[task].count) {
                const struct cut_source source = {task, wanted[task]};
                grew |= include(c, to, source);
                /* Rows may have moved. */
                cut = clocks_row(&c->clocks, to.row);
                wanted = doubt_row(c, cut, c->doubters.at[i]);
            }
        }
    }
    return grew;
}

/* Ends sections and adds the writes that reads in doubt may have seen, until the cut is closed. */
static void close_cut(struct cuts *c, struct target to)
{
    do {
        end_sections(c, to);
    } while (add_sources(c, to));
}

/* Whether the cut holds all that its reads in doubt may have seen. */
static bool has_sources(const struct cuts *c, const uint32_t *cut)
{
    for (size_t i = 0; i < c->doubters.count; i++) {
        const uint32_t *wanted = doubt_row(c, cut, c->doubters.at[i]);
        for (size_t task = 0; wanted != NULL && task < c->tasks.count; task++) {
            if (wanted[task] > cut[task]) {
                return false;
            }
        }
    }
    return true;
}

/* ---- feeding ---- */

/* The task needs the event; its cut is closed again by the caller. */
static bool need(struct cuts *c, uint32_t task, struct cut_source source)
{
    return source.task != task && source.count != 0 &&
           include(c, (struct target){c->tasks.at[task].row, task}, source);
}

static struct cut_source source_of(const struct cuts *c, event_id id)
{
    return (struct cut_source){c->hb->trace->events.at[id].task, c->count_of[id]};
}

static bool need_edges(struct cuts *c, uint32_t task, event_id id)
{
    const struct hb *hb = c->hb;
    const uint32_t context = hb->contexts.of[id];
    const uint32_t end = hb->graph.in_first[context + 1];
    uint32_t *next = &c->in_next[context];
    bool grew = false;
    for (; *next < end && hb->graph.in[*next].position == hb->contexts.position[id]; (*next)++) {
        const struct graph_end *in = &hb->graph.in[*next];
        grew |= dependency_is_edge(in->kind) && need(c, task, source_of(c, in->event));
    }
    return grew;
}

/* The notify that served the wait that ends here, in the list; EVENT_NONE if there is none. */
static event_id server_of(const struct waits *w, event_id end)
{
    const uint32_t wait = waits_at(w, end);
    return wait == UINT32_MAX ? EVENT_NONE : w->list[wait].notify;
}

static struct cut_stream *stream_at(struct cuts *c, uint32_t channel)
{
    bool is_new = false;
    const uint32_t number = *map_slot(&c->stream_of, channel, (uint32_t)c->streams.count, &is_new);
    if (is_new) {
        vec_push(&c->streams, (struct cut_stream){0});
    }
    return &c->streams.at[number];
}

static uint64_t bytes_of(const struct event *e)
{
    return (e->has & HAS_SIZE) != 0 ? e->size : 0;
}

static void add_up_streams(struct cuts *c)
{
    trace_each (c->hb->trace, e) {
        if (e->kind == EVENT_SEND && message_is_stream(e)) {
            stream_at(c, e->object)->total += bytes_of(e);
        }
    }
    c->knows_totals = true;
}

/* A receive of bytes that are sent only later contradicts its channel: it can be in no prefix. One
 * of bytes that are never sent (by somebody not recorded) needs nothing. */
static void check_stream(struct cuts *c, const struct event *e)
{
    if (!c->knows_totals) {
        add_up_streams(c);
    }
    struct cut_task *t = &c->tasks.at[e->task];
    const struct cut_stream *s = stream_at(c, e->object);
    if (s->sent < s->total && t->stuck_from == CUT_NONE) {
        t->stuck_from = t->count + 1;
    }
}

/* A receive needs the one before it on its channel, and every send up to its last byte. */
static bool need_stream(struct cuts *c, const struct event *e)
{
    const struct cut_stream *stream = stream_at(c, e->object);
    if (stream->received + bytes_of(e) > stream->sent) {
        check_stream(c, e);
    }
    struct cut_stream *s = stream_at(c, e->object);
    const uint64_t size = bytes_of(e);
    bool grew = need(c, e->task, s->receive_last);
    while (size > 0 && s->send_next < s->sends.count &&
           s->begins.at[s->send_next] < s->received + size) {
        grew |= need(c, e->task, s->sends.at[s->send_next]);
        s->send_next++;
    }
    s->received += size;
    return grew;
}

void cuts_reach(struct cuts *c, event_id id)
{
    const struct event *e = &c->hb->trace->events.at[id];
    bool grew = need_edges(c, e->task, id);
    if (e->kind == EVENT_WAIT_END || e->kind == EVENT_SEM_WAIT) {
        const event_id server = server_of(&c->hb->waits, id);
        grew |= server != EVENT_NONE && need(c, e->task, source_of(c, server));
    } else if (e->kind == EVENT_RECV && message_is_stream(e)) {
        grew |= need_stream(c, e);
    }
    if (grew) {
        close_cut(c, (struct target){c->tasks.at[e->task].row, e->task});
    }
}

static struct cut_user *user_at(struct cuts *c, uint32_t lock, uint32_t task)
{
    bool is_new = false;
    const uint32_t place =
        *map_slot(&c->user_of, map_pair(lock, task), (uint32_t)c->users.count, &is_new);
    if (is_new) {
        vec_push(&c->users, (struct cut_user){.task = task});
        vec_push(&c->locks.at[lock].users, place);
    }
    return &c->users.at[place];
}

static void begin_section(struct cuts *c, uint32_t number, uint32_t count)
{
    const struct section *s = &c->hb->sections.list[number];
    struct cut_user *u = user_at(c, s->lock, s->task);
    const uint32_t exclusive_before =
        u->begun.count == 0 ? CUT_NONE : vec_last(&u->begun)->exclusive_last;
    vec_push(&u->begun,
             (struct cut_begun){.count = count,
                                .number = number,
                                .exclusive_last = s->is_shared ? exclusive_before : number});
}

/* Ends and begins the sections of this event, the count-th of its task. True when one began. */
static bool take_sections(struct cuts *c, uint32_t task, event_id id, uint32_t count)
{
    const struct section *list = c->hb->sections.list;
    const struct cut_holding old = cuts_holding(c, task);
    uint32_t *next = &c->begin_next[task];
    const uint32_t end = c->by_task_first[task + 1];
    bool ends = false;
    for (uint32_t i = 0; i < old.count; i++) {
        ends |= list[c->open.at[old.first + i].number].end == id;
    }
    const bool begins = *next < end && list[c->by_task[*next]].begin == id;
    if (!ends && !begins) {
        return false;
    }
    struct cut_holding fresh = {.count_from = count, .first = (uint32_t)c->open.count};
    for (uint32_t i = 0; i < old.count; i++) {
        const struct cut_section s = c->open.at[old.first + i];
        if (list[s.number].end == id) {
            c->end_count[s.number] = count;
        } else {
            vec_push(&c->open, s);
        }
    }
    for (; *next < end && list[c->by_task[*next]].begin == id; (*next)++) {
        const uint32_t number = c->by_task[*next];
        begin_section(c, number, count);
        if (list[number].end == id) {
            c->end_count[number] = count;
        } else {
            vec_push(&c->open,
                     (struct cut_section){number, list[number].lock, list[number].is_shared});
        }
    }
    fresh.count = (uint32_t)c->open.count - fresh.first;
    vec_push(&c->tasks.at[task].holdings, fresh);
    return begins;
}

static struct cut_content *content_at(struct cuts *c, const struct event *e)
{
    const uint32_t variable = cuts_variable(c, e);
    while (c->contents.count <= variable) {
        vec_push(&c->contents, (struct cut_content){0});
    }
    return &c->contents.at[variable];
}

static void take_write(struct cuts *c, const struct event *e, struct cut_source self)
{
    struct cut_content *content = content_at(c, e);
    if (dependency_overwrites(e)) {
        content->writer = self;
        vec_clear(&content->updates);
        return;
    }
    vec_each (&content->updates, update) {
        if (update->task == self.task) {
            *update = self;
            return;
        }
    }
    vec_push(&content->updates, self);
}

static void take_stream(struct cuts *c, const struct event *e, struct cut_source self)
{
    struct cut_stream *s = stream_at(c, e->object);
    if (e->kind == EVENT_RECV) {
        s->receive_last = self;
        return;
    }
    vec_push(&s->sends, self);
    vec_push(&s->begins, s->sent);
    s->sent += bytes_of(e);
}

static bool need_updates(struct cuts *c, const struct event *e)
{
    bool grew = false;
    vec_each (&content_at(c, e)->updates, update) {
        grew |= need(c, e->task, *update);
    }
    return grew;
}

/* A read in doubt: from here on a cut of its task holds all writes that it may have seen, or there
 * is none. */
static void take_doubt(struct cuts *c, event_id id)
{
    const struct reads_from *reads = c->hb->reads;
    const struct trace *t = c->hb->trace;
    const uint32_t task = t->events.at[id].task;
    struct cut_task *own = &c->tasks.at[task];
    const uint32_t first = reads->source_first[id];
    const uint32_t end = reads->source_first[id + 1];
    if (first == end || c->past_count >= c->past_max) {
        own->stuck_from = own->stuck_from == CUT_NONE ? own->count + 1 : own->stuck_from;
        return;
    }
    const uint32_t row = clocks_row_new(&c->clocks);
    clocks_clear(&c->clocks, row);
    if (own->doubts.count > 0) {
        clocks_copy(&c->clocks, row, vec_last(&own->doubts)->row);
    } else {
        vec_push(&c->doubters, task);
    }
    uint32_t *wanted = clocks_row(&c->clocks, row);
    for (uint32_t i = first; i < end; i++) {
        const uint32_t source_task = t->events.at[reads->sources[i]].task;
        const uint32_t number = c->number_of[reads->sources[i]];
        wanted[source_task] = number > wanted[source_task] ? number : wanted[source_task];
    }
    c->past_count++;
    vec_push(&own->doubts, (struct cut_doubt){.count = own->count + 1, .row = row});
}

/* The event reads: its task's cut must hold its write. In a recording the read may have seen an
 * unrecorded access of the writer's epoch, so the cut holds the whole epoch. */
static bool need_writer(struct cuts *c, event_id id)
{
    const struct event *e = &c->hb->trace->events.at[id];
    const struct reads_from *reads = c->hb->reads;
    if (reads == NULL) {
        const bool grew = need_updates(c, e);
        return need(c, e->task, content_at(c, e)->writer) || grew;
    }
    if (!reads_from_is_certain(reads, id)) {
        take_doubt(c, id);
        return false;
    }
    struct cut_task *t = &c->tasks.at[e->task];
    const event_id end = reads->writer_end[id];
    const bool is_fed =
        end == EVENT_NONE || c->count_of[end] != 0 || c->hb->trace->events.at[end].task == e->task;
    if (!is_fed && t->stuck_from == CUT_NONE) {
        t->stuck_from = t->count + 1;
    }
    const bool grew = need_updates(c, e);
    return (end != EVENT_NONE && is_fed && need(c, e->task, source_of(c, end))) || grew;
}

void cuts_take(struct cuts *c, event_id id)
{
    const struct event *e = &c->hb->trace->events.at[id];
    struct cut_task *t = &c->tasks.at[e->task];
    const struct target self = {t->row, e->task};
    if (dependency_reads(e) && need_writer(c, id)) {
        close_cut(c, self);
    }
    const uint32_t count = t->count + 1;
    clocks_row(&c->clocks, t->row)[e->task] = count;
    c->count_of[id] = count;
    if (dependency_writes(e)) {
        take_write(c, e, (struct cut_source){e->task, count});
    }
    if ((e->kind == EVENT_SEND || e->kind == EVENT_RECV) && message_is_stream(e)) {
        take_stream(c, e, (struct cut_source){e->task, count});
    }
    if (take_sections(c, e->task, id, count)) {
        t->epoch++;
        close_cut(c, self);
    }
    t->count = count;
}

/* ---- asking ---- */

struct cut_holding cuts_holding(const struct cuts *c, uint32_t task)
{
    const struct cut_task *t = &c->tasks.at[task];
    const struct cut_holding none = {0};
    return t->holdings.count == 0 ? none : *vec_last(&t->holdings);
}

bool cuts_holdings_exclude(const struct cuts *c, struct cut_holding a, struct cut_holding b)
{
    for (uint32_t i = 0; i < a.count; i++) {
        const struct cut_section *s = &c->open.at[a.first + i];
        for (uint32_t k = 0; k < b.count; k++) {
            const struct cut_section *other = &c->open.at[b.first + k];
            if (s->lock == other->lock && !(s->is_shared && other->is_shared)) {
                return true;
            }
        }
    }
    return false;
}

static bool has_edges(const struct cuts *c, event_id id)
{
    const struct hb *hb = c->hb;
    return graph_span_at(graph_into(&hb->graph, hb->contexts.of[id]), hb->contexts.position[id])
               .count > 0;
}

/* Adds the needs of the event, taken before, but not itself. The needs other than its predecessor
 * were added to the cut of its task when it was taken. */
static void include_needs(struct cuts *c, struct target to, event_id id, bool needs_more)
{
    const struct cut_source self = source_of(c, id);
    const uint32_t asked = needs_more ? self.count : self.count - 1;
    if (asked == 0) {
        return;
    }
    const struct cut_past past = past_at(c, self.task, asked);
    const bool is_exact = asked >= past.count_from;
    join_past(c, to, self.task, &past, is_exact ? self.count - 1 : past.count_to);
}

static bool is_without(const struct cuts *c, uint32_t row, event_id id)
{
    const struct cut_source self = source_of(c, id);
    return clocks_row(&c->clocks, row)[self.task] < self.count;
}

/* Copies the scratch cut out; false when an event of it can be in none. */
static bool give(const struct cuts *c, uint32_t *cut)
{
    const uint32_t *row = clocks_row(&c->clocks, c->scratch);
    bool is_possible = true;
    for (size_t i = 0; i < c->tasks.count; i++) {
        cut[i] = row[i];
        is_possible &= row[i] < c->tasks.at[i].stuck_from;
    }
    return is_possible && has_sources(c, cut);
}

bool cuts_meet(struct cuts *c, event_id a, event_id b, uint32_t *cut)
{
    const uint32_t task = c->hb->trace->events.at[b].task;
    const struct target scratch = {c->scratch, CUT_NONE};
    clocks_copy(&c->clocks, scratch.row, c->tasks.at[task].row);
    if (!is_without(c, scratch.row, a)) {
        return false;
    }
    include_needs(c, scratch, a, has_edges(c, a));
    close_cut(c, scratch);
    return is_without(c, scratch.row, a) && give(c, cut);
}

bool cuts_met(struct cuts *c, event_id a, event_id b, uint32_t *cut)
{
    const struct target scratch = {c->scratch, CUT_NONE};
    clocks_clear(&c->clocks, scratch.row);
    include_needs(c, scratch, a, has_edges(c, a));
    include_needs(c, scratch, b, has_edges(c, b));
    close_cut(c, scratch);
    return is_without(c, scratch.row, a) && is_without(c, scratch.row, b) && give(c, cut);
}

bool cuts_follow(struct cuts *c, event_id send, event_id receive, uint32_t *cut)
{
    const struct target scratch = {c->scratch, CUT_NONE};
    clocks_clear(&c->clocks, scratch.row);
    (void)include(c, scratch, source_of(c, send));
    if (!is_without(c, scratch.row, receive)) {
        return false;
    }
    include_needs(c, scratch, receive, true);
    close_cut(c, scratch);
    const struct cut_source self = source_of(c, receive);
    return is_without(c, scratch.row, receive) && self.count < c->tasks.at[self.task].stuck_from &&
           give(c, cut);
}

/* ---- gathering ---- */

void cuts_gather_begin(struct cuts *c)
{
    clocks_clear(&c->clocks, c->scratch);
}

void cuts_gather(struct cuts *c, event_id id)
{
    const struct hb *hb = c->hb;
    const struct target scratch = {c->scratch, CUT_NONE};
    const struct graph_span in =
        graph_span_at(graph_into(&hb->graph, hb->contexts.of[id]), hb->contexts.position[id]);
    must(c->count_of[id] != 0);
    include_needs(c, scratch, id, false);
    for (size_t i = 0; i < in.count; i++) {
        if (dependency_is_edge(in.at[i].kind)) {
            (void)include(c, scratch, source_of(c, in.at[i].event));
        }
    }
    const event_id server =
        hb->trace->events.at[id].kind == EVENT_WAIT_END ? server_of(&hb->waits, id) : EVENT_NONE;
    if (server != EVENT_NONE) {
        (void)include(c, scratch, source_of(c, server));
    }
}

void cuts_gather_close(struct cuts *c)
{
    close_cut(c, (struct target){c->scratch, CUT_NONE});
}

uint32_t cuts_gathered(const struct cuts *c, uint32_t task)
{
    return clocks_row(&c->clocks, c->scratch)[task];
}

bool cuts_gather_end(const struct cuts *c, uint32_t *cut)
{
    return give(c, cut);
}

bool cuts_extend(struct cuts *c, const uint32_t *more, const struct sound_pair *without,
                 uint32_t *cut)
{
    const struct target scratch = {c->scratch, CUT_NONE};
    uint32_t *row = clocks_row(&c->clocks, scratch.row);
    for (size_t i = 0; i < c->tasks.count; i++) {
        row[i] = cut[i] > more[i] ? cut[i] : more[i];
    }
    close_cut(c, scratch);
    /* An event that was only reached, not taken, has no number and is in no cut. */
    const bool has_b = c->count_of[without->b] != 0 && !is_without(c, scratch.row, without->b);
    const bool has_a = !without->is_message && c->count_of[without->a] != 0 &&
                       !is_without(c, scratch.row, without->a);
    if (has_a || has_b) {
        return false;
    }
    for (size_t i = 0; i < c->tasks.count; i++) {
        if (clocks_row(&c->clocks, scratch.row)[i] >= c->tasks.at[i].stuck_from) {
            return false;
        }
    }
    return give(c, cut);
}
