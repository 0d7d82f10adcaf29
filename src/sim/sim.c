#include "sim/sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"
#include "pick/operation_name.h"
#include "place/place.h"
#include "sim/backtrace.h"
#include "sim/block_coverage.h"
#include "sim/blocking.h"
#include "sim/debugger_stop.h"
#include "sim/describe.h"
#include "sim/described.h"
#include "sim/external_events.h"
#include "sim/fault.h"
#include "sim/handler_guard.h"
#include "sim/liveness_loop.h"
#include "sim/load_system.h"
#include "sim/net.h"
#include "sim/node_life.h"
#include "sim/pending.h"
#include "sim/prefix_cache.h"
#include "sim/properties.h"
#include "sim/reported_variables.h"
#include "sim/request.h"
#include "sim/requested_steps.h"
#include "sim/settings.h"
#include "sim/sim_api.h"
#include "sim/state_hash.h"
#include "sim/system_check.h"
#include "sim/system_memory.h"
#include "sim/timer_cycle.h"
#include "sim/trace_events.h"
#include "sim/unsupported_calls.h"

static const char *const net_names[] = {[SIM_FIFO] = "fifo", [SIM_DATAGRAM] = "datagram"};

struct sim *sim_of(struct world *w)
{
    return (struct sim *)w;
}

/* The sim whose nodes a property looks at. */
static struct sim *sim_seen(const struct clew_view *view)
{
    return (struct sim *)(void *)((char *)(uintptr_t)view - offsetof(struct sim, claims.view));
}

/* A property says with which values it is broken. */
PRINTF_LIKE(2, 3)
static bool say_broken(const struct clew_view *view, const char *format, ...)
{
    struct sim *s = sim_seen(view);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(s->claims.broken, sizeof s->claims.broken, format, arguments);
    va_end(arguments);
    stop_broken(s, "property", s->claims.broken);
    return false;
}

/* Between two steps the number depends on the order; at rest it is the same in all orders. */
static uint64_t say_step(const struct clew_view *view)
{
    struct sim *s = sim_seen(view);
    if (s->execution->is_early) {
        s->claims.asks_steps = true;
        claims_note_order(s, ORDER_OF_STEPS);
    }
    return s->core->steps;
}

static const int64_t *say_value(const struct clew_view *view, uint32_t node, const char *variable)
{
    const struct sim *s = sim_seen(view);
    for (uint32_t i = 0; node < s->node_count && i < s->reported.count; i++) {
        const struct node *n = &s->core->nodes[node];
        if (strcmp(s->reported.names[i], variable) == 0) {
            return (n->variables_set >> i & 1) != 0 ? &n->variables[i] : NULL;
        }
    }
    return NULL;
}

static void do_operation(struct sim *s, const struct pick_operation *o, const struct origin *from)
{
    if (o->kind == EVENT_FAULT) {
        fault_strike(s, o, from);
    } else if (o->kind == EVENT_RECV) {
        node_deliver(s, from->parcel);
    } else if (o->kind == EVENT_HANDLER_BEGIN) {
        node_help(s, from->node, from->help);
    } else if (o->kind == EVENT_TIMER_FIRE) {
        node_fire(s, from->node, from->number);
    } else {
        must(o->kind == EVENT_FILE_SYNC);
        node_written(s, from->node);
    }
}

static void keep_pending(struct sim *s)
{
    struct execution *x = s->execution;
    if (s->pending.count == 0) {
        return;
    }
    vec_reserve(&x->pending, x->pending.count + s->pending.count);
    memcpy(x->pending.at + x->pending.count, s->pending.operations,
           s->pending.count * sizeof *s->pending.operations);
    x->pending.count += s->pending.count;
}

/* The look of a node: the variables it reports, or where none are reported its memory. */
static uint64_t look_of(struct sim *s, uint32_t node)
{
    const struct node *n = &s->core->nodes[node];
    return s->reported.count > 0
               ? XXH3_64bits_withSeed(n->variables, sizeof n->variables, n->variables_set)
               : hash_heap(s, node);
}

/* Memory of no node ties the steps of all together. */
static void watch_variables(struct sim *s)
{
    if (s->plan->is_reduced && hash_segments(s) != s->run.variables) {
        claims_note_order(s, ORDER_OF_VARIABLES);
    }
}

/* Field by field: it is less work than to clear fields that are filled right after. */
static void note_step(struct sim *s, const struct pick_operation *o, uint32_t choice,
                      uint32_t cause)
{
    struct execution *x = s->execution;
    vec_reserve(&x->steps, x->steps.count + 1);
    struct step *step = &x->steps.at[x->steps.count++];
    step->operation = *o;
    step->choice = s->pending.is_requested ? 0 : choice;
    step->cause = cause;
    step->pending_first = 0;
    step->pending_count = 0;
    step->is_shared = false;
    step->state = 0;
    step->view = 0;
    step->transition = 0;
    if (s->plan->wants_pending) {
        step->pending_first = (uint32_t)x->pending.count;
        step->pending_count = s->pending.count;
        keep_pending(s);
    }
}

/* Notes the step before it is taken, so that one that fails is part of the execution. */
static void take_step(struct sim *s, uint32_t choice)
{
    struct execution *x = s->execution;
    const struct pick_operation o = s->pending.operations[choice];
    const struct origin from = s->pending.origins[choice];
    note_step(s, &o, choice, from.cause);
    x->hash = name_mix(x->hash, o.name);
    if (o.kind == EVENT_RECV && s->system->fingerprint != NULL) {
        x->hash = name_mix(x->hash, from.parcel->fingerprint);
    }
    guard_alive();
    must(s->core->steps < x->steps.count); /* a caller may restore a checkpoint and keep x */
    s->run.now = s->core->steps++;
    stop_note_step(s->core->steps);
    const uint64_t variables = s->plan->wants_shared ? hash_segments(s) : 0;
    const uint64_t look = s->plan->wants_transitions ? look_of(s, o.node) : 0;
    cycle_before(s, &o, &from);
    hash_touch_node(s, from.node);
    do_operation(s, &o, &from);
    cycle_after(s, &from);
    if (s->plan->wants_transitions && look_of(s, o.node) != look) {
        vec_last(&x->steps)->transition =
            name_mix(name_mix(o.node + 1u, look), look_of(s, o.node)) | 1;
    }
    if (s->plan->wants_states) {
        vec_last(&x->steps)->state = hash_state(s);
    }
    if (s->plan->wants_views) {
        vec_last(&x->steps)->view = hash_view(s, o.node);
    }
    if (s->plan->is_learning && s->cover != NULL) {
        const struct pick_block *blocks = NULL;
        const uint32_t count = cover_take(s, o.node, &blocks);
        pick_learn(s->world.pick, &o, blocks, count);
    }
    claims_check(s);
    watch_variables(s);
    vec_last(&x->steps)->is_shared = s->plan->wants_shared && hash_segments(s) != variables;
    outside_advance(s);
    if (!s->pending.is_requested || outside_is_waiting(s)) {
        pending_follow(s, choice);
        outside_end_waits(s);
    }
}

static void start_all(struct sim *s)
{
    if (s->system->setup != NULL) {
        s->run.is_setting_up = true;
        s->run.doing = "setup";
        s->system->setup();
        s->run.is_setting_up = false;
    }
    /* Blocks that starting covers are the node's, but no action's. */
    const struct pick_block *blocks = NULL;
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (!s->core->nodes[i].is_unstarted) {
            node_start(s, i, false);
        }
        if (s->plan->is_learning) {
            (void)cover_take(s, i, &blocks);
        }
    }
    claims_check(s);
    s->run.variables = s->plan->is_reduced ? hash_segments(s) : 0;
    outside_advance(s);
    pending_list(s);
    outside_end_waits(s);
}

static void begin(struct sim *s, const struct plan *p, struct execution *x)
{
    s->plan = p;
    s->run.has_faults = fault_budget_is_any(&p->faults);
    s->execution = x;
    s->pending.is_requested = false;
    s->run.now = STEP_NONE;
    s->run.self = -1;
    s->run.is_setting_up = false;
    s->run.is_helping = false;
    s->run.doing = "start";
    s->run.calls = NULL;
    calls_begin(s);
    cover_forget(s);
    claims_begin(s);
    loop_begin(s);
    cycle_begin(s);
    outside_begin(s);
}

static void begin_anew(struct sim *s)
{
    memory_reset(s);
    request_begin(s);
    memset(s->claims.states, 0, s->node_count * sizeof *s->claims.states);
    for (uint32_t i = 0; i < s->node_count; i++) {
        prng_init(&s->core->nodes[i].prng, s->plan->pick.seed ^ s->names.nodes[i + 1]);
    }
    prng_init(&s->core->prng, s->plan->pick.seed);
    outside_begin_anew(s);
}

/* Why there is no next step. */
static void end_run(struct sim *s, int stop)
{
    struct execution *x = s->execution;
    struct pick *pick = s->world.pick;
    if (stop == PICK_DONE) {
        claims_end(s, false);
    }
    execution_stop(x, stop, pick_where(pick));
    if (stop != PICK_REST) {
        return;
    }
    block_check(s);
    claims_end(s, !s->core->goes_round);
    x->where = pick_unsatisfied(pick);
    if (x->where < s->plan->pick.constraint_count) {
        execution_end(x, OUTCOME_UNSATISFIED, "operations of a constraint never came");
        return;
    }
    execution_end(x, OUTCOME_PASSED,
                  s->core->goes_round ? "nothing is left but timers that go round and round"
                                      : "the system came to rest");
}

static void refresh_states(struct sim *s)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        s->claims.states[i] = s->core->nodes[i].state;
    }
}

static void run_plan(struct sim *s)
{
    if (s->prefixes.resumed != NULL) {
        beginning_resume(s, s->prefixes.resumed);
        refresh_states(s);
    } else {
        start_all(s);
    }
    s->pending.is_requested = wanted_is_enough(s);
    const uint32_t steps_max = s->plan->steps_max == 0 ? UINT32_MAX : s->plan->steps_max;
    while (true) {
        loop_look(s);
        beginning_look(s);
        if (s->core->steps >= steps_max) {
            const bool is_at_rest = s->pending.count == 0 || s->pending.operations[0].fault != 0;
            if (is_at_rest) {
                end_run(s, PICK_REST);
            } else {
                loop_look_again(s);
                claims_end(s, false);
                execution_end(s->execution, OUTCOME_LIMIT, "the limit of steps was reached");
            }
            return;
        }
        const int choice =
            s->plan->pick.wants != NULL
                ? wanted_choose(s)
                : pick_choose(s->world.pick, s->pending.operations, s->pending.count);
        if (choice < 0) {
            end_run(s, choice);
            return;
        }
        take_step(s, (uint32_t)choice);
    }
}

/* Blocks that a handler entered before it failed are covered, too. */
static void end_violated(struct sim *s)
{
    struct execution *x = s->execution;
    const struct pick_block *blocks = NULL;
    if (s->run.self >= 0 && s->plan->is_learning) {
        (void)cover_take(s, (uint32_t)s->run.self, &blocks);
    }
    outside_settle_key(s, x);
    x->hash = name_mix(x->hash, name_text(x->key, strlen(x->key)));
    tell_violation(s);
}

static int run(struct world *w, const struct plan *p, struct execution *x, struct err *e)
{
    struct sim *s = sim_of(w);
    begin(s, p, x);
    s->prefixes.resumed = beginning_find(s);
    if (s->prefixes.resumed == NULL) {
        begin_anew(s);
    }
    pick_begin(w->pick, &p->pick);
    tell_begin(s);
    if (!guard_run(s, run_plan) && outcome_is_violation(x->outcome)) {
        end_violated(s);
    }
    tell_end(s);
    outside_end(s);
    if (p->is_counting && !p->is_learning) {
        const struct pick_block *blocks = NULL;
        (void)cover_take(s, SIM_NODES_MAX, &blocks);
    }
    if (p->wants_blocks) {
        cover_keep(s, x);
    }
    x->pending_last = (uint32_t)x->pending.count;
    if (p->wants_pending && !outcome_is_violation(x->outcome)) {
        keep_pending(s);
    }
    pick_end(w->pick);
    if (s->run.was_any) {
        return 0;
    }
    s->run.was_any = true;
    return reported_check(s, false, e);
}

int sim_check_reported(const struct world *w, struct err *e)
{
    const struct sim *s = (const struct sim *)w;
    return s->run.was_any ? reported_check(s, true, e) : 0;
}

/* Step by step: the caller chooses each step. */

/* A run that is over has nothing pending. */
static bool run_by_hand(struct sim *s, void (*part)(struct sim *s))
{
    const bool goes_on = guard_run(s, part);
    s->pending.count = goes_on ? s->pending.count : 0;
    return goes_on;
}

static void begin_by_hand(struct world *w, const struct plan *p, struct execution *x)
{
    struct sim *s = sim_of(w);
    execution_clear(x);
    begin(s, p, x);
    begin_anew(s);
    tell_begin(s);
    (void)run_by_hand(s, start_all);
}

static uint32_t list_by_hand(struct world *w, const struct pick_operation **pending)
{
    const struct sim *s = sim_of(w);
    *pending = s->pending.operations;
    return s->pending.count;
}

static void step_chosen(struct sim *s)
{
    take_step(s, s->run.choice);
}

static bool step_by_hand(struct world *w, uint32_t choice, struct execution *x)
{
    struct sim *s = sim_of(w);
    must(choice < s->pending.count);
    s->run.choice = choice;
    s->execution = x;
    return run_by_hand(s, step_chosen);
}

static void *checkpoint(struct world *w)
{
    return memory_checkpoint(sim_of(w));
}

static void restore(struct world *w, const void *copy)
{
    struct sim *s = sim_of(w);
    memory_restore(s, copy);
    s->run.self = -1; /* a handler may have ended the run */
    cycle_begin(s);
    refresh_states(s);
    pending_list(s);
}

static uint64_t state_hash(struct world *w)
{
    return hash_state(sim_of(w));
}

static void print_states(struct world *w, struct out *out)
{
    struct sim *s = sim_of(w);
    for (uint32_t i = 0; i < s->node_count; i++) {
        const struct node *n = &s->core->nodes[i];
        out_format(out, "%s: %s", s->names.node_texts[i], words_of_node(s, i));
        for (uint32_t k = 0; k < s->reported.count; k++) {
            if ((n->variables_set >> k & 1) != 0) {
                out_format(out, " %s=%lld", s->reported.names[k], (long long)n->variables[k]);
            }
        }
        out_char(out, '\n');
    }
}

/* Of a run that ended in code of the system. */
static void print_calls(struct world *w, struct out *out)
{
    const struct sim *s = sim_of(w);
    out_text(out, s->run.calls == NULL ? "" : s->run.calls);
}

static void print_handler(struct places *places, const void *handler, struct out *out)
{
    const uint64_t address = (uint64_t)(uintptr_t)handler + 1; /* as if a call returned to it */
    const char *file = NULL;
    int line = 0;
    struct out function;
    out_open_memory(&function);
    if (handler != NULL && places_find_line(places, address, &file, &line) &&
        places_print_functions(places, address, &function)) {
        out_format(out, "%s %.*s\n", file, (int)function.used, function.buffer);
    }
    out_abandon(&function);
}

void sim_print_handlers(const struct world *w, struct out *out)
{
    const struct sim *s = (const struct sim *)w;
    const struct clew_system *system = s->system;
    const void *const handlers[] = {
        (const void *)(uintptr_t)system->start,   (const void *)(uintptr_t)system->message,
        (const void *)(uintptr_t)system->timer,   (const void *)(uintptr_t)system->written,
        (const void *)(uintptr_t)system->restart, (const void *)(uintptr_t)system->help,
    };
    struct places *places = places_new();
    if (s->library.path != NULL) {
        places_add_module(places, s->library.path, s->library.bias);
    }
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        bool is_known = false;
        for (size_t k = 0; k < i; k++) {
            is_known = is_known || handlers[k] == handlers[i];
        }
        if (!is_known) {
            print_handler(places, handlers[i], out);
        }
    }
    places_free(places);
}

static struct world_coverage coverage(const struct world *w)
{
    return cover_total((const struct sim *)w);
}

static void close_sim(struct world *w)
{
    struct sim *s = sim_of(w);
    guard_close();
    loop_close(s);
    wanted_close(s);
    beginning_close(s);
    claims_close(s);
    cover_close(s);
    hash_close(s);
    mem_free(s->names.messages);
    mem_free(s->pending.operations);
    mem_free(s->pending.origins);
    mem_free(s->claims.states);
    mem_free(s->pick_memory);
    for (uint32_t i = 0; i < s->reported.count; i++) {
        mem_free(s->reported.names[i]);
    }
    mem_free(s->names.made_up);
    mem_free(s->with);
    mem_free(s->channels.is_fifo);
    cycle_close(s);
    request_close(s);
    outside_close(s);
    load_close(s);
    doubt_close(s);
    backtrace_close(s);
    vec_release(&s->kept.ignored);
    arena_release(&s->kept.texts);
    memory_close(s);
    mem_free(s);
}

static const struct world_ops ops = {
    .name = "sim",
    .run = run,
    .describe = sim_describe,
    .exchanged = sim_exchanged,
    .coverage = coverage,
    .blocks = cover_blocks,
    .properties = claims_tell,
    .calls = print_calls,
    .close = close_sim,
    .begin = begin_by_hand,
    .pending = list_by_hand,
    .step = step_by_hand,
    .checkpoint = checkpoint,
    .restore = restore,
    .state_hash = state_hash,
    .shrink = request_shrink,
    .brought = request_size,
    .states = print_states,
};

/* Opening */

enum { MADE_UP_NAME_SIZE = 8 };

static void name_nodes(struct sim *s)
{
    s->names.made_up = mem_zero(s->node_count, MADE_UP_NAME_SIZE);
    s->names.nodes[0] = name_text("client", strlen("client"));
    for (uint32_t i = 0; i < s->node_count; i++) {
        char *made_up = s->names.made_up + (size_t)i * MADE_UP_NAME_SIZE;
        (void)snprintf(made_up, MADE_UP_NAME_SIZE, "n%u", (i + 1) % 1000);
        s->names.node_texts[i] = s->system->nodes == NULL ? made_up : s->system->nodes[i];
        s->names.nodes[i + 1] = name_text(s->names.node_texts[i], strlen(s->names.node_texts[i]));
    }
}

static void name_parts(struct sim *s)
{
    const uint64_t task = name_text("main", strlen("main"));
    const uint32_t channel_count = net_channel_count(s);
    s->names.messages = mem_zero((size_t)channel_count * s->type_count, sizeof *s->names.messages);
    for (uint32_t i = 0; i < channel_count * s->type_count; i++) {
        const char *type = s->system->messages[i % s->type_count];
        const uint32_t channel = i / s->type_count;
        s->names.messages[i] = name_of_messages(s->names.nodes[channel / s->node_count],
                                                s->names.nodes[channel % s->node_count + 1],
                                                name_text(type, strlen(type)));
    }
    for (uint32_t i = 0; i < s->node_count; i++) {
        const uint64_t node = s->names.nodes[i + 1];
        s->names.writes[i] =
            name_of_operations(node, task, EVENT_FILE_SYNC, name_text("disk", strlen("disk")));
        for (uint32_t k = 0; k < s->helper_count; k++) {
            const char *helper = s->system->helpers[k];
            s->names.helpers[i][k] =
                name_of_operations(node, name_text("helper", strlen("helper")), EVENT_HANDLER_BEGIN,
                                   name_text(helper, strlen(helper)));
        }
        for (uint32_t k = 0; k < s->timer_count; k++) {
            const char *timer = s->system->timers[k];
            s->names.timers[i][k] =
                name_of_operations(node, task, EVENT_TIMER_FIRE, name_text(timer, strlen(timer)));
        }
    }
}

static int choose_net(struct sim *s, const char *wanted, struct err *e)
{
    const struct fuzz *f = outside_fuzz(s);
    const char *net = wanted != NULL                ? wanted
                      : f != NULL && f->net != NULL ? f->net
                      : s->system->net != NULL      ? s->system->net
                                                    : "fifo";
    s->channels.net = strcmp(net, net_names[SIM_DATAGRAM]) == 0 ? SIM_DATAGRAM : SIM_FIFO;
    s->world.net = net_names[s->channels.net];
    return strcmp(net, s->world.net) == 0
               ? 0
               : err_set(e, "there is no net called \"%s\": fifo or datagram", net);
}

/* The setup that all systems need, once s->system is known. */
static int set_up(struct sim *s, const struct sim_options *options, struct err *e)
{
    if (check_version(s, e) < 0) {
        return -1;
    }
    /* First: the choices are for that system. */
    if (options->system != NULL && s->system->name != NULL &&
        strcmp(options->system, s->system->name) != 0) {
        return err_set(e, "is the system \"%s\", and the schedule is for \"%s\"", s->system->name,
                       options->system);
    }
    if (settings_choose(s, options->with, e) < 0 || check_system(s, e) < 0) {
        return -1;
    }
    load_keep_fresh(s);
    memory_keep_fresh(s);
    name_nodes(s);
    name_parts(s);
    if (outside_open(s, options, e) < 0 || choose_net(s, options->net, e) < 0) {
        return -1;
    }
    s->channels.is_fifo = mem_zero(net_channel_count(s), sizeof *s->channels.is_fifo);
    outside_set_channels(s);
    s->claims.check_every = outside_fuzz(s) == NULL ? 1 : (uint32_t)outside_fuzz(s)->check_every;
    if (memory_open(s, e) < 0 || claims_open(s, options->spec, e) < 0) {
        return -1;
    }
    hash_open(s);
    loop_open(s);
    wanted_open(s);
    beginning_open(s);
    s->pending.operations = mem_zero(SIM_PENDING_MAX, sizeof *s->pending.operations);
    s->pending.origins = mem_zero(SIM_PENDING_MAX, sizeof *s->pending.origins);
    s->claims.states = mem_zero(s->node_count, sizeof *s->claims.states);
    s->claims.view = (struct clew_view){.node_count = s->node_count,
                                        .states = s->claims.states,
                                        .step = say_step,
                                        .broken = say_broken,
                                        .value = say_value};
    s->world.limits = (struct pick_limits){.task_max = pending_task_count(s),
                                           .pending_max = SIM_PENDING_MAX,
                                           .object_max = s->node_count + 2,
                                           .constraint_max = 1 << 16,
                                           .asleep_max = 1 << 12,
                                           .action_max = 1 << 12,
                                           .block_count = cover_block_max(s)};
    s->pick_memory = mem_zero(1, pick_size(&s->world.limits));
    s->world.pick = pick_init(s->pick_memory, &s->world.limits);
    s->world.system = s->system->name;
    for (size_t i = 0; i < options->ignored_count; i++) {
        const char *key = options->ignored[i];
        vec_push(&s->kept.ignored, arena_text(&s->kept.texts, key, strlen(key)));
    }
    s->world.ignored = s->kept.ignored.at;
    s->world.ignored_count = s->kept.ignored.count;
    return 0;
}

static struct sim *sim_new(void)
{
    struct sim *s = mem_zero(1, sizeof *s);
    s->world.ops = &ops;
    s->run.self = -1;
    guard_open();
    stop_open();
    calls_begin(s); /* constructors of a library may take memory */
    return s;
}

int sim_open(struct world **w, const char *path, const struct sim_options *options, struct err *e)
{
    *w = NULL;
    struct sim *s = sim_new();
    if (memory_open_common(s, e) < 0 || load_library(s, path, e) < 0) {
        close_sim(&s->world);
        return -1;
    }
    if (set_up(s, options, e) < 0) {
        close_sim(&s->world);
        return err_wrap(e, "%s", path);
    }
    *w = &s->world;
    return 0;
}

int sim_open_system(struct world **w, const struct clew_system *system,
                    const struct clew_calls **calls, const struct sim_options *options,
                    struct err *e)
{
    *w = NULL;
    struct sim *s = sim_new();
    s->system = system;
    *calls = &clew_sim_calls;
    if (memory_open_common(s, e) < 0 || set_up(s, options, e) < 0) {
        close_sim(&s->world);
        return -1;
    }
    *w = &s->world;
    return 0;
}

struct sim_defaults sim_defaults(const struct world *w)
{
    const struct sim *s = (const struct sim *)w;
    const struct clew_system *system = s->system;
    const struct fuzz *f = outside_fuzz(s);
    const char *faults = f != NULL && f->faults != NULL ? f->faults : system->faults;
    return (struct sim_defaults){.name = system->name,
                                 .faults = faults == NULL ? "" : faults,
                                 .weights = f != NULL && f->weights != NULL ? f->weights : "",
                                 .depth = f != NULL && f->steps_max != 0 ? (uint32_t)f->steps_max
                                                                         : system->depth,
                                 .is_drawn = f != NULL && fuzz_is_drawn(f)};
}

const char *sim_node_name(const struct world *w, uint16_t node)
{
    const struct sim *s = (const struct sim *)w;
    must(node < s->node_count);
    must(s->names.node_texts[node] != NULL);
    return s->names.node_texts[node];
}

struct sim_choices sim_choices(const struct world *w)
{
    const struct clew_system *system = ((const struct sim *)w)->system;
    return (struct sim_choices){
        .system = system->name, .bugs = system->bugs, .settings = system->settings};
}
