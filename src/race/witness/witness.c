#include "race/witness/witness.h"

#include "base/mem.h"
#include "race/witness/witness_facts.h"
#include "trace/kind_table.h"
#include "wire/must.h"

/* ---- the state of a replay ---- */

struct stream_state {
    uint32_t sends_in_row;  /* SENDs there without a gap */
    uint32_t send_next_min; /* no SEND listed before this one may come any more */
    uint32_t recv_next;
};

struct task_state {
    uint32_t event_count;
    uint32_t handler_open;
    uint32_t handlers_over;
};

/* The value of a number before it changed. */
struct change {
    uint32_t *number;
    uint32_t before;
};

/* How far a one-time initialization has come. */
enum once_state {
    ONCE_OPEN,
    ONCE_UNDER_WAY,
    ONCE_COMPLETE,
};

/* The blind updates of a variable since the last other write: how many, the first and the last. */
struct update_state {
    uint32_t count, least, most;
};

/* All numbers, so that a replay can be taken back. */
struct replay {
    const struct facts *f;
    struct arena arena;
    VEC(struct change) changes; /* since the last settle() */
    uint32_t *place; /* per event: 1 + its position in the order being checked, 0 when not in it */
    uint32_t now;    /* events that have happened */
    event_id *last_write;         /* per variable */
    struct update_state *updates; /* per variable; NULL when there are none */
    uint32_t *family_last;        /* per family: the number of its last update that came, or 0 */
    uint32_t *open;               /* per lock: list of open sections */
    uint32_t *open_next;          /* per section */
    uint32_t *waiting;            /* per condition: list of waits that need a notify */
    uint32_t *waiting_next;       /* per wait */
    uint32_t *is_served;          /* per wait */
    struct stream_state *streams;
    struct task_state *tasks;
    uint32_t *entered; /* per round */
    uint32_t *units;   /* per semaphore: its remaining units */
    uint32_t *onces;   /* per once: enum once_state */
};

struct witness_checker {
    struct facts facts;
    struct replay replay;
    size_t settled; /* events of the trace, as listed, that it has replayed for good */
};

static void set(struct replay *r, uint32_t *number, uint32_t value)
{
    vec_push(&r->changes, (struct change){.number = number, .before = *number});
    *number = value;
}

/* Makes the changes so far permanent. */
static void settle(struct replay *r)
{
    vec_clear(&r->changes);
}

static void take_back(struct replay *r)
{
    while (r->changes.count > 0) {
        const struct change change = vec_pop(&r->changes);
        *change.number = change.before;
    }
}

static uint32_t *list_heads(struct arena *a, size_t count)
{
    uint32_t *heads = arena_array(a, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        heads[i] = FACT_NONE;
    }
    return heads;
}

static void waiting_add(struct replay *r, uint32_t wait)
{
    must(wait < r->f->waits.count);
    must(r->f->waits.at[wait].condition < r->f->condition_count);
    uint32_t *head = &r->waiting[r->f->waits.at[wait].condition];
    set(r, &r->waiting_next[wait], *head);
    set(r, head, wait);
}

static void replay_init(struct replay *r, const struct facts *f)
{
    *r = (struct replay){.f = f};
    struct arena *a = &r->arena;
    r->place = arena_array(a, uint32_t, f->count + 1);
    r->last_write = list_heads(a, f->variable_count);
    if (f->has_updates) {
        r->updates = arena_array(a, struct update_state, (size_t)f->variable_count + 1);
        r->family_last = arena_array(a, uint32_t, f->families.count + 1);
    }
    r->open = list_heads(a, f->lock_count);
    r->open_next = arena_array(a, uint32_t, f->sections.count + 1);
    r->waiting = list_heads(a, f->condition_count);
    r->waiting_next = arena_array(a, uint32_t, f->waits.count + 1);
    r->is_served = arena_array(a, uint32_t, f->waits.count + 1);
    r->streams = arena_array(a, struct stream_state, (size_t)f->stream_count + 1);
    r->tasks = arena_array(a, struct task_state, f->t->tables.tasks.count + 1);
    for (size_t i = 0; i < f->t->tables.tasks.count; i++) {
        r->tasks[i].handler_open = FACT_NONE;
    }
    r->entered = arena_array(a, uint32_t, f->rounds.count + 1);
    r->units = arena_array(a, uint32_t, f->semaphores.count + 1);
    r->onces = arena_array(a, uint32_t, (size_t)f->once_count + 1);
    for (size_t i = 0; i < f->semaphores.count; i++) {
        r->units[i] = f->semaphores.at[i];
    }
    for (uint32_t i = 0; i < f->waits.count; i++) {
        if (f->waits.at[i].begin == EVENT_NONE) {
            waiting_add(r, i);
        }
    }
    settle(r);
}

static void replay_release(struct replay *r)
{
    vec_release(&r->changes);
    arena_release(&r->arena);
}

static bool has_happened(const struct replay *r, event_id id)
{
    must_in_tests(id < r->f->count);
    return r->place[id] != 0 && r->place[id] <= r->now;
}

/* ---- missing conditions of an event, NULL if there are none ---- */

static const char *lacks_order(const struct replay *r, event_id id)
{
    const struct fact *fact = &r->f->of[id];
    if (fact->previous != EVENT_NONE && !has_happened(r, fact->previous)) {
        return "the event before it in its task has not happened";
    }
    for (uint32_t i = fact->needs; i != FACT_NONE; i = r->f->needs.at[i].next) {
        if (!has_happened(r, r->f->needs.at[i].event)) {
            return "an event that it needs has not happened";
        }
    }
    return NULL;
}

static const char *lacks_context(const struct replay *r, event_id id)
{
    const struct fact *fact = &r->f->of[id];
    const struct task_state *task = &r->tasks[trace_at(r->f->t, id)->task];
    if (fact->handlers_over != FACT_NONE && task->handlers_over != fact->handlers_over) {
        return "a handler before it is not over";
    }
    if (fact->handler != FACT_NONE && r->f->handlers.at[fact->handler].first == id &&
        task->handler_open != FACT_NONE) {
        return "another handler of its task is open";
    }
    return NULL;
}

static const char *lacks_lock(const struct replay *r, event_id id)
{
    if (r->f->of[id].section == FACT_NONE) {
        return NULL;
    }
    const struct fact_section *section = &r->f->sections.at[r->f->of[id].section];
    for (uint32_t i = r->open[section->lock]; i != FACT_NONE; i = r->open_next[i]) {
        const struct fact_section *other = &r->f->sections.at[i];
        if (other->task != section->task && !(other->is_shared && section->is_shared)) {
            return "another task holds the lock";
        }
    }
    return NULL;
}

static const char *lacks_notify(const struct replay *r, event_id id)
{
    const uint32_t wait = r->f->of[id].wait;
    if (wait == FACT_NONE || r->f->waits.at[wait].is_free || r->is_served[wait] != 0) {
        return NULL;
    }
    return "nothing has woken it";
}

static const char *lacks_bytes(const struct replay *r, event_id id)
{
    const struct fact_part *part = &r->f->parts.at[r->f->of[id].thing];
    must(part->stream < r->f->stream_count);
    const struct stream_state *stream = &r->streams[part->stream];
    if (trace_at(r->f->t, id)->kind == EVENT_SEND) {
        return part->index < stream->send_next_min ? "later bytes were sent before it" : NULL;
    }
    if (part->index != stream->recv_next) {
        return "bytes before it have not been received";
    }
    return part->sends_needed > stream->sends_in_row ? "its bytes have not been sent" : NULL;
}

static const char *lacks_round(const struct replay *r, event_id id)
{
    uint32_t round = r->f->of[id].thing;
    if (round != FACT_NONE && trace_at(r->f->t, id)->kind == EVENT_BARRIER_ENTER) {
        round = r->f->rounds.at[round].before;
    }
    must(round == FACT_NONE || round < r->f->rounds.count);
    if (round == FACT_NONE || r->entered[round] == r->f->rounds.at[round].enter_count) {
        return NULL;
    }
    return "not all have entered the barrier";
}

static const char *lacks_annotation(const struct replay *r, event_id id)
{
    for (event_id i = r->f->of[id].saw; i != EVENT_NONE; i = r->f->of[i].saw) {
        if (!has_happened(r, i)) {
            return "a happens-before of its object has not happened";
        }
    }
    return NULL;
}

/* The first caller runs the routine; the events of the trace belong to the task that did. */
static const char *lacks_once(const struct replay *r, event_id id)
{
    const uint32_t once = r->f->of[id].thing;
    if (once == FACT_NONE) {
        return NULL;
    }
    must(once < r->f->once_count);
    const bool begins = trace_at(r->f->t, id)->kind == EVENT_ONCE_BEGIN;
    if (begins) {
        return r->onces[once] != ONCE_OPEN ? "another task has run the initialization" : NULL;
    }
    return r->onces[once] == ONCE_UNDER_WAY && !r->f->of[id].ends_once
               ? "the initialization is not complete"
               : NULL;
}

static const char *lacks_child(const struct replay *r, event_id id)
{
    const uint32_t child = r->f->of[id].thing;
    must(child == FACT_NONE || child < r->f->t->tables.tasks.count);
    if (child == FACT_NONE || r->tasks[child].event_count == r->f->task_event_count[child]) {
        return NULL;
    }
    return "the task it joins is not over";
}

static bool is_part(const struct replay *r, event_id id)
{
    const uint16_t kind = trace_at(r->f->t, id)->kind;
    return (kind == EVENT_SEND || kind == EVENT_RECV) && r->f->of[id].thing != FACT_NONE;
}

/* The conditions of the event's own kind. */
static const char *lacks_by_kind(const struct replay *r, event_id id)
{
    const uint16_t kind = trace_at(r->f->t, id)->kind;
    if (is_part(r, id)) {
        return lacks_bytes(r, id);
    }
    if (kind == EVENT_BARRIER_ENTER || kind == EVENT_BARRIER_EXIT) {
        return lacks_round(r, id);
    }
    if (kind == EVENT_HAPPENS_AFTER) {
        return lacks_annotation(r, id);
    }
    if (kind == EVENT_SEM_WAIT) {
        must(r->f->of[id].thing < r->f->semaphores.count);
        return r->units[r->f->of[id].thing] == 0 ? "the semaphore is 0" : NULL;
    }
    if (kind == EVENT_ONCE || kind == EVENT_ONCE_BEGIN) {
        return lacks_once(r, id);
    }
    return kind == EVENT_THREAD_JOIN ? lacks_child(r, id) : NULL;
}

static const char *(*const rules[])(const struct replay *r, event_id id) = {
    lacks_order, lacks_context, lacks_lock, lacks_notify, lacks_by_kind,
};

static const char *lacks(const struct replay *r, event_id id)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const char *missing = rules[i](r, id);
        if (missing != NULL) {
            return missing;
        }
    }
    return NULL;
}

/* Whether the blind updates since the last other write are those that the read saw. */
static bool has_updates_seen(const struct replay *r, event_id id)
{
    if (!r->f->has_updates) {
        return true;
    }
    const struct fact_update *seen = &r->f->updates[id];
    const struct update_state *there = &r->updates[r->f->of[id].thing];
    must(r->f->of[id].thing < r->f->variable_count);
    return there->count == seen->seen &&
           (there->count == 0 ||
            (there->least == seen->number && there->most == seen->number + seen->seen - 1));
}

/* An update of the variable that is listed later and does not commute with this one has come. */
static bool is_overtaken(const struct replay *r, event_id id)
{
    const struct fact_update *update = &r->f->updates[id];
    uint32_t family = r->f->families_of.at[r->f->of[id].thing];
    for (; family != FACT_NONE; family = r->f->families.at[family].next) {
        must(family < r->f->families.count);
        if (family != update->family && r->family_last[family] > update->number) {
            return true;
        }
    }
    return false;
}

static const char *lacks_write(const struct replay *r, event_id id)
{
    const struct fact *fact = &r->f->of[id];
    if (facts_event_updates(trace_at(r->f->t, id)) && is_overtaken(r, id)) {
        return "an update that does not commute with it came first";
    }
    if (!facts_event_reads(trace_at(r->f->t, id)) ||
        (r->last_write[fact->thing] == fact->saw && has_updates_seen(r, id))) {
        return NULL;
    }
    return "it would not read the value that it read in the trace";
}

/* ---- effects of an event ---- */

static void list_remove(struct replay *r, uint32_t *head, uint32_t *next, uint32_t item)
{
    while (*head != FACT_NONE && *head != item) {
        head = &next[*head];
    }
    if (*head == item) {
        set(r, head, next[item]);
    }
}

/* A signal wakes the wait that ends first in the order: another choice serves no more waits. */
static void wake(struct replay *r, event_id id)
{
    const bool wakes_all = trace_at(r->f->t, id)->kind == EVENT_BROADCAST;
    uint32_t first = FACT_NONE;
    uint32_t first_place = UINT32_MAX;
    for (uint32_t i = r->waiting[r->f->of[id].thing]; i != FACT_NONE; i = r->waiting_next[i]) {
        const uint32_t place = r->place[r->f->waits.at[i].end];
        if (r->is_served[i] != 0 || r->f->waits.at[i].is_free || place == 0) {
            continue;
        }
        if (wakes_all) {
            set(r, &r->is_served[i], true);
        } else if (place < first_place) {
            first = i;
            first_place = place;
        }
    }
    if (first != FACT_NONE) {
        set(r, &r->is_served[first], true);
    }
}

static void change_waits(struct replay *r, event_id id)
{
    const struct fact *fact = &r->f->of[id];
    const uint16_t kind = trace_at(r->f->t, id)->kind;
    if (kind == EVENT_SIGNAL || kind == EVENT_BROADCAST) {
        wake(r, id);
    }
    if (fact->wait != FACT_NONE) {
        list_remove(r, &r->waiting[r->f->waits.at[fact->wait].condition], r->waiting_next,
                    fact->wait);
    }
    for (uint32_t i = fact->waits_begun; i != FACT_NONE; i = r->f->waits.at[i].next_begun) {
        waiting_add(r, i);
    }
}

static void change_locks(struct replay *r, event_id id)
{
    const struct fact *fact = &r->f->of[id];
    if (fact->section != FACT_NONE) {
        uint32_t *head = &r->open[r->f->sections.at[fact->section].lock];
        set(r, &r->open_next[fact->section], *head);
        set(r, head, fact->section);
    }
    for (uint32_t i = fact->sections_over; i != FACT_NONE; i = r->f->sections.at[i].next_over) {
        list_remove(r, &r->open[r->f->sections.at[i].lock], r->open_next, i);
    }
}

static void change_task(struct replay *r, event_id id)
{
    const uint32_t handler = r->f->of[id].handler;
    struct task_state *task = &r->tasks[trace_at(r->f->t, id)->task];
    set(r, &task->event_count, task->event_count + 1);
    if (handler == FACT_NONE) {
        return;
    }
    const bool is_over = r->f->handlers.at[handler].last == id;
    set(r, &task->handler_open, is_over ? FACT_NONE : handler);
    set(r, &task->handlers_over, task->handlers_over + is_over);
}

static void change_stream(struct replay *r, event_id id)
{
    const struct fact_part *part = &r->f->parts.at[r->f->of[id].thing];
    struct stream_state *stream = &r->streams[part->stream];
    if (trace_at(r->f->t, id)->kind == EVENT_RECV) {
        set(r, &stream->recv_next, stream->recv_next + 1);
        return;
    }
    if (part->index == stream->sends_in_row) {
        set(r, &stream->sends_in_row, part->index + 1);
    }
    set(r, &stream->send_next_min, part->index + 1);
}

static void change_variable(struct replay *r, event_id id)
{
    const uint32_t variable = r->f->of[id].thing;
    struct update_state *there = r->f->has_updates ? &r->updates[variable] : NULL;
    if (!facts_event_updates(trace_at(r->f->t, id))) {
        set(r, &r->last_write[variable], id);
        if (there != NULL) {
            set(r, &there->count, 0);
        }
        return;
    }
    must(there != NULL);
    const struct fact_update *update = &r->f->updates[id];
    const bool is_first = there->count == 0;
    set(r, &there->count, there->count + 1);
    if (is_first || update->number < there->least) {
        set(r, &there->least, update->number);
    }
    if (is_first || update->number > there->most) {
        set(r, &there->most, update->number);
    }
    if (update->number > r->family_last[update->family]) {
        set(r, &r->family_last[update->family], update->number);
    }
}

static void happen(struct replay *r, event_id id)
{
    const struct event *e = trace_at(r->f->t, id);
    const uint32_t thing = r->f->of[id].thing;
    change_waits(r, id);
    change_locks(r, id);
    change_task(r, id);
    if (facts_event_writes(e)) {
        change_variable(r, id);
    } else if (is_part(r, id)) {
        change_stream(r, id);
    } else if (e->kind == EVENT_BARRIER_ENTER) {
        set(r, &r->entered[thing], r->entered[thing] + 1);
    } else if (e->kind == EVENT_SEM_POST && r->f->has_kind[EVENT_SEM_WAIT]) {
        set(r, &r->units[thing], r->units[thing] + 1);
    } else if (e->kind == EVENT_SEM_WAIT) {
        set(r, &r->units[thing], r->units[thing] - 1);
    } else if ((e->kind == EVENT_ONCE || e->kind == EVENT_ONCE_BEGIN) && thing != FACT_NONE) {
        set(r, &r->onces[thing], e->kind == EVENT_ONCE ? ONCE_COMPLETE : ONCE_UNDER_WAY);
    }
    set(r, &r->now, r->now + 1);
}

/* ---- checking ---- */

static int refuse(const struct witness_checker *c, event_id id, const char *why, struct err *e)
{
    const struct trace *t = c->facts.t;
    const struct event *event = trace_at(t, id);
    const struct task *task = &t->tables.tasks.at[event->task];
    return err_set(e, "event %u (%s of %s@%s): %s", id, kind_of(event->kind)->name,
                   trace_name(t, task->name), trace_name(t, task->node), why);
}

static size_t order_count(const struct witness *w)
{
    return w->listed + w->count;
}

static event_id order_at(const struct witness *w, size_t index)
{
    return index < w->listed ? (event_id)index : w->order[index - w->listed];
}

/* Takes up where each event stands that is not settled; fails on an event that is unknown or there
 * twice. */
static int place_all(struct witness_checker *c, const struct witness *w, struct err *e)
{
    struct replay *r = &c->replay;
    for (size_t i = c->settled; i < order_count(w); i++) {
        const event_id id = order_at(w, i);
        if (id >= c->facts.count) {
            return err_set(e, "event %u is not in the trace", id);
        }
        if (r->place[id] != 0) {
            return refuse(c, id, "it is there twice", e);
        }
        set(r, &r->place[id], (uint32_t)i + 1);
    }
    return 0;
}

static bool are_conflicting(const struct facts *f, event_id a, event_id b)
{
    const struct event *first = trace_at(f->t, a);
    const struct event *second = trace_at(f->t, b);
    const bool are_accesses = facts_event_accesses(first) && facts_event_accesses(second);
    const bool are_atomic =
        event_class(first) == CLASS_ATOMIC && event_class(second) == CLASS_ATOMIC;
    return are_accesses && !are_atomic && first->task != second->task &&
           f->of[a].thing == f->of[b].thing &&
           (facts_event_writes(first) || facts_event_writes(second));
}

static int check_message_end(const struct witness_checker *c, const struct witness *w,
                             struct err *e)
{
    const size_t count = order_count(w);
    if (count < 1 || order_at(w, count - 1) != w->b) {
        return err_set(e, "a message race ends in the earlier receive, event %u", w->b);
    }
    if (trace_at(c->facts.t, w->a)->kind != EVENT_SEND || c->replay.place[w->a] == 0) {
        return refuse(c, w->a, "the later message is not sent in the order", e);
    }
    return trace_at(c->facts.t, w->b)->kind == EVENT_RECV ? 0
                                                          : refuse(c, w->b, "it is no receive", e);
}

static int check_use_end(const struct witness_checker *c, const struct witness *w, struct err *e)
{
    const size_t count = order_count(w);
    const struct event *access = trace_at(c->facts.t, w->b);
    if (count < 1 || order_at(w, count - 1) != w->b) {
        return err_set(e, "a use after free ends in the access, event %u", w->b);
    }
    if (trace_at(c->facts.t, w->a)->kind != EVENT_FREE || c->replay.place[w->a] == 0) {
        return refuse(c, w->a, "the memory is not freed in the order", e);
    }
    return facts_event_reads(access) || facts_event_writes(access)
               ? 0
               : refuse(c, w->b, "it is no access", e);
}

/* Whether the event asks for a lock and can block for ever. */
static bool is_request(const struct facts *f, event_id id)
{
    const struct event *event = trace_at(f->t, id);
    if (event->kind == EVENT_SEM_WAIT) {
        return event->mode == SEMAPHORE_BLOCKING;
    }
    return f->of[id].section != FACT_NONE &&
           (event->kind == EVENT_WAIT_END ||
            (event->kind == EVENT_LOCK && !lock_mode_is_try(event->mode)));
}

/* The order ends in requests of different tasks. */
static int check_requests(const struct witness_checker *c, const struct witness *w, struct err *e)
{
    const size_t count = order_count(w);
    if (w->request_count < 2 || count < w->request_count) {
        return err_set(e, "a deadlock ends in two requests or more");
    }
    for (size_t i = 0; i < w->request_count; i++) {
        const event_id id = w->requests[i];
        if (order_at(w, count - w->request_count + i) != id) {
            return err_set(e, "a deadlock ends in its requests, as the one of event %u", id);
        }
        if (!is_request(&c->facts, id)) {
            return refuse(c, id, "it is no request for a lock that blocks for ever", e);
        }
        for (size_t k = 0; k < i; k++) {
            if (trace_at(c->facts.t, w->requests[k])->task == trace_at(c->facts.t, id)->task) {
                return refuse(c, id, "another request is of its task", e);
            }
        }
    }
    return 0;
}

/* The order ends in the events that it is to show. */
static int check_end(const struct witness_checker *c, const struct witness *w, struct err *e)
{
    if (w->request_count > 0) {
        return check_requests(c, w, e);
    }
    if (w->a >= c->facts.count || w->b >= c->facts.count) {
        return err_set(e, "event %u is not in the trace", w->a < w->b ? w->b : w->a);
    }
    if (w->is_message) {
        return check_message_end(c, w, e);
    }
    if (w->is_use) {
        return check_use_end(c, w, e);
    }
    const size_t count = order_count(w);
    const uint32_t *place = c->replay.place;
    if (count < 2 || place[w->a] + 1 < count || place[w->b] + 1 < count) {
        return err_set(e, "a data race ends in its two accesses, events %u and %u", w->a, w->b);
    }
    return are_conflicting(&c->facts, w->a, w->b)
               ? 0
               : refuse(c, w->a, "it does not conflict with the other access", e);
}

/* One event of the prefix happens, or is refused. */
static int replay_one(struct witness_checker *c, event_id id, struct err *e)
{
    const char *missing = lacks(&c->replay, id);
    missing = missing == NULL ? lacks_write(&c->replay, id) : missing;
    if (missing != NULL) {
        return refuse(c, id, missing, e);
    }
    happen(&c->replay, id);
    return 0;
}

/* Why the holder's task does not keep the request from its lock, NULL when it does. An fcntl lock
 * belongs to a process, whose own tasks it does not block. */
static const char *is_not_blocked(const struct replay *r, event_id request, event_id holder)
{
    const struct trace *t = r->f->t;
    const struct event *asking = trace_at(t, request);
    const struct task *tasks = t->tables.tasks.at;
    const uint32_t task = trace_at(t, holder)->task;
    const uint8_t mode = lock_mode_held(asking->mode);
    const bool is_of_process =
        asking->kind == EVENT_LOCK && (mode == LOCK_FCNTL_READ || mode == LOCK_FCNTL_WRITE);
    if (is_of_process && tasks[asking->task].node == tasks[task].node) {
        return "its own process holds the lock";
    }
    const struct fact_section *section = &r->f->sections.at[r->f->of[request].section];
    for (uint32_t i = r->open[section->lock]; i != FACT_NONE; i = r->open_next[i]) {
        const struct fact_section *other = &r->f->sections.at[i];
        if (other->task == task && !(other->is_shared && section->is_shared)) {
            return NULL;
        }
    }
    return "the next task does not hold the lock";
}

/* The same of a semaphore that is used as a lock: who has waited for it last holds it. */
static const char *has_unit(const struct replay *r, const struct witness *w, event_id request,
                            event_id holder)
{
    const struct trace *t = r->f->t;
    const uint32_t semaphore = r->f->of[request].thing;
    if (r->units[semaphore] != 0) {
        return "the semaphore is not 0";
    }
    for (size_t i = order_count(w) - w->request_count; i-- > 0;) {
        const event_id id = order_at(w, i);
        if (trace_at(t, id)->kind == EVENT_SEM_WAIT && r->f->of[id].thing == semaphore) {
            return trace_at(t, id)->task == trace_at(t, holder)->task
                       ? NULL
                       : "the next task does not hold the semaphore";
        }
    }
    return "nobody holds the semaphore";
}

/* Each request lacks its lock, and nothing else. */
static int check_blocked(const struct witness_checker *c, const struct witness *w, struct err *e)
{
    const struct replay *r = &c->replay;
    for (size_t i = 0; i < w->request_count; i++) {
        const event_id id = w->requests[i];
        const event_id next = w->requests[(i + 1) % w->request_count];
        const bool is_semaphore = trace_at(r->f->t, id)->kind == EVENT_SEM_WAIT;
        const char *missing = lacks_order(r, id);
        missing = missing == NULL ? lacks_context(r, id) : missing;
        missing = missing == NULL ? lacks_notify(r, id) : missing;
        if (missing == NULL) {
            missing = is_semaphore ? has_unit(r, w, id, next) : lacks_by_kind(r, id);
        }
        if (missing == NULL && !is_semaphore) {
            missing = is_not_blocked(r, id, next);
        }
        if (missing != NULL) {
            return refuse(c, id, missing, e);
        }
    }
    return 0;
}

/* How many events at the end of the order come next, and do not happen. */
static size_t tail_count(const struct witness *w)
{
    return w->request_count > 0 ? w->request_count : w->is_message || w->is_use ? 1 : 2;
}

static int replay_rest(struct witness_checker *c, const struct witness *w, struct err *e)
{
    const size_t tail = tail_count(w);
    for (size_t i = c->settled; i < order_count(w) - tail; i++) {
        if (replay_one(c, order_at(w, i), e) < 0) {
            return -1;
        }
    }
    if (w->request_count > 0) {
        return check_blocked(c, w, e);
    }
    for (size_t i = order_count(w) - tail; i < order_count(w); i++) {
        const char *missing = lacks(&c->replay, order_at(w, i));
        if (missing != NULL) {
            return refuse(c, order_at(w, i), missing, e);
        }
    }
    return 0;
}

/* Replays events as listed, for good, until exactly `count` are settled. */
static int settle_listed(struct witness_checker *c, size_t count, struct err *e)
{
    if (count < c->settled) {
        replay_release(&c->replay);
        replay_init(&c->replay, &c->facts);
        c->settled = 0;
    }
    for (; c->settled < count; c->settled++) {
        const event_id id = (event_id)c->settled;
        if (replay_one(c, id, e) < 0) {
            return -1;
        }
        c->replay.place[id] = id + 1;
        settle(&c->replay);
    }
    return 0;
}

int witness_check(struct witness_checker *c, const struct witness *w, struct err *e)
{
    const size_t tail = tail_count(w);
    if (w->listed > c->facts.count || (w->count < tail && w->listed > 0)) {
        return err_set(e, "the order is longer than the trace, or has no end");
    }
    /* Which wait a signal ends depends on later events of the order. */
    if (settle_listed(c, c->facts.waits.count > 0 ? 0 : w->listed, e) < 0) {
        return -1;
    }
    int result = place_all(c, w, e);
    if (result == 0) {
        result = check_end(c, w, e);
    }
    if (result == 0) {
        result = replay_rest(c, w, e);
    }
    take_back(&c->replay);
    return result;
}

/* Replays the waits of the list itself: a wait that no event ends there needs no notify. */
static void find_free_waits(struct witness_checker *c)
{
    struct replay r;
    replay_init(&r, &c->facts);
    for (event_id id = 0; id < c->facts.count; id++) {
        r.place[id] = id + 1;
    }
    for (event_id id = 0; id < c->facts.count; id++) {
        change_waits(&r, id);
    }
    for (size_t i = 0; i < c->facts.waits.count; i++) {
        c->facts.waits.at[i].is_free = r.is_served[i] == 0;
    }
    replay_release(&r);
}

struct witness_checker *witness_checker_new(const struct trace *t, const struct witness_edge *edges,
                                            size_t edge_count)
{
    struct witness_checker *c = mem_zero(1, sizeof *c);
    facts_read(&c->facts, t);
    for (size_t i = 0; i < edge_count; i++) {
        must(edges[i].before < c->facts.count);
        must(edges[i].after < c->facts.count);
        facts_need(&c->facts, edges[i].after, edges[i].before);
    }
    if (c->facts.waits.count > 0) {
        find_free_waits(c);
    }
    replay_init(&c->replay, &c->facts);
    return c;
}

void witness_checker_free(struct witness_checker *c)
{
    if (c == NULL) {
        return;
    }
    replay_release(&c->replay);
    facts_release(&c->facts);
    mem_free(c);
}
