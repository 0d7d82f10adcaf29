/* External events: those of a fuzz file (world/fuzz.h), drawn for each run. They are a sequence. A
 * request is sent once all before it have come, and arrives when it is chosen, like any message. A
 * fault can strike once all before it have come, before timers in the default order, for the events
 * behind it must come too. A wait ends when its condition holds; or when nothing can happen any
 * more, for nothing would ever follow it (DEMi, section 4). */
#include "sim/external_events.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/yaml.h"
#include "pick/operation_name.h"
#include "sim/fault.h"
#include "sim/net.h"
#include "sim/pending.h"
#include "sim/properties.h"
#include "sim/state_hash.h"
#include "sim/system_memory.h"
#include "spec/checker.h"

/* Requests are sent while there is room for the system's own messages. */
enum { PARCELS_ENOUGH = SIM_PENDING_MAX / 4 };

/* The condition of a wait. */
struct wait {
    const struct fuzz_event *event;
    struct spec spec;
    struct checker *checker;
};

struct outside {
    struct fuzz own; /* the system's */
    const struct fuzz *fuzz;
    struct fuzz_names names;
    VEC(struct wait) waits;
    struct arena arena; /* of events */
    struct fuzz_injections events;
    uint64_t seed; /* with which they were drawn */
    bool is_drawn;
};

/* Conditions */

/* The formula at its own place among blank lines, so that an error message has the place in the
 * file. */
static void print_condition(const struct fuzz_event *event, struct out *text)
{
    const int written = (int)strlen("wait: possibly");
    out_text(text, "wait: possibly");
    for (uint32_t line = 1; line < event->line; line++) {
        out_char(text, '\n');
    }
    for (int column = event->line > 1 ? 1 : 1 + written; column < (int)event->column; column++) {
        out_char(text, ' ');
    }
    out_text(text, event->condition);
}

static int parse_condition(struct wait *w, struct err *e)
{
    struct out text;
    struct in in;
    out_open_memory(&text);
    print_condition(w->event, &text);
    in_open_memory(&in, text.buffer, text.used);
    const int result = spec_parse(&w->spec, &in, e);
    out_abandon(&text);
    if (result < 0) {
        return -1;
    }
    const struct yaml_node place = {.line = w->event->line, .column = w->event->column};
    if (w->spec.properties.count != 1 || w->spec.groups.count != 0) {
        return yaml_refuse(&place, e, "a wait has one condition");
    }
    return spec_at(&w->spec, w->spec.properties.at[0].root)->is_temporal
               ? yaml_refuse(&place, e, "a condition speaks of one moment, not of others")
               : 0;
}

static int open_waits(struct sim *s, struct outside *o, struct err *e)
{
    const struct checker_system system = {.processes = s->names.node_texts,
                                          .process_count = s->node_count};
    vec_each (&o->fuzz->initial, event) {
        if (event->kind != FUZZ_WAIT || event->condition == NULL) {
            continue;
        }
        vec_push(&o->waits, (struct wait){.event = event});
        struct wait *w = vec_last(&o->waits);
        spec_init(&w->spec);
        if (parse_condition(w, e) < 0 || checker_new(&w->checker, &w->spec, &system, e) < 0) {
            return -1;
        }
    }
    return 0;
}

const struct spec *outside_condition(const struct sim *s, size_t index)
{
    const struct outside *o = s->outside;
    return o != NULL && index < o->waits.count ? &o->waits.at[index].spec : NULL;
}

static void set_variables(const struct sim *s, struct checker *c)
{
    for (uint32_t node = 0; node < s->node_count; node++) {
        const struct node *n = &s->core->nodes[node];
        for (uint32_t i = 0; i < s->reported.count; i++) {
            const uint32_t slot = checker_slot(c, node, s->reported.names[i]);
            if ((n->variables_set >> i & 1) != 0) {
                checker_set(c, slot, n->variables[i]);
            } else {
                checker_unset(c, slot);
            }
        }
    }
}

/* Asked of each state again: a wait is for a condition on the current state. */
static bool holds(struct sim *s, const struct fuzz_event *event)
{
    vec_each (&s->outside->waits, w) {
        if (w->event == event) {
            checker_begin(w->checker);
            set_variables(s, w->checker);
            claims_count_messages(s, w->checker);
            (void)checker_step(w->checker, claims_now(s));
            return checker_status(w->checker, 0)->verdict == CHECKER_HELD;
        }
    }
    bug("a wait without a condition");
}

static bool is_resting(const struct sim *s)
{
    bool is_writing = false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        is_writing = is_writing || s->core->nodes[i].disk.first != NULL;
    }
    return s->core->parcel_count == 0 && !is_writing;
}

/* Opening */

static int read_own(struct sim *s, struct outside *o, struct err *e)
{
    struct in in;
    in_open_memory(&in, s->system->config, strlen(s->system->config));
    o->fuzz = &o->own;
    return fuzz_read(&o->own, &in, e);
}

static bool is_undone_by(const struct fuzz_event *first, const struct fuzz_event *second)
{
    return ((first->kind == FUZZ_CRASH && second->kind == FUZZ_RESTART) ||
            (first->kind == FUZZ_PARTITION && second->kind == FUZZ_HEAL)) &&
           first->node != NULL && second->node != NULL && strcmp(first->node, second->node) == 0;
}

/* Whether something stands behind a fault or a wait and could come without it. */
static bool has_bound(const struct fuzz *f)
{
    bool is_any = false;
    for (size_t i = 0; i < f->initial.count; i++) {
        const struct fuzz_event *event = &f->initial.at[i];
        for (size_t k = i + 1; event->kind != FUZZ_REQUEST && k < f->initial.count; k++) {
            is_any = is_any || !is_undone_by(event, &f->initial.at[k]);
        }
        is_any = is_any || (event->kind != FUZZ_REQUEST && f->generators.count > 0);
    }
    vec_each (&f->generators, event) {
        is_any = is_any || event->kind != FUZZ_REQUEST;
    }
    return is_any;
}

static bool has_needs(const struct fuzz *f)
{
    vec_each (&f->generators, event) {
        if (event->needs != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

int outside_open(struct sim *s, const struct sim_options *options, struct err *e)
{
    if (options->fuzz == NULL && s->system->config == NULL) {
        return 0;
    }
    struct outside *o = s->outside = mem_zero(1, sizeof *o);
    o->names = (struct fuzz_names){.nodes = s->names.node_texts, .messages = s->system->messages};
    o->fuzz = options->fuzz;
    if ((options->fuzz == NULL && read_own(s, o, e) < 0) || fuzz_check(o->fuzz, &o->names, e) < 0 ||
        open_waits(s, o, e) < 0) {
        return err_wrap(e, "%s", options->fuzz == NULL ? "its config" : options->fuzz_name);
    }
    s->world.has_bound_events = has_bound(o->fuzz);
    s->world.has_needs = has_needs(o->fuzz);
    return 0;
}

void outside_close(struct sim *s)
{
    struct outside *o = s->outside;
    if (o == NULL) {
        return;
    }
    vec_each (&o->waits, w) {
        checker_free(w->checker);
        spec_release(&w->spec);
    }
    vec_release(&o->waits);
    fuzz_release(&o->own);
    arena_release(&o->arena);
    mem_free(o);
}

const struct fuzz *outside_fuzz(const struct sim *s)
{
    return s->outside == NULL ? NULL : s->outside->fuzz;
}

/* The run */

void outside_begin(struct sim *s)
{
    struct outside *o = s->outside;
    const uint64_t seed = s->plan->pick.seed;
    if (o != NULL && (!o->is_drawn || o->seed != seed)) {
        struct prng prng;
        prng_init(&prng, name_mix(seed, s->names.nodes[0]));
        arena_reset(&o->arena, (struct arena_mark){0});
        o->events = fuzz_draw(o->fuzz, &o->names, &prng, &o->arena);
        o->seed = seed;
        o->is_drawn = true;
    }
}

void outside_begin_anew(struct sim *s)
{
    const struct outside *o = s->outside;
    s->core->event_cause = STEP_NONE;
    if (o != NULL && o->events.count > 0) {
        s->core->events_passed = heap_take(&s->core->heap, (o->events.count + 63) / 64 * 8);
        must(s->core->events_passed != NULL);
    }
    for (size_t i = 0; o != NULL && i < o->events.count; i++) {
        const struct fuzz_injection *event = &o->events.list[i];
        if (event->event->kind == FUZZ_START) {
            must(event->node < s->node_count);
            s->core->nodes[event->node].is_unstarted = true;
        }
    }
}

void outside_end(const struct sim *s)
{
    must(s->core->events_come == 0 || s->core->events_come <= s->outside->events.count);
    for (uint32_t i = 0; i < s->core->events_come; i++) {
        if ((s->core->events_passed[i / 64] >> i % 64 & 1) != 0) {
            vec_push(&s->execution->without, i);
        }
    }
}

void outside_come(struct sim *s)
{
    must(s->core->events_come < s->outside->events.count);
    pending_forget(s);
    s->core->events_come++;
    s->core->event_cause = s->run.now;
}

/* The event that is to come next, NULL when all have come. */
static const struct fuzz_injection *next_event(const struct sim *s)
{
    const struct outside *o = s->outside;
    return o == NULL || s->core->events_come == o->events.count
               ? NULL
               : &o->events.list[s->core->events_come];
}

/* 0 when it is no fault. */
static uint8_t fault_meant(const struct fuzz_event *event)
{
    switch (event->kind) {
    case FUZZ_CRASH: return FAULT_CRASH;
    case FUZZ_START:
    case FUZZ_RESTART: return FAULT_RESTART;
    case FUZZ_PARTITION: return FAULT_PARTITION;
    case FUZZ_HEAL: return FAULT_HEAL;
    case FUZZ_REQUEST:
    case FUZZ_WAIT:
    case FUZZ_KIND_COUNT: break;
    }
    return 0;
}

/* A start strikes a node that has not run yet, a restart one that has. */
static bool can_strike(const struct sim *s, const struct fuzz_event *event, uint32_t node)
{
    return event->kind == FUZZ_START ? s->core->nodes[node].is_unstarted
                                     : fault_can_strike(s, fault_meant(event), node);
}

/* Whom the fault would strike: the node it names or, of any, the first from the one drawn on that
 * it can. node_count: nobody. */
static uint32_t target_of(const struct sim *s, const struct fuzz_injection *event)
{
    const uint32_t tries = event->event->node != NULL ? 1 : s->node_count;
    for (uint32_t i = 0; i < tries; i++) {
        const uint32_t node = (event->node + i) % s->node_count;
        if (can_strike(s, event->event, node)) {
            return node;
        }
    }
    return s->node_count;
}

/* Whether the event is over with, or never was to be: others may come. */
static bool has_come(struct sim *s, const struct fuzz_injection *event)
{
    switch (event->event->kind) {
    case FUZZ_REQUEST:
        if (s->core->parcel_count >= PARCELS_ENOUGH) {
            return false;
        }
        (void)net_send(s, CLEW_CLIENT, event->node,
                       &(struct clew_message){
                           .type = (int)event->type, .bytes = event->bytes, .size = event->size});
        return true;
    case FUZZ_WAIT: return event->event->condition == NULL ? is_resting(s) : holds(s, event->event);
    case FUZZ_START:
    case FUZZ_CRASH:
    case FUZZ_RESTART:
    case FUZZ_PARTITION:
    case FUZZ_HEAL:
    case FUZZ_KIND_COUNT: break;
    }
    return target_of(s, event) == s->node_count;
}

/* The next event does not come. */
static void pass_over(struct sim *s)
{
    const uint32_t event = s->core->events_come;
    must(event < s->outside->events.count);
    s->core->events_passed[event / 64] |= UINT64_C(1) << event % 64;
    outside_come(s);
}

static bool is_left_out(const struct sim *s)
{
    const struct plan *p = s->plan;
    for (size_t i = 0; i < p->without_count && p->without[i] <= s->core->events_come; i++) {
        if (p->without[i] == s->core->events_come) {
            return true;
        }
    }
    return false;
}

void outside_advance(struct sim *s)
{
    const struct fuzz_injection *event = NULL;
    while ((event = next_event(s)) != NULL) {
        if (is_left_out(s)) {
            pass_over(s);
        } else if (has_come(s, event)) {
            outside_come(s);
        } else {
            return;
        }
    }
}

bool outside_is_waiting(const struct sim *s)
{
    const struct fuzz_injection *event = next_event(s);
    return event != NULL && event->event->kind == FUZZ_WAIT;
}

void outside_end_waits(struct sim *s)
{
    while ((s->pending.count == 0 || s->pending.operations[0].fault != 0) &&
           outside_is_waiting(s)) {
        outside_come(s);
        outside_advance(s);
        pending_list(s);
    }
}

/* Requested steps */

static uint64_t request_action(const struct sim *s, const struct fuzz_injection *event)
{
    const uint32_t channel = net_channel(s, CLEW_CLIENT, event->node);
    return s->names.messages[channel * s->type_count + event->type];
}

static bool is_meant(const struct sim *s, const struct fuzz_injection *event,
                     const struct pick_want *want)
{
    const uint8_t fault = fault_meant(event->event);
    if (fault == 0) {
        return event->event->kind == FUZZ_REQUEST && request_action(s, event) == want->action;
    }
    const uint32_t tries = event->event->node != NULL ? 1 : s->node_count;
    for (uint32_t i = 0; i < tries; i++) {
        const uint32_t node = (event->node + i) % s->node_count;
        if (fault_action(s, fault, node) == want->action) {
            return can_strike(s, event->event, node);
        }
    }
    return false;
}

/* The requested operation was sent as a request, and has not arrived: it waits for another event.
 */
static bool is_on_its_way(const struct sim *s, const struct pick_want *want)
{
    for (uint32_t node = 0; node < s->node_count; node++) {
        const struct parcel *p = s->core->queues[net_channel(s, CLEW_CLIENT, node)].first;
        for (; p != NULL; p = p->behind) {
            if (p->action == want->action &&
                (want->match != PICK_SAME || p->fingerprint == want->content)) {
                return true;
            }
        }
    }
    return false;
}

bool outside_pass_over(struct sim *s, const struct pick_want *want)
{
    const struct fuzz_injections *events = &s->outside->events;
    uint32_t wanted = s->core->events_come;
    while (wanted < events->count && !is_meant(s, &events->list[wanted], want)) {
        wanted++;
    }
    if (want->fault != 0 || wanted == events->count || is_on_its_way(s, want)) {
        return false;
    }
    const uint32_t before = s->core->events_come;
    while (s->core->events_come < wanted) {
        const struct fuzz_injection *event = next_event(s);
        if (has_come(s, event)) {
            outside_come(s);
        } else if (event->event->kind != FUZZ_REQUEST) {
            pass_over(s);
        } else {
            break; /* there is no room for more */
        }
    }
    outside_advance(s);
    return s->core->events_come > before;
}

uint8_t outside_fault(const struct sim *s, uint32_t *node)
{
    const struct fuzz_injection *event = next_event(s);
    const uint8_t fault = event == NULL ? 0 : fault_meant(event->event);
    *node = fault == 0 ? s->node_count : target_of(s, event);
    must(*node <= s->node_count);
    return *node == s->node_count ? 0 : fault;
}

/* Channels */

static bool is_of(const char *name, const char *wanted)
{
    return wanted == NULL || strcmp(name, wanted) == 0;
}

void outside_set_channels(struct sim *s)
{
    const struct fuzz *f = outside_fuzz(s);
    for (uint32_t i = 0; i < net_channel_count(s); i++) {
        const uint32_t from = i / s->node_count;
        const char *from_name = from == 0 ? FUZZ_CLIENT : s->names.node_texts[from - 1];
        s->channels.is_fifo[i] = s->channels.net == SIM_FIFO;
        for (size_t k = 0; f != NULL && k < f->channels.count; k++) {
            const struct fuzz_channel *c = &f->channels.at[k];
            if (is_of(from_name, c->from) && is_of(s->names.node_texts[i % s->node_count], c->to)) {
                s->channels.is_fifo[i] = c->is_fifo;
            }
        }
        s->channels.has_datagrams = s->channels.has_datagrams || !s->channels.is_fifo[i];
    }
}

/* The key of a violation, which makes it the same as another. */
void outside_settle_key(const struct sim *s, struct execution *x)
{
    const struct fuzz *f = outside_fuzz(s);
    if (f == NULL || f->fingerprint == FUZZ_BY_PROPERTY) {
        return;
    }
    if (f->fingerprint == FUZZ_BY_NOTHING) {
        (void)snprintf(x->key, sizeof x->key, "any violation");
        return;
    }
    const size_t size = strlen(x->what);
    (void)snprintf(x->key, sizeof x->key, "%s: %.80s", outcome_name(x->outcome), x->what);
    if (size > 80) {
        const size_t used = strlen(x->key);
        (void)snprintf(x->key + used, sizeof x->key - used, " %08x",
                       (unsigned)name_text(x->what, size));
    }
}
