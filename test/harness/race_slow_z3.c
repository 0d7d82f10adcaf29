#include "race_slow.h"

#include <z3.h>

#include "base/mem.h"
#include "test.h"
#include "wire/kind.h"

/* Each event is an integer, its time. In a prefix each event is also a flag: whether it is in. */
struct query {
    const struct rules *r;
    bool is_prefix;
    Z3_context z3;
    Z3_solver solver;
    Z3_ast *time;
    Z3_ast *is_in;
};

static void add(struct query *q, Z3_ast claim)
{
    Z3_solver_assert(q->z3, q->solver, claim);
}

static Z3_ast both(struct query *q, Z3_ast a, Z3_ast b)
{
    return Z3_mk_and(q->z3, 2, (Z3_ast[]){a, b});
}

static Z3_ast either(struct query *q, Z3_ast a, Z3_ast b)
{
    return Z3_mk_or(q->z3, 2, (Z3_ast[]){a, b});
}

static Z3_ast not(struct query * q, Z3_ast a)
{
    return Z3_mk_not(q->z3, a);
}

static Z3_ast in(struct query *q, event_id id)
{
    return q->is_prefix ? q->is_in[id] : Z3_mk_true(q->z3);
}

/* `a` has happened by the time of b. */
static Z3_ast before(struct query *q, event_id a, event_id b)
{
    return both(q, in(q, a), Z3_mk_lt(q->z3, q->time[a], q->time[b]));
}

static void add_if(struct query *q, Z3_ast condition, Z3_ast claim)
{
    add(q, Z3_mk_implies(q->z3, condition, claim));
}

static void add_edges(struct query *q, const rules_edges *edges)
{
    vec_each (edges, edge) {
        add_if(q, in(q, edge->to), before(q, edge->from, edge->to));
    }
}

/* Of two spans of events that have both begun, one is over before the other begins. */
static void add_exclusion(struct query *q, struct rules_edge span, struct rules_edge other)
{
    add_if(q, both(q, in(q, span.from), in(q, other.from)),
           either(q, before(q, span.to, other.from), before(q, other.to, span.from)));
}

static void add_handlers(struct query *q)
{
    vec_each (&q->r->handlers, h) {
        for (const struct rules_handler *other = h + 1; other < h_end; other++) {
            if (h->task == other->task) {
                add_exclusion(q, (struct rules_edge){h->first, h->last},
                              (struct rules_edge){other->first, other->last});
            }
        }
    }
}

static void add_sections(struct query *q)
{
    vec_each (&q->r->sections, s) {
        for (const struct rules_section *other = s + 1; other < s_end; other++) {
            if (rules_exclude(s, other)) {
                add_exclusion(q, (struct rules_edge){s->first, s->last},
                              (struct rules_edge){other->first, other->last});
            }
        }
    }
}

static bool is_notify_for(const struct rules *r, event_id id, const struct rules_wait *w)
{
    const struct event *e = trace_at(r->t, id);
    return (e->kind == EVENT_SIGNAL || e->kind == EVENT_BROADCAST) &&
           rules_object(r->t, e, e->object) == w->condition;
}

/* The claim that notify n ends wait w, in its window. */
static Z3_ast serves(struct query *q, event_id n, const struct rules_wait *w)
{
    Z3_ast chosen = Z3_mk_fresh_const(q->z3, "serves", Z3_mk_bool_sort(q->z3));
    add_if(q, chosen, before(q, n, w->end));
    if (w->begin != EVENT_NONE) {
        add_if(q, chosen, before(q, w->begin, n));
    }
    return chosen;
}

/* Every wait that the list serves has a notify; a signal ends at most one of them. */
static void add_waits(struct query *q)
{
    const struct rules *r = q->r;
    const size_t count = r->waits.count;
    Z3_ast *served = mem_zero(count + 1, sizeof(Z3_ast));
    Z3_ast *by_signal = mem_zero(count + 1, sizeof(Z3_ast));
    for (size_t i = 0; i < count; i++) {
        served[i] = Z3_mk_false(q->z3);
    }
    for (event_id n = 0; n < r->count; n++) {
        unsigned rivals = 0;
        for (size_t i = 0; i < count; i++) {
            const struct rules_wait *w = &r->waits.at[i];
            if (w->server != EVENT_NONE && is_notify_for(r, n, w)) {
                by_signal[rivals] = serves(q, n, w);
                served[i] = either(q, served[i], by_signal[rivals++]);
            }
        }
        if (rivals > 1 && trace_at(r->t, n)->kind == EVENT_SIGNAL) {
            add(q, Z3_mk_atmost(q->z3, rivals, by_signal, 1));
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (r->waits.at[i].server != EVENT_NONE) {
            add_if(q, in(q, r->waits.at[i].end), served[i]);
        }
    }
    mem_free(served);
    mem_free(by_signal);
}

/* One if the event is in, and before the wait, else 0. */
static Z3_ast counts_before(struct query *q, event_id id, event_id wait)
{
    Z3_sort number = Z3_mk_int_sort(q->z3);
    return Z3_mk_ite(q->z3, both(q, in(q, id), Z3_mk_lt(q->z3, q->time[id], q->time[wait])),
                     Z3_mk_int(q->z3, 1, number), Z3_mk_int(q->z3, 0, number));
}

/* Fewer waits than the initial count and the posts before it; no two waits come at once. */
static void add_semaphores(struct query *q)
{
    const struct rules *r = q->r;
    Z3_sort number = Z3_mk_int_sort(q->z3);
    vec_each (&r->semaphore_waits, w) {
        Z3_ast units = Z3_mk_int(q->z3, (int)w->initial, number);
        Z3_ast waits = Z3_mk_int(q->z3, 0, number);
        for (event_id id = 0; id < r->count; id++) {
            const uint16_t kind = trace_at(r->t, id)->kind;
            if (id == w->wait || (kind != EVENT_SEM_POST && kind != EVENT_SEM_WAIT) ||
                !rules_same_semaphore(r, id, w->wait)) {
                continue;
            }
            Z3_ast *sum = kind == EVENT_SEM_POST ? &units : &waits;
            *sum = Z3_mk_add(q->z3, 2, (Z3_ast[]){*sum, counts_before(q, id, w->wait)});
            if (kind == EVENT_SEM_WAIT) {
                add(q, not(q, Z3_mk_eq(q->z3, q->time[id], q->time[w->wait])));
            }
        }
        add_if(q, in(q, w->wait), Z3_mk_lt(q->z3, waits, units));
    }
}

/* A blind update that the read saw comes between the write that it saw and the read. */
static void add_update_seen(struct query *q, event_id read, event_id update)
{
    const event_id writer = q->r->writer[read];
    add_if(q, in(q, read), before(q, update, read));
    if (writer != EVENT_NONE) {
        add_if(q, in(q, read), before(q, writer, update));
    }
}

/* A read in the prefix comes after the write it saw, and no other write is between. */
static void add_read(struct query *q, event_id read)
{
    const struct rules *r = q->r;
    const struct event *e = trace_at(r->t, read);
    const event_id writer = r->writer[read];
    if (writer != EVENT_NONE) {
        add_if(q, in(q, read), before(q, writer, read));
    }
    for (event_id id = 0; id < r->count; id++) {
        const struct event *write = trace_at(r->t, id);
        if (id == writer || id == read || !rules_event_writes(write) ||
            rules_object(r->t, write, write->object) != rules_object(r->t, e, e->object)) {
            continue;
        }
        if (rules_saw_update(r, read, id)) {
            add_update_seen(q, read, id);
            continue;
        }
        Z3_ast elsewhere = Z3_mk_lt(q->z3, q->time[read], q->time[id]);
        if (writer != EVENT_NONE) {
            elsewhere = either(q, elsewhere, Z3_mk_lt(q->z3, q->time[id], q->time[writer]));
        }
        add_if(q, both(q, in(q, read), in(q, id)), elsewhere);
    }
}

static void add_prefix(struct query *q)
{
    add_edges(q, &q->r->stream);
    vec_each (&q->r->lined_up, edge) {
        add_if(q, both(q, in(q, edge->from), in(q, edge->to)), before(q, edge->from, edge->to));
    }
    for (event_id id = 0; id < q->r->count; id++) {
        if (rules_event_reads(trace_at(q->r->t, id))) {
            add_read(q, id);
        }
        for (event_id later = id + 1; later < q->r->count; later++) {
            if (rules_updates_conflict(q->r, id, later)) {
                add_if(q, both(q, in(q, id), in(q, later)), before(q, id, later));
            }
        }
    }
}

static void add_sources(struct query *q, const rules_edges *edges, event_id target)
{
    vec_each (edges, edge) {
        if (edge->to == target) {
            add(q, in(q, edge->from));
        }
    }
}

/* The event is not in the prefix, and all that it needs is. */
static void add_next(struct query *q, event_id id)
{
    add(q, not(q, in(q, id)));
    add_sources(q, &q->r->program, id);
    add_sources(q, &q->r->cross, id);
    add_sources(q, &q->r->stream, id);
}

static bool is_possible(struct query *q)
{
    const Z3_lbool answer = Z3_solver_check(q->z3, q->solver);
    must(answer != Z3_L_UNDEF);
    return answer == Z3_L_TRUE;
}

static bool is_data_race(struct query *q, struct rules_pair pair)
{
    Z3_solver_push(q->z3, q->solver);
    if (q->is_prefix) {
        add_next(q, pair.a);
        add_next(q, pair.b);
    } else {
        add(q, Z3_mk_eq(q->z3, q->time[pair.a], q->time[pair.b]));
    }
    const bool answer = is_possible(q);
    Z3_solver_pop(q->z3, q->solver, 1);
    return answer;
}

static bool is_message_race(struct query *q, struct rules_pair pair)
{
    Z3_solver_push(q->z3, q->solver);
    if (q->is_prefix) {
        add(q, in(q, pair.a));
        add_next(q, pair.b);
    } else {
        add(q, before(q, pair.a, pair.b));
    }
    const bool answer = is_possible(q);
    Z3_solver_pop(q->z3, q->solver, 1);
    return answer;
}

static void query_init(struct query *q, const struct rules *r, enum slow_model model)
{
    *q = (struct query){.r = r, .is_prefix = model != SLOW_STRICT};
    Z3_config config = Z3_mk_config();
    q->z3 = Z3_mk_context(config);
    Z3_del_config(config);
    q->solver = Z3_mk_simple_solver(q->z3);
    Z3_solver_inc_ref(q->z3, q->solver);
    q->time = mem_zero(r->count + 1, sizeof(Z3_ast));
    q->is_in = mem_zero(r->count + 1, sizeof(Z3_ast));
    for (event_id id = 0; id < r->count; id++) {
        q->time[id] = Z3_mk_fresh_const(q->z3, "time", Z3_mk_int_sort(q->z3));
        q->is_in[id] = Z3_mk_fresh_const(q->z3, "in", Z3_mk_bool_sort(q->z3));
    }
}

static void query_release(struct query *q)
{
    mem_free(q->time);
    mem_free(q->is_in);
    Z3_solver_dec_ref(q->z3, q->solver);
    Z3_del_context(q->z3);
}

static void decide(const struct rules *r, enum slow_model model, struct slow_answer *answer)
{
    must(model != SLOW_SYNC_PRESERVING);
    struct query q;
    query_init(&q, r, model);
    add_edges(&q, &r->program);
    add_edges(&q, &r->cross);
    add_handlers(&q);
    add_sections(&q);
    add_waits(&q);
    if (q.is_prefix) {
        add_semaphores(&q);
        add_prefix(&q);
    }
    answer->has_order = q.is_prefix || is_possible(&q);
    for (size_t i = 0; i < r->data_candidates.count; i++) {
        answer->data[i] = is_data_race(&q, r->data_candidates.at[i]);
    }
    for (size_t i = 0; i < r->message_candidates.count; i++) {
        answer->message[i] = is_message_race(&q, r->message_candidates.at[i]);
    }
    query_release(&q);
}

/* In a strict order an access of a routine is made by the task that ran it. */
static void decide_routines(const struct rules *r, struct slow_answer *answer)
{
    struct rules fixed;
    struct arena arena = {0};
    rules_read_fixed(&fixed, r->t);
    struct slow_answer other = slow_answer_take(&arena, &fixed);
    decide(&fixed, SLOW_STRICT, &other);
    for (size_t i = 0; i < r->data_candidates.count; i++) {
        if (rules_is_about_routine(r, r->data_candidates.at[i])) {
            answer->data[i] = other.data[i];
        }
    }
    arena_release(&arena);
    rules_release(&fixed);
}

void slow_by_z3(const struct rules *r, enum slow_model model, struct slow_answer *answer)
{
    decide(r, model, answer);
    if (model == SLOW_STRICT && r->routines.count > 0) {
        decide_routines(r, answer);
    }
}
