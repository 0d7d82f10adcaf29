#include "race/token_stream.h"

#include "base/arena.h"
#include "base/map.h"
#include "order/message.h"
#include "order/stream_end.h"
#include "wire/kind.h"
#include "wire/must.h"

#define TASK_NONE UINT32_MAX

/* The users of one end of a stream. */
struct end {
    uint32_t task;    /* the first that used it */
    bool has_several; /* tasks */
};

struct stream {
    uint32_t node;
    uint64_t size;
    int64_t content;
    struct end sender, receiver;
    bool is_other; /* not all pieces are alike */
};

typedef VEC(struct stream) stream_list;

static bool is_piece(const struct event *e)
{
    return (e->kind == EVENT_SEND || e->kind == EVENT_RECV) && message_is_stream(e);
}

static void note_task(struct end *end, uint32_t task)
{
    end->has_several |= end->task != TASK_NONE && end->task != task;
    end->task = task;
}

/* A call that only looked whether there is a piece. */
static bool is_look(const struct event *e)
{
    return stream_end_is(e);
}

static void note_piece(struct stream *s, const struct trace *t, const struct event *e)
{
    const bool is_known = (e->has & HAS_SIZE) != 0 && (e->has & HAS_VALUE) != 0;
    s->is_other |= !is_known || e->size == 0 || e->size != s->size || e->value != s->content ||
                   trace_node_of(t, e) != s->node;
    note_task(e->kind == EVENT_SEND ? &s->sender : &s->receiver, e->task);
}

/* A task that looks, and then does not take the piece at once, depends on the piece having been
 * sent. */
static void note_look(stream_list *streams, const struct map *number_of, uint32_t *look,
                      const struct event *e)
{
    const uint32_t *number = is_piece(e) ? map_get(number_of, e->object) : NULL;
    const bool is_taken = *look != 0 && number != NULL && *number + 1 == *look &&
                          e->kind == EVENT_RECV && !is_look(e);
    if (*look != 0 && !is_taken) {
        streams->at[*look - 1].is_other = true;
    }
    *look = number != NULL && is_look(e) ? *number + 1 : 0;
}

/* Collects each channel that has pieces, its number and its properties. */
static void read_streams(const struct trace *t, struct map *number_of, stream_list *streams)
{
    struct arena scratch = {0};
    /* Per task: one more than the stream of the receive, or of the look, that it just made, or 0.
     */
    uint32_t *piece_of = arena_array(&scratch, uint32_t, t->tables.tasks.count + 1);
    uint32_t *look_of = arena_array(&scratch, uint32_t, t->tables.tasks.count + 1);
    trace_each (t, e) {
        uint32_t *last = &piece_of[e->task];
        note_look(streams, number_of, &look_of[e->task], e);
        if (e->kind == EVENT_HANDLER_BEGIN && *last != 0) {
            streams->at[*last - 1].is_other = true; /* a handled piece is a message */
        }
        *last = 0;
        if (!is_piece(e)) {
            continue;
        }
        bool is_new = false;
        const uint32_t number = *map_slot(number_of, e->object, (uint32_t)streams->count, &is_new);
        if (is_new) {
            vec_push(streams, (struct stream){.node = trace_node_of(t, e),
                                              .size = e->size,
                                              .content = e->value,
                                              .sender.task = TASK_NONE,
                                              .receiver.task = TASK_NONE});
        }
        if (is_new || !is_look(e)) {
            note_piece(&streams->at[number], t, e);
        }
        *last = e->kind == EVENT_RECV ? number + 1 : 0;
    }
    arena_release(&scratch);
}

/* With one sender and one receiver the stream leaves no choice. */
static bool is_of_tokens(const struct stream *s)
{
    return !s->is_other && s->sender.task != TASK_NONE && s->receiver.task != TASK_NONE &&
           (s->sender.has_several || s->receiver.has_several);
}

static void replace(const struct trace *t, const struct map *number_of, const stream_list *streams,
                    struct trace *replaced)
{
    *replaced = (struct trace){.tables = t->tables, .is_sealed = true};
    trace_each (t, e) {
        struct event copy = *e;
        if (is_piece(e) && is_of_tokens(&streams->at[*map_get(number_of, e->object)])) {
            copy.kind = e->kind == EVENT_SEND ? EVENT_SEM_POST
                        : is_look(e)          ? EVENT_READY
                                              : EVENT_SEM_WAIT;
            copy.mode = MODE_UNSAID;
        }
        vec_push(&replaced->events, copy);
    }
    must(replaced->events.count == t->events.count);
}

const struct trace *token_streams_replace(const struct trace *t, struct trace *replaced)
{
    struct map number_of = {0};
    stream_list streams = {0};
    bool has_tokens = false;
    *replaced = (struct trace){0};
    must(t->is_sealed);
    read_streams(t, &number_of, &streams);
    vec_each (&streams, s) {
        has_tokens |= is_of_tokens(s);
    }
    if (has_tokens) {
        replace(t, &number_of, &streams, replaced);
    }
    vec_release(&streams);
    map_release(&number_of);
    return has_tokens ? replaced : t;
}

void token_streams_release(struct trace *replaced)
{
    vec_release(&replaced->events);
}
