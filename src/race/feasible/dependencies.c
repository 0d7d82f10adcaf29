#include "race/feasible/dependencies.h"

#include "base/map.h"
#include "order/object_key.h"
#include "order/reads_from.h"
#include "trace/kind_table.h"
#include "wire/must.h"

bool dependency_reads(const struct event *e)
{
    return e->kind == EVENT_ATOMIC_LOAD ||
           ((e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_RMW) && !event_is_blind(e));
}

bool dependency_writes(const struct event *e)
{
    return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

bool dependency_overwrites(const struct event *e)
{
    return dependency_writes(e) && !event_is_update(e);
}

/* ---- reads-from ---- */

/* The content of a variable at a point of the list: a write, and the blind updates since, of which
 * the last of each context are kept. */
struct content {
    event_id writer;
    VEC(event_id) updates;
};

typedef VEC(struct content) content_list;

static struct content *content_of(struct map *number_of, content_list *contents, uint64_t variable)
{
    bool is_new = false;
    const uint32_t number = *map_slot(number_of, variable, (uint32_t)contents->count, &is_new);
    if (is_new) {
        vec_push(contents, (struct content){.writer = EVENT_NONE});
    }
    return &contents->at[number];
}

static void add_update(const struct contexts *c, struct content *content, event_id id)
{
    vec_each (&content->updates, earlier) {
        if (c->of[*earlier] == c->of[id]) {
            *earlier = id;
            return;
        }
    }
    vec_push(&content->updates, id);
}

static void see(struct dependencies *d, const struct content *content, event_id read)
{
    const struct reads_from *reads = d->hb->reads;
    if (content->updates.count == 0 || (reads != NULL && !reads_from_is_certain(reads, read))) {
        return;
    }
    vec_push(&d->updated, (struct dependency_updates){.read = read,
                                                      .first = (uint32_t)d->updates.count,
                                                      .count = (uint32_t)content->updates.count});
    vec_each (&content->updates, update) {
        vec_push(&d->updates, *update);
    }
}

static void find_writers(struct dependencies *d)
{
    const struct trace *t = d->hb->trace;
    struct map number_of = {0};
    content_list contents = {0};
    const struct reads_from *reads = d->hb->reads;
    event_id *writer = arena_array(&d->arena, event_id, t->events.count + 1);
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = &t->events.at[id];
        writer[id] = EVENT_NONE;
        if (!dependency_reads(e) && !dependency_writes(e)) {
            continue;
        }
        struct content *content = content_of(&number_of, &contents, scope_name(t, e, e->object));
        if (dependency_reads(e)) {
            /* A read of the run may be none here: the trace may be a relaxed one. */
            writer[id] = reads == NULL ? content->writer : reads->writer[id];
            see(d, content, id);
        }
        if (dependency_overwrites(e)) {
            content->writer = id;
            vec_clear(&content->updates);
        } else if (dependency_writes(e)) {
            add_update(&d->hb->contexts, content, id);
        }
    }
    vec_each (&contents, content) {
        vec_release(&content->updates);
    }
    vec_release(&contents);
    map_release(&number_of);
    d->writer = writer;
}

bool dependency_saw_update(const struct dependencies *d, event_id read, event_id update)
{
    const event_id writer = d->writer[read];
    must(writer != read);
    return update < read && (writer == EVENT_NONE || update > writer);
}

/* ---- streams ---- */

struct stream {
    VEC(event_id) sends;
    VEC(uint64_t) send_begins;
    uint64_t sent, received;
    uint32_t sends_needed; /* by the receives so far */
    event_id receive_last;
};

typedef VEC(struct stream) stream_list;

static uint64_t bytes_of(const struct event *e)
{
    return (e->has & HAS_SIZE) != 0 ? e->size : 0;
}

static uint32_t stream_number(struct map *number_of, stream_list *streams, uint32_t channel)
{
    bool is_new = false;
    const uint32_t number = *map_slot(number_of, channel, (uint32_t)streams->count, &is_new);
    if (is_new) {
        vec_push(streams, (struct stream){.receive_last = EVENT_NONE});
    }
    must(number < streams->count);
    must(streams->at != NULL);
    return number;
}

static void add_send(struct stream *s, const struct event *e, event_id id)
{
    vec_push(&s->sends, id);
    must(s->sends.count == s->send_begins.count + 1);
    vec_push(&s->send_begins, s->sent);
    s->sent += bytes_of(e);
}

/* The sends that begin before the receive's last byte, wherever they are listed. */
static void add_receive(struct dependencies *d, struct stream *s, const struct event *e,
                        event_id id, uint32_t send_first)
{
    const uint64_t end = s->received + bytes_of(e);
    struct dependency_receive r = {
        .event = id, .previous = s->receive_last, .first_send = send_first + s->sends_needed};
    while (end > s->received && s->sends_needed < s->sends.count &&
           s->send_begins.at[s->sends_needed] < end) {
        s->sends_needed++;
        r.send_count++;
    }
    must(s->sends_needed <= s->sends.count);
    s->received = end;
    s->receive_last = id;
    vec_push(&d->receives, r);
}

static bool is_on_stream(const struct event *e, enum event_kind kind)
{
    return e->kind == kind && message_is_stream(e);
}

static void read_streams(struct dependencies *d)
{
    const struct trace *t = d->hb->trace;
    struct map number_of = {0};
    stream_list streams = {0};
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = &t->events.at[id];
        if (is_on_stream(e, EVENT_SEND)) {
            const uint32_t number = stream_number(&number_of, &streams, e->object);
            add_send(&streams.at[number], e, id);
        }
    }
    vec_each (&streams, s) {
        vec_push(&d->send_first, (uint32_t)d->sends.count);
        vec_each (&s->sends, id) {
            vec_push(&d->sends, *id);
        }
    }
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = &t->events.at[id];
        if (is_on_stream(e, EVENT_RECV)) {
            const uint32_t number = stream_number(&number_of, &streams, e->object);
            const uint32_t first =
                number < d->send_first.count ? d->send_first.at[number] : (uint32_t)d->sends.count;
            add_receive(d, &streams.at[number], e, id, first);
        }
    }
    vec_push(&d->send_first, (uint32_t)d->sends.count);
    vec_each (&streams, s) {
        vec_release(&s->sends);
        vec_release(&s->send_begins);
    }
    vec_release(&streams);
    map_release(&number_of);
}

void dependencies_build(struct dependencies *d, const struct hb *hb)
{
    *d = (struct dependencies){.hb = hb};
    find_writers(d);
    read_streams(d);
}

void dependencies_release(struct dependencies *d)
{
    vec_release(&d->updated);
    vec_release(&d->updates);
    vec_release(&d->receives);
    vec_release(&d->sends);
    vec_release(&d->send_first);
    arena_release(&d->arena);
}

/* ---- asking ---- */

static const struct dependency_receive *receive_at(const struct dependencies *d, event_id id)
{
    size_t low = 0;
    size_t high = d->receives.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (d->receives.at[middle].event < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    must(low < d->receives.count);
    must(d->receives.at[low].event == id);
    return &d->receives.at[low];
}

/* The blind updates that the read saw, NULL when there are none. */
static const struct dependency_updates *updates_at(const struct dependencies *d, event_id read)
{
    size_t low = 0;
    size_t high = d->updated.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (d->updated.at[middle].read < read) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_there = low < d->updated.count && d->updated.at[low].read == read;
    return is_there ? &d->updated.at[low] : NULL;
}

static void push_if_any(dependency_list *list, event_id id)
{
    if (id != EVENT_NONE) {
        vec_push(list, id);
    }
}

void dependencies_of(const struct dependencies *d, event_id id, bool with_writer,
                     dependency_list *list)
{
    const struct hb *hb = d->hb;
    const struct event *e = &hb->trace->events.at[id];
    push_if_any(list, context_before(&hb->contexts, id));
    const struct graph_span in =
        graph_span_at(graph_into(&hb->graph, hb->contexts.of[id]), hb->contexts.position[id]);
    for (size_t i = 0; i < in.count; i++) {
        if (dependency_is_edge(in.at[i].kind)) {
            vec_push(list, in.at[i].event);
        }
    }
    if (is_on_stream(e, EVENT_RECV)) {
        const struct dependency_receive *r = receive_at(d, id);
        push_if_any(list, r->previous);
        for (uint32_t i = 0; i < r->send_count; i++) {
            vec_push(list, d->sends.at[r->first_send + i]);
        }
    }
    if (with_writer) {
        push_if_any(list, d->writer[id]);
        const struct dependency_updates *seen = updates_at(d, id);
        for (uint32_t i = 0; seen != NULL && i < seen->count; i++) {
            vec_push(list, d->updates.at[seen->first + i]);
        }
    }
}
