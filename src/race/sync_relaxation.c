#include "race/sync_relaxation.h"

#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "order/message.h"
#include "order/object_key.h"
#include "order/once.h"
#include "order/stream_end.h"
#include "race/access_classes.h"
#include "race/other_writers.h"
#include "trace/channel.h"
#include "trace/kind_table.h"
#include "wire/kind.h"

#define TASK_NONE UINT32_MAX
#define GROUP_NONE UINT32_MAX

/* Sends and receives of which any may meet any. */
struct group {
    uint32_t object;           /* the name of the semaphore that stands for it */
    uint32_t sender, receiver; /* the last task of each kind */
    bool has_several;          /* tasks that send, or that receive */
    bool is_looked_at;         /* by a call that receives nothing */
    bool has_content;
    bool is_kept; /* the content of a received piece identifies its sender */
    uint64_t size;
    int64_t content;
};

/* A round of a barrier ends when the first of its tasks leaves. */
struct barrier {
    uint32_t round;
    uint64_t tasks, first_tasks; /* sums over the tasks of this round, and of the first one */
    bool has_left;               /* a task of this round */
    bool is_free;
};

struct relaxing {
    const struct trace *t;
    enum relaxation what;
    struct names keys;   /* texts that groups are known by */
    struct map group_of; /* key to group */
    VEC(struct group) groups;
    uint32_t *of; /* per event: its group, or GROUP_NONE */
    struct map barrier_of;
    VEC(struct barrier) barriers;
    struct map messages;    /* that are sent under a name */
    struct map looks;       /* events: sightings of a message by a wait for several */
    struct bits free_reads; /* other_writers.h; none: no words */
    size_t free_read_count;
    struct map keeper_of; /* variable to the task that keeps its old values; TASK_NONE: several */
    bool has_kept;
    struct map awaited_of; /* object to the group of those that are waited for together */
    struct map files;      /* texts of files that report accesses, in keys */
    struct map onces;      /* whose routine uses locks, by scoped name */
    struct map conditions; /* that a wait in such a file is for, by scoped name */
    struct arena arena;
};

/* ---- who may meet whom ---- */

enum family { FAMILY_STREAM, FAMILY_CHANNEL, FAMILY_CONNECTION, FAMILY_AWAITED };

static uint32_t group_at(struct relaxing *l, uint64_t key, uint32_t object)
{
    bool is_new = false;
    const uint32_t number = *map_slot(&l->group_of, key, (uint32_t)l->groups.count, &is_new);
    if (is_new) {
        vec_push(&l->groups,
                 (struct group){.object = object, .sender = TASK_NONE, .receiver = TASK_NONE});
    }
    return number;
}

static uint64_t text_key(struct relaxing *l, enum family family, const char *text, size_t size)
{
    return map_pair(UINT32_MAX - 1 - family, names_intern(&l->keys, text, size));
}

/* The part of a channel's name that says where it leads. */
static struct channel_part destination_of(const struct relaxing *l, const struct event *e)
{
    const char *text = trace_name(l->t, e->object);
    struct channel channel;
    return channel_parse(&channel, text, strlen(text)) ? channel.destination
                                                       : (struct channel_part){text, strlen(text)};
}

/* Streams that lead to one listener are told apart by nothing but what they say. */
static uint32_t stream_group(struct relaxing *l, const struct event *e)
{
    const struct channel_part to = destination_of(l, e);
    return group_at(l, text_key(l, FAMILY_STREAM, to.text, to.size), e->object);
}

static uint32_t connection_group(struct relaxing *l, const struct event *e)
{
    const struct channel_part to = destination_of(l, e);
    return group_at(l, text_key(l, FAMILY_CONNECTION, to.text, to.size), e->object);
}

/* Datagrams of a recording are named by a hash of their bytes, and by a number behind it. */
static uint32_t datagram_group(struct relaxing *l, const struct event *e)
{
    const char *text = trace_name(l->t, e->message);
    const uint32_t first = names_find(&l->t->tables.names, text, strcspn(text, "#"));
    if (e->message == 0 || first == 0 || l->t->tables.order != ORDER_STAMPED) {
        return GROUP_NONE;
    }
    const struct channel_part to = destination_of(l, e);
    const uint32_t place = names_intern(&l->keys, to.text, to.size);
    const uint64_t key = map_pair(place, first) ^ UINT64_C(1) << 63;
    return group_at(l, key, first);
}

static bool is_eventfd(const struct relaxing *l, const struct event *e)
{
    return strncmp(trace_name(l->t, e->object), SCOPE_EVENTFD, sizeof SCOPE_EVENTFD - 1) == 0;
}

static bool is_unit(const struct event *e)
{
    return event_class(e) == CLASS_ANNOTATION &&
           (e->mode == ANNOTATION_ANY || e->mode == ANNOTATION_COUNTER ||
            e->mode == ANNOTATION_LOOK);
}

static bool is_piece(const struct event *e)
{
    return (e->kind == EVENT_SEND || e->kind == EVENT_RECV) && message_is_stream(e) &&
           e->message == 0;
}

/* A transfer of bytes on a channel that may be one of several in a wait: `object` is the channel.
 */
static bool is_awaitable(const struct event *e)
{
    return is_piece(e) ||
           ((e->kind == EVENT_SEND || e->kind == EVENT_RECV) && e->mode == TRANSPORT_CHANNEL);
}

/* The group that the event sends to or receives from; GROUP_NONE: it is neither. */
static uint32_t group_of(struct relaxing *l, const struct event *e)
{
    const bool is_transfer = e->kind == EVENT_SEND || e->kind == EVENT_RECV;
    const uint32_t *awaited = is_awaitable(e) ? map_get(&l->awaited_of, e->object) : NULL;
    if (awaited != NULL) {
        return *awaited;
    }
    if (e->kind == EVENT_CONNECT || e->kind == EVENT_ACCEPT) {
        return connection_group(l, e);
    }
    if (is_unit(e) || ((is_transfer || e->kind == EVENT_SEM_INIT) && is_eventfd(l, e))) {
        return group_at(l, scope_name(l->t, e, e->object), e->object);
    }
    if (is_piece(e)) {
        return stream_group(l, e);
    }
    if (is_transfer && e->mode == TRANSPORT_CHANNEL) {
        return group_at(l, map_pair(UINT32_MAX - 1 - FAMILY_CHANNEL, e->object), e->object);
    }
    return is_transfer ? datagram_group(l, e) : GROUP_NONE;
}

static bool is_send(const struct event *e)
{
    return e->kind == EVENT_SEND || e->kind == EVENT_HAPPENS_BEFORE || e->kind == EVENT_CONNECT ||
           (e->kind == EVENT_SEM_INIT && e->value > 0);
}

static bool is_receive(const struct event *e)
{
    return e->kind == EVENT_RECV || e->kind == EVENT_HAPPENS_AFTER || e->kind == EVENT_ACCEPT;
}

static bool is_look(const struct event *e)
{
    return stream_end_is(e) || (e->kind == EVENT_HAPPENS_AFTER && e->mode == ANNOTATION_LOOK);
}

/* Whether the members' content differs, so that it is a part of the event's identity. */
static bool has_content(const struct relaxing *l, const struct event *e)
{
    return (e->kind == EVENT_SEND && (is_piece(e) || e->mode == TRANSPORT_CHANNEL) &&
            !is_eventfd(l, e)) ||
           (is_unit(e) && (e->has & HAS_VALUE) != 0);
}

/* Signals, and the ends of children: one that is sent may be received more than once, by a handler
 * of each time that a timer expires. */
static bool is_repeated(const struct event *e)
{
    return e->mode == ANNOTATION_ANY && is_unit(e) && (e->has & HAS_VALUE) == 0;
}

static void note_content(struct group *g, const struct event *e)
{
    if ((e->has & HAS_VALUE) == 0 ||
        (g->has_content && (g->content != e->value || g->size != e->size))) {
        g->is_kept = true; /* another one would have said something else */
    }
    g->has_content = true;
    g->content = e->value;
    g->size = e->size;
}

static void note_member(struct relaxing *l, struct group *g, const struct event *e)
{
    if (is_send(e)) {
        g->has_several |= g->sender != TASK_NONE && g->sender != e->task;
        g->sender = e->task;
    } else if (is_receive(e) && !is_look(e)) {
        g->has_several |= g->receiver != TASK_NONE && g->receiver != e->task && !is_repeated(e);
        g->receiver = e->task;
    }
    g->is_looked_at |= is_look(e);
    if (has_content(l, e)) {
        note_content(g, e);
    }
    /* A part of a piece says where in the stream it is. */
    if (e->kind == EVENT_RECV && message_is_stream(e) && e->message == 0 &&
        ((e->has & HAS_SIZE) == 0 || (g->size > 0 && e->size % g->size != 0))) {
        g->is_kept = true;
    }
}

static bool is_relaxed(const struct relaxing *l, event_id id)
{
    const uint32_t number = l->of[id];
    const struct group *g = number == GROUP_NONE ? NULL : &l->groups.at[number];
    return g != NULL && !g->is_kept && g->has_several && g->sender != TASK_NONE &&
           (g->receiver != TASK_NONE || g->is_looked_at);
}

/* A handled piece is a message: it keeps its sender. */
static void keep_handled(struct relaxing *l, const event_id *last_of, const struct event *e)
{
    const event_id last = last_of[e->task];
    if (e->kind == EVENT_HANDLER_BEGIN && last != EVENT_NONE && l->of[last] != GROUP_NONE) {
        l->groups.at[l->of[last]].is_kept = true;
    }
}

/* ---- waits for several ---- */

/* What is known of the receives of one channel. */
struct channel_use {
    uint32_t object;
    uint32_t wait; /* place of the waits for several that its receives follow; 0: none, or others */
    uint32_t place;             /* where they are made; 0: it was only looked at */
    bool is_received, is_other; /* received from, also without such a wait */
    bool has_content;
    int64_t content;
};

struct channel_uses {
    struct map number_of;
    VEC(struct channel_use) list;
};

static bool is_wait_for_several(const struct event *e)
{
    return e->kind == EVENT_READY && ((e->has & HAS_SIZE) == 0 || e->size > 1);
}

static void note_use(struct channel_use *u, const struct event *e, uint32_t wait)
{
    if (e->kind == EVENT_SEND) {
        u->has_content = (e->has & HAS_VALUE) != 0;
        u->content = e->value;
        return;
    }
    const uint32_t place = is_look(e) ? u->place : e->location;
    u->is_other |=
        wait == 0 || (u->is_received && u->wait != wait) || (u->place != 0 && u->place != place);
    u->is_received = true;
    u->wait = wait;
    u->place = place;
}

static void read_uses(const struct relaxing *l, struct channel_uses *uses, struct arena *scratch)
{
    uint32_t *wait_of = arena_array(scratch, uint32_t, l->t->tables.tasks.count + 1);
    trace_each (l->t, e) {
        if (e->kind == EVENT_READY) {
            wait_of[e->task] = is_wait_for_several(e) ? e->location : 0;
        }
        if (!is_awaitable(e)) {
            continue;
        }
        bool is_new = false;
        const uint32_t number =
            *map_slot(&uses->number_of, e->object, (uint32_t)uses->list.count, &is_new);
        if (is_new) {
            vec_push(&uses->list, (struct channel_use){.object = e->object});
        }
        note_use(&uses->list.at[number], e, wait_of[e->task]);
    }
}

/* Channels that one wait waits for and one receive receives from are handled alike. So may be those
 * that nobody has received from, if what they bring is the same. */
static void find_awaited(struct relaxing *l)
{
    struct arena scratch = {0};
    struct channel_uses uses = {0};
    read_uses(l, &uses, &scratch);
    vec_each (&uses.list, u) {
        if (u->is_received && !u->is_other) {
            const uint64_t key = map_pair(u->wait, u->place) ^ UINT64_C(1) << 62;
            map_put(&l->awaited_of, u->object, group_at(l, key, u->object));
        }
    }
    vec_each (&uses.list, u) {
        for (size_t i = 0; i < uses.list.count && !u->is_received && u->has_content; i++) {
            const struct channel_use *other = &uses.list.at[i];
            const uint32_t *group = map_get(&l->awaited_of, other->object);
            if (group != NULL && other->has_content && other->content == u->content) {
                map_put(&l->awaited_of, u->object, *group);
                break;
            }
        }
    }
    map_release(&uses.number_of);
    vec_release(&uses.list);
    arena_release(&scratch);
}

/* A controlled run reports the messages that a wait saw, and then the wait. */
static void find_looks(struct relaxing *l)
{
    trace_each (l->t, e) {
        if (e->kind == EVENT_SEND && e->message != 0) {
            map_put(&l->messages, e->message, 1);
        }
    }
    for (event_id id = 0; id < l->t->events.count && l->messages.slot_count > 0; id++) {
        const struct event *e = trace_at(l->t, id);
        const bool is_known = is_wait_for_several(e) && (e->has & HAS_SIZE) != 0;
        for (event_id look = id; is_known && look-- > 0;) {
            const struct event *before = trace_at(l->t, look);
            if (before->task != e->task || before->location != e->location ||
                before->kind != EVENT_HAPPENS_AFTER) {
                break;
            }
            if (map_get(&l->messages, before->object) != NULL) {
                map_put(&l->looks, look, 1);
            }
        }
    }
}

static void find_groups(struct relaxing *l)
{
    const struct trace *t = l->t;
    event_id *last_of = arena_array(&l->arena, event_id, t->tables.tasks.count + 1);
    for (size_t i = 0; i < t->tables.tasks.count; i++) {
        last_of[i] = EVENT_NONE;
    }
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        l->of[id] = group_of(l, e);
        if (l->of[id] != GROUP_NONE) {
            note_member(l, &l->groups.at[l->of[id]], e);
        }
        keep_handled(l, last_of, e);
        last_of[e->task] = id;
    }
}

/* ---- results that are only kept ---- */

/* Read-modify-writes of one variable by several tasks, none of which decides anything by the
 * result. */
static void find_kept(struct relaxing *l)
{
    trace_each (l->t, e) {
        if (event_is_kept(e)) {
            bool is_new = false;
            uint32_t *task =
                map_slot(&l->keeper_of, scope_name(l->t, e, e->object), e->task, &is_new);
            *task = *task == e->task ? *task : TASK_NONE;
            l->has_kept |= *task == TASK_NONE;
        }
    }
}

/* ---- barriers ---- */

/* A number for a task, such that sets of tasks with equal sums are equal. */
static uint64_t task_number(uint32_t task)
{
    uint64_t x = (task + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

static void end_round(struct barrier *b)
{
    if (b->has_left) {
        b->first_tasks = b->round == 0 ? b->tasks : b->first_tasks;
        b->is_free |= b->first_tasks != b->tasks;
        b->round++;
        b->tasks = 0;
        b->has_left = false;
    }
}

static void find_barriers(struct relaxing *l)
{
    struct map round_of = {0}; /* task and barrier to the round that the task has entered */
    trace_each (l->t, e) {
        if (e->kind != EVENT_BARRIER_ENTER && e->kind != EVENT_BARRIER_EXIT) {
            continue;
        }
        bool is_new = false;
        const uint32_t number = *map_slot(&l->barrier_of, scope_name(l->t, e, e->object),
                                          (uint32_t)l->barriers.count, &is_new);
        if (is_new) {
            vec_push(&l->barriers, (struct barrier){0});
        }
        struct barrier *b = &l->barriers.at[number];
        if (e->kind == EVENT_BARRIER_ENTER) {
            end_round(b);
            b->tasks += task_number(e->task);
            map_put(&round_of, map_pair(e->task, number), b->round);
        } else {
            const uint32_t *entered = map_get(&round_of, map_pair(e->task, number));
            b->has_left |= entered != NULL && *entered == b->round;
        }
    }
    vec_each (&l->barriers, b) {
        end_round(b);
    }
    map_release(&round_of);
}

static bool is_free_barrier(const struct relaxing *l, const struct event *e)
{
    const uint32_t *number = e->kind == EVENT_BARRIER_ENTER || e->kind == EVENT_BARRIER_EXIT
                                 ? map_get(&l->barrier_of, scope_name(l->t, e, e->object))
                                 : NULL;
    return number != NULL && l->barriers.at[*number].is_free;
}

/* ---- conditions ---- */

static uint32_t file_of(struct relaxing *l, const struct event *e)
{
    const char *place = trace_name(l->t, e->location);
    const char *colon = strrchr(place, ':');
    return colon == NULL ? 0 : names_intern(&l->keys, place, (size_t)(colon - place));
}

/* Where the code around a wait does not report its accesses, its predicate is not in the trace. */
static void find_conditions(struct relaxing *l)
{
    uint32_t last = 0; /* location */
    trace_each (l->t, e) {
        if (access_is_plain(e) && e->location != last) {
            map_put(&l->files, file_of(l, e), 1);
            last = e->location;
        }
    }
    trace_each (l->t, e) {
        if (e->kind == EVENT_WAIT_END && file_of(l, e) != 0 &&
            map_get(&l->files, file_of(l, e)) != NULL) {
            map_put(&l->conditions, scope_name(l->t, e, e->object), 1);
        }
    }
}

static bool is_free_notify(const struct relaxing *l, const struct event *e)
{
    return (e->kind == EVENT_SIGNAL || e->kind == EVENT_BROADCAST) &&
           map_get(&l->conditions, scope_name(l->t, e, e->object)) != NULL;
}

/* ---- one-time routines ---- */

static bool is_write(const struct event *e)
{
    return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

/* What a routine has written, another task may have made if it was first. */
static void take_access(struct relaxing *l, struct map *maker_of, event_id id, bool is_in_routine)
{
    const struct event *e = trace_at(l->t, id);
    const uint64_t variable = scope_name(l->t, e, e->object);
    if (is_write(e) && (is_in_routine || map_get(maker_of, variable) != NULL)) {
        map_put(maker_of, variable, is_in_routine ? e->task : TASK_NONE);
    } else if (e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_LOAD) {
        const uint32_t *maker = map_get(maker_of, variable);
        if (maker != NULL && *maker != TASK_NONE && *maker != e->task) {
            bits_add(l->free_reads, id);
            l->free_read_count++;
        }
    }
}

static void find_onces(struct relaxing *l)
{
    struct map running = {0};  /* task to the object of the routine that it runs */
    struct map maker_of = {0}; /* variable to the task whose routine wrote it last */
    l->free_reads = bits_take(&l->arena, l->t->events.count + 1);
    for (event_id id = 0; id < l->t->events.count; id++) {
        const struct event *e = trace_at(l->t, id);
        uint32_t *object = map_get(&running, e->task);
        const bool is_in_routine = object != NULL && *object != 0;
        if (e->kind == EVENT_ONCE_BEGIN) {
            map_put(&running, e->task, e->object);
        } else if (is_in_routine && e->kind == EVENT_LOCK) {
            map_put(&l->onces, scope_name(l->t, e, *object), 1);
        } else if (object != NULL && e->kind == EVENT_ONCE && *object == e->object) {
            *object = 0;
        } else if (event_class(e) == CLASS_ACCESS || event_class(e) == CLASS_ATOMIC) {
            take_access(l, &maker_of, id, is_in_routine);
        }
    }
    map_release(&running);
    map_release(&maker_of);
}

static bool is_free_once(const struct relaxing *l, const struct event *e)
{
    return (e->kind == EVENT_ONCE || e->kind == EVENT_ONCE_BEGIN) &&
           map_get(&l->onces, scope_name(l->t, e, e->object)) != NULL;
}

/* ---- replacing ---- */

static void make_nothing(struct event *e)
{
    e->kind = EVENT_READY;
    e->mode = MODE_UNSAID;
}

static bool is_free_read(const struct relaxing *l, event_id id)
{
    return l->free_read_count > 0 && bits_has(l->free_reads, id);
}

/* The event as the relaxed trace has it, `last` being the one of its task before, as t has it. */
static struct event relaxed_event(struct relaxing *l, event_id id, event_id last)
{
    const struct event *e = trace_at(l->t, id);
    struct event copy = *e;
    if (is_free_barrier(l, e) || is_free_notify(l, e) || map_get(&l->looks, id) != NULL ||
        is_free_read(l, id) || (l->what == RELAX_IGNORED && event_is_ignored(e))) {
        make_nothing(&copy);
        return copy;
    }
    if (l->has_kept && event_is_kept(e)) {
        copy.mode = (uint8_t)(memory_mode_order(e->mode) | UPDATE_ADD);
    }
    if (is_free_once(l, e)) {
        copy.mode = ONCE_BY_ANY_CALLER;
    }
    if (!is_relaxed(l, id)) {
        return copy;
    }
    const struct event *before = last == EVENT_NONE ? NULL : trace_at(l->t, last);
    const bool is_same_call = before != NULL && e->kind == EVENT_RECV && is_receive(before) &&
                              l->of[last] == l->of[id] && before->location == e->location;
    copy.object = l->groups.at[l->of[id]].object;
    copy.mode = MODE_UNSAID;
    if (e->kind == EVENT_SEM_INIT) {
        copy.value = e->value > 0;
    } else if (is_look(e) || is_same_call) {
        make_nothing(&copy);
    } else {
        copy.kind = is_send(e) ? EVENT_SEM_POST : EVENT_SEM_WAIT;
    }
    return copy;
}

static bool is_about_connection(const struct relaxing *l, const struct event *e)
{
    static const char name[] = "connect:";
    return e->kind == EVENT_HAPPENS_BEFORE &&
           strncmp(trace_name(l->t, e->object), name, sizeof name - 1) == 0;
}

/* Some calls have several events. Of a connection, both ends in a controlled run report the client;
 * a sent message is reported by its sender and its receiver; a wait for any child is a join too.
 * All of them are relaxed together. */
static void relax_around(const struct relaxing *l, struct trace *relaxed, event_id id,
                         event_id last)
{
    const struct event *e = trace_at(l->t, id);
    const struct event *before = last == EVENT_NONE ? NULL : trace_at(l->t, last);
    if (before == NULL) {
        return;
    }
    if (is_relaxed(l, last) && before->kind == EVENT_CONNECT && is_about_connection(l, e)) {
        make_nothing(&relaxed->events.at[id]);
    } else if (is_relaxed(l, id) && e->kind == EVENT_SEND && e->message != 0 &&
               before->kind == EVENT_HAPPENS_BEFORE && before->object == e->message) {
        make_nothing(&relaxed->events.at[last]);
    } else if (is_relaxed(l, id) && e->kind == EVENT_HAPPENS_AFTER && e->mode == ANNOTATION_ANY) {
        for (event_id join = id; join-- > 0;) {
            const struct event *j = trace_at(l->t, join);
            if (j->task != e->task) {
                continue;
            }
            if (j->kind != EVENT_THREAD_JOIN || j->location != e->location) {
                break;
            }
            make_nothing(&relaxed->events.at[join]);
        }
    }
}

static void replace(struct relaxing *l, struct trace *relaxed)
{
    const struct trace *t = l->t;
    event_id *last_of = arena_array(&l->arena, event_id, t->tables.tasks.count + 1);
    for (size_t i = 0; i < t->tables.tasks.count; i++) {
        last_of[i] = EVENT_NONE;
    }
    *relaxed = (struct trace){.tables = t->tables, .is_sealed = true};
    for (event_id id = 0; id < t->events.count; id++) {
        event_id *last = &last_of[trace_at(t, id)->task];
        vec_push(&relaxed->events, relaxed_event(l, id, *last));
        relax_around(l, relaxed, id, *last);
        *last = id;
    }
}

static bool has_relaxed(const struct relaxing *l, enum relaxation what)
{
    if (l->free_read_count > 0 || l->has_kept) {
        return true;
    }
    for (event_id id = 0; id < l->t->events.count; id++) {
        const struct event *e = trace_at(l->t, id);
        const bool is_it = what == RELAX_IGNORED ? event_is_ignored(e)
                           : what == RELAX_WAITS ? is_free_notify(l, e)
                           : what == RELAX_ONCES ? is_free_once(l, e)
                                                 : is_relaxed(l, id) || is_free_barrier(l, e) ||
                                                       map_get(&l->looks, id) != NULL;
        if (is_it) {
            return true;
        }
    }
    return false;
}

bool relaxation_build(const struct trace *t, enum relaxation what, struct trace *relaxed)
{
    struct relaxing l = {.t = t, .what = what};
    *relaxed = (struct trace){0};
    must(t->is_sealed);
    names_init(&l.keys);
    l.of = arena_array(&l.arena, uint32_t, t->events.count + 1);
    memset(l.of, UINT8_MAX, t->events.count * sizeof *l.of); /* GROUP_NONE */
    if (what == RELAX_ONCES) {
        find_onces(&l);
    } else if (what != RELAX_IGNORED) {
        find_awaited(&l);
        find_looks(&l);
        l.free_reads = other_writers_find(t, &l.arena, &l.free_read_count);
        find_kept(&l);
        find_groups(&l);
        find_barriers(&l);
    }
    if (what == RELAX_WAITS) {
        find_conditions(&l);
    }
    const bool is_any = has_relaxed(&l, what);
    if (is_any) {
        replace(&l, relaxed);
    }
    names_release(&l.keys);
    map_release(&l.group_of);
    map_release(&l.messages);
    map_release(&l.looks);
    map_release(&l.keeper_of);
    map_release(&l.awaited_of);
    vec_release(&l.groups);
    map_release(&l.barrier_of);
    vec_release(&l.barriers);
    map_release(&l.files);
    map_release(&l.conditions);
    map_release(&l.onces);
    arena_release(&l.arena);
    return is_any;
}

void relaxation_release(struct trace *relaxed)
{
    vec_release(&relaxed->events);
}
