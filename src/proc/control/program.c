#include "proc/control/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "pick/operation_name.h"
#include "place/uninstrumented.h"
#include "proc/control/modelled_calls.h"
#include "proc/control/program_state.h"

static const char *const mode_names[] = {
    [CONTROL_FIBER] = "fiber",
    [CONTROL_FORK] = "fork",
    [CONTROL_THREAD] = "thread",
    [CONTROL_EXEC] = "exec",
};

const char *control_mode_name(int mode)
{
    return mode >= 0 && mode < (int)(sizeof mode_names / sizeof *mode_names) ? mode_names[mode]
                                                                             : NULL;
}

static struct controlled *controlled_of(struct world *w)
{
    return (struct controlled *)w;
}

/* Plans */

static int put_list(const struct controlled *c, size_t place, size_t room, const void *list,
                    size_t size)
{
    if (size > room) {
        return -1;
    }
    if (size > 0) {
        memcpy(control_at(c, place), list, size);
    }
    return 0;
}

#define PUT(region, list, count) \
    put_list(c, CONTROL_PLACE(region), CONTROL_##region##_SIZE, list, (count) * sizeof *(list))

/* The list of points only grows: what is there already stays. */
static void put_points(struct controlled *c, const struct pick_plan *k)
{
    const struct control_plan *before = &c->page->plan;
    const size_t known = before->points_number == k->points_number ? before->point_count : 0;
    uint64_t *points = control_at(c, CONTROL_PLACE(POINTS));
    if (k->points != NULL && k->point_count > known) {
        memcpy(points + known, k->points + known, (k->point_count - known) * sizeof *points);
    }
}

static int put_plan(struct controlled *c, const struct plan *p, struct err *e)
{
    const struct pick_plan *k = &p->pick;
    const uint32_t most = CONTROL_STEPS_SIZE / sizeof(struct control_step);
    if (PUT(TURNS, k->turns, k->turn_count) < 0 || PUT(WANTS, k->wants, k->want_count) < 0 ||
        PUT(CONSTRAINTS, k->constraints, k->constraint_count) < 0 ||
        PUT(ASLEEP, k->asleep, k->asleep_count) < 0 || PUT(WISHES, k->wishes, k->wish_count) < 0 ||
        k->constraint_count > CONTROL_CONSTRAINTS_MAX || k->wish_count > PICK_WISHES_MAX ||
        k->point_count > CONTROL_POINTS_MAX) {
        return err_set(e, "the plan is too long for a controlled program");
    }
    put_points(c, k);
    c->page->plan = (struct control_plan){
        .number = c->page->plan.number + 1,
        .seed = k->seed,
        .turn_count = k->turn_count,
        .want_count = k->want_count,
        .constraint_count = k->constraint_count,
        .asleep_count = k->asleep_count,
        .wish_count = k->wish_count,
        .point_count = k->point_count,
        .points_number = k->points == NULL ? 0 : k->points_number,
        .steps_first = k->steps_first,
        .steps_max = p->steps_max == 0 || p->steps_max > most ? most : p->steps_max,
        .depth = k->depth,
        .length = k->length,
        .strategy = (uint8_t)k->strategy,
        .is_fair = k->is_fair,
        .is_lenient = k->is_lenient,
        .has_wants = k->wants != NULL,
        .wants_pending = p->wants_pending,
        .is_learning = p->is_learning,
        .wants_blocks = p->trace != NULL && p->trace_steps_max == 0,
        .wants_allocations = p->trace != NULL && !p->skips_scopes,
    };
    return 0;
}

/* Executions */

static void know_action(struct controlled *c, const struct control_step *s)
{
    bool is_new = false;
    (void)map_slot(&c->action_of, s->action, (uint32_t)c->actions.count, &is_new);
    if (is_new) {
        vec_push(&c->actions, (struct described){.task = s->task,
                                                 .ordinal = s->ordinal,
                                                 .offset = s->offset,
                                                 .owner = s->owner,
                                                 .key = s->key,
                                                 .kind = s->kind});
    }
}

/* An operation is there from its task's step before on; a task's first from its creation, a
 * timer's from its setting. */
struct causes {
    uint32_t last[CONTROL_TASKS_MAX]; /* steps, plus one */
};

static uint32_t cause_of(struct causes *causes, const struct control_step *s, uint64_t at)
{
    const uint32_t task = s->task % CONTROL_TASKS_MAX;
    const uint32_t before = causes->last[task];
    causes->last[task] = (uint32_t)at + 1;
    const bool makes = s->kind == EVENT_THREAD_CREATE || s->kind == EVENT_PROCESS_FORK ||
                       s->kind == EVENT_TIMER_SET;
    if (makes && s->peer < CONTROL_TASKS_MAX) {
        causes->last[s->peer] = (uint32_t)at + 1;
    }
    return before == 0 ? STEP_NONE : before - 1;
}

static void read_steps(struct controlled *c, struct execution *x, struct causes *causes)
{
    const struct control_step *steps = control_at(c, CONTROL_PLACE(STEPS));
    const uint64_t most = CONTROL_STEPS_SIZE / sizeof *steps;
    const uint64_t told = c->page->result.step_count;
    const uint64_t count = told < most ? told : most;
    vec_reserve(&x->steps, count);
    for (uint64_t i = 0; i < count; i++) {
        const struct control_step *s = &steps[i];
        know_action(c, s);
        vec_push(&x->steps, (struct step){.operation = {.name = s->name,
                                                        .action = s->action,
                                                        .place = name_of_place(s->place, s->kind),
                                                        .task = s->task,
                                                        .objects = {s->objects[0], s->objects[1]},
                                                        .region = s->region,
                                                        .begin = s->begin,
                                                        .end = s->end,
                                                        .needs = s->needs,
                                                        .gives = s->gives,
                                                        .is_access = s->is_access != 0,
                                                        .has_surplus = s->has_surplus != 0,
                                                        .kind = s->kind,
                                                        .writes = s->writes,
                                                        .occurrence = s->occurrence},
                                          .choice = s->choice,
                                          .cause = cause_of(causes, s, i),
                                          .state = s->state,
                                          .pending_first = s->pending_first,
                                          .pending_count = s->pending_count});
        x->hash = name_mix(x->hash, s->name);
    }
}

static void read_pending(const struct controlled *c, struct execution *x,
                         const struct causes *causes)
{
    const struct control_result *r = &c->page->result;
    const struct pick_operation *pending = control_at(c, CONTROL_PLACE(PENDING));
    const uint64_t most = CONTROL_PENDING_SIZE / sizeof *pending;
    const uint64_t all = r->pending_count < most ? r->pending_count : most;
    const uint64_t count = r->pending_last < all ? r->pending_last : all;
    vec_reserve(&x->pending, count);
    if (count > 0) {
        memcpy(x->pending.at, pending, count * sizeof *pending);
    }
    x->pending.count = count;
    x->pending_last = (uint32_t)count;
    for (uint64_t i = count; i < all; i++) {
        const uint32_t before = causes->last[pending[i].task % CONTROL_TASKS_MAX];
        vec_push(&x->unfinished, (struct step){.operation = pending[i],
                                               .cause = before == 0 ? STEP_NONE : before - 1});
    }
}

static void describe(struct world *w, const struct pick_operation *o, struct schedule *s,
                     struct choice *choice)
{
    struct controlled *c = controlled_of(w);
    const uint32_t *at = map_get(&c->action_of, o->action);
    must(at != NULL);
    const struct described *d = &c->actions.at[*at];
    c->text.used = 0;
    name_print(c, (struct named){d->key, d->ordinal, d->offset, d->owner}, &c->text);
    choice->kind = d->kind == EVENT_TIMER_FIRE ? CHOICE_TIMER : CHOICE_TASK;
    choice->operation = (struct operation){
        .task = names_intern_text(&s->names, name_task(c, d->task)),
        .object = names_intern(&s->names, c->text.buffer, c->text.used),
        .kind = d->kind,
        .occurrence = o->occurrence,
    };
}

/* The libraries of the language, which models stand for as far as tasks meet in them. */
static bool has_tasks(const struct execution *x)
{
    vec_each (&x->steps, s) {
        if (s->operation.task != x->steps.at[0].operation.task) {
            return true;
        }
    }
    return false;
}

/* Modules whose code reports no accesses, by the names of their files, and plain objects in those
 * whose code does, each once; and what these take from the C library that no model knows. */
static void note_unseen(struct controlled *c, const struct execution *x)
{
    if (c->unseen_modules == c->page->module_count || !has_tasks(x)) {
        return;
    }
    const struct control_module *modules = control_at(c, CONTROL_PLACE(MODULES));
    for (; c->unseen_modules < c->page->module_count; c->unseen_modules++) {
        const struct control_module *m = &modules[c->unseen_modules];
        const char *slash = strrchr(m->path, '/');
        const char *name = slash == NULL ? m->path : slash + 1;
        const bool is_launcher = strcmp(m->path, c->install.launcher) == 0;
        if (name[0] == '\0' || is_launcher || modelled_is_language_library(name)) {
            continue;
        }
        if (m->is_told == 0) {
            vec_push(&c->unseen, arena_text(&c->texts, name, strlen(name)));
        } else {
            name_modules(c);
            plain_find(&c->unseen, c->places, m->bias, &c->texts);
            modelled_find(&c->unmodelled, m->path, c->install.control, &c->texts);
        }
    }
}

static int make_run(struct controlled *c, const struct plan *p, struct err *e)
{
    files_begin(c);
    return put_plan(c, p, e) < 0 ? -1 : (c->is_debugged ? process_debug : process_run)(c, e);
}

/* One run, from the plan to the verdict. */
static int run_once(struct controlled *c, const struct plan *p, struct execution *x, struct err *e)
{
    if (process_own_page(c, e) < 0) {
        return -1;
    }
    if (make_run(c, p, e) < 0) {
        return -1;
    }
    if (c->page->result.end == CONTROL_FORKED && c->mode == CONTROL_FIBER) {
        process_stop(c); /* a process that has children is not put back to its beginning */
        c->mode = CONTROL_FORK;
        if (make_run(c, p, e) < 0) {
            return -1;
        }
    }
    struct causes causes = {0};
    read_steps(c, x, &causes);
    if (p->wants_pending) {
        read_pending(c, x, &causes);
    }
    note_unseen(c, x);
    if (verdict_read(c, p, x, e) < 0 || cluster_judge_start(c, x, e) < 0 ||
        cluster_judge_history(c, x, e) < 0) {
        return -1;
    }
    shown_add(c, x);
    if (claim_check(c, x, e) < 0) {
        return -1;
    }
    if (outcome_is_violation(x->outcome)) {
        x->hash = name_mix(x->hash, name_text(x->key, strlen(x->key)));
    }
    const bool is_traced = p->trace_steps_max == 0 || x->steps.count <= p->trace_steps_max;
    if (p->trace != NULL && is_traced) {
        tell_run(c, p, x);
    }
    /* What a rewound process cannot undo, a forked one need not. */
    if (c->mode == CONTROL_FIBER && c->page->result.is_changed_outside != 0) {
        c->is_changed_outside = true;
        process_stop(c);
        c->mode = CONTROL_FORK;
    }
    return 0;
}

/* Verifying */

/* A run as the page had it, to be compared with the next. */
struct kept {
    struct control_step *steps;
    size_t count;
};

static struct kept keep_steps(const struct controlled *c, const struct execution *x)
{
    const struct kept k = {.steps = mem_resize(NULL, (x->steps.count + 1) * sizeof *k.steps),
                           .count = x->steps.count};
    memcpy(k.steps, control_at(c, CONTROL_PLACE(STEPS)), k.count * sizeof *k.steps);
    return k;
}

/* The first step that found another value the second time, or was another; what was read, or what
 * was done instead. */
static void print_difference(struct controlled *c, const struct kept *first,
                             const struct execution *second, struct out *out)
{
    const struct control_step *steps = control_at(c, CONTROL_PLACE(STEPS));
    const size_t count = second->steps.count;
    size_t at = 0;
    while (at < first->count && at < count && first->steps[at].name == steps[at].name &&
           first->steps[at].value == steps[at].value) {
        at++;
    }
    const bool is_same_step =
        at < first->count && at < count && first->steps[at].name == steps[at].name;
    out_format(out, "step %zu: ", at + 1);
    if (at == first->count) {
        out_text(out, "the end of the run");
    } else {
        steps_print_one(c, &first->steps[at], out);
    }
    if (is_same_step) {
        out_format(out, " found %lld, then %lld", (long long)first->steps[at].value,
                   (long long)steps[at].value);
    } else if (at < count) {
        out_text(out, ", then ");
        steps_print_one(c, &steps[at], out);
    } else {
        out_text(out, second->outcome == OUTCOME_DIVERGED
                          ? ", which could not be done the second time"
                          : ", then the end of the run");
    }
}

static void say_difference(struct controlled *c, const struct kept *first,
                           const struct execution *x, const struct execution *second)
{
    struct out text;
    out_open_memory(&text);
    print_difference(c, first, second, &text);
    if (x->outcome != second->outcome) {
        out_format(&text, " (%s, then %s)", outcome_name(x->outcome),
                   outcome_name(second->outcome));
    }
    out_char(&text, '\0');
    shown_add_verified(c, text.buffer);
    out_abandon(&text);
}

/* How many steps the same run may take when each of them is a turn: its own limit counts choices
 * alone, and other steps beside them. */
static uint32_t steps_again(const struct plan *p, const struct execution *x)
{
    if (x->outcome == OUTCOME_LIMIT || x->outcome == OUTCOME_PROPERTY) {
        return (uint32_t)x->steps.count;
    }
    return p->steps_max == 0 || p->steps_max > x->steps.count ? p->steps_max
                                                              : (uint32_t)x->steps.count + 1;
}

/* The same steps once more, by name. */
static int verify(struct controlled *c, const struct plan *p, const struct execution *x,
                  struct err *e)
{
    VEC(struct pick_turn) turns = {0};
    struct execution again = {0};
    for (uint32_t i = 0; i < x->steps.count; i++) {
        vec_push(&turns, (struct pick_turn){.name = x->steps.at[i].operation.name, .step = i});
    }
    const struct plan plan = {
        .pick = {.turns = turns.at, .turn_count = turns.count, .seed = p->pick.seed},
        .steps_max = steps_again(p, x)};
    struct kept first = keep_steps(c, x);
    const int result = run_once(c, &plan, &again, e);
    if (result == 0 && (again.hash != x->hash || again.outcome != x->outcome)) {
        say_difference(c, &first, x, &again);
    } else if (result == 0) {
        shown_add_verified(c, NULL);
    }
    mem_free(first.steps);
    execution_release(&again);
    vec_release(&turns);
    return result;
}

static bool is_worth_verifying(const struct execution *x)
{
    return x->steps.count > 0 && !outcome_is_cut(x->outcome, x->severity) &&
           (outcome_is_violation(x->outcome) || x->outcome == OUTCOME_PASSED ||
            x->outcome == OUTCOME_LIMIT);
}

static int run(struct world *w, const struct plan *p, struct execution *x, struct err *e)
{
    struct controlled *c = controlled_of(w);
    if (run_once(c, p, x, e) < 0) {
        return -1;
    }
    const uint32_t every = c->options.verify_every;
    const bool is_chosen = every > 0 && c->run_count++ % every == 0;
    c->is_verification_due = c->is_verification_due || is_chosen;
    /* A run whose trace is wanted leaves it to the next one. */
    if (!c->is_verification_due || p->trace != NULL || !is_worth_verifying(x)) {
        return 0;
    }
    c->is_verification_due = false;
    return verify(c, p, x, e);
}

static void close_controlled(struct world *w)
{
    struct controlled *c = controlled_of(w);
    process_close(c);
    claim_close(c);
    routines_release(&c->routines);
    places_free(c->places);
    out_abandon(&c->text);
    map_release(&c->action_of);
    vec_release(&c->actions);
    shown_close(c);
    private_files_close(c->files);
    cluster_release(&c->cluster);
    vec_release(&c->command);
    vec_release(&c->unseen);
    vec_release(&c->unmodelled);
    arena_release(&c->texts);
    mem_free(c);
}

static const struct world_ops ops = {
    .name = "process",
    .run = run,
    .describe = describe,
    .coverage = covering_sum,
    .blocks = covering_tell,
    .properties = claim_tell,
    .calls = verdict_calls,
    .keep = files_keep,
    .steps = steps_print,
    .show_step = steps_show,
    .close = close_controlled,
};

void control_rest(struct world *w)
{
    process_stop(controlled_of(w));
}

struct control_told control_told(struct world *w)
{
    struct controlled *c = controlled_of(w);
    const struct shown *s = c->shown;
    for (uint32_t i = 0; i < s->outside_count; i++) {
        c->outside[i] = s->outside[i];
    }
    return (struct control_told){
        .is_cluster = c->cluster.root != NULL,
        .mode = c->mode,
        .is_changed_outside = c->is_changed_outside,
        .is_left = c->is_left,
        .is_inexact = s->has_idled || s->has_looked || s->cut > 0 || s->preempted[0] != '\0',
        .has_drawn = s->has_drawn,
        .has_waited = s->has_waited,
        .has_weak_order = s->has_weak_order,
        .is_unreached = s->has_listened && !s->has_accepted && !s->has_passed,
        .cut = s->cut,
        .left = s->left,
        .preempted = s->preempted,
        .verified = s->verified,
        .unlike = s->unlike,
        .difference = s->difference,
        .outside = c->outside,
        .outside_count = s->outside_count,
        .unseen = c->unseen.at,
        .unseen_count = (uint32_t)c->unseen.count,
        .unmodelled = c->unmodelled.at,
        .unmodelled_count = (uint32_t)c->unmodelled.count};
}

/* The list, which need not outlive the options. */
static void keep_watch(struct controlled *c)
{
    const uint32_t count = c->options.watch_count;
    const char **list = arena_array(&c->texts, const char *, count + 1);
    if (count > 0) {
        memcpy(list, c->options.watch, count * sizeof *list);
    }
    c->options.watch = list;
}

/* At the root of all files nothing is outside: there, runs share what there is. */
static int open_files(struct controlled *c, struct err *e)
{
    char directory[2];
    const bool is_root = getcwd(directory, sizeof directory) != NULL;
    return c->options.shares_files || (is_root && c->cluster.root == NULL)
               ? 0
               : private_files_open(&c->files, c->cluster.root, c->options.setup, e);
}

/* The nodes of a cluster are forked, so that runs are too. */
static int open_cluster(struct controlled *c, struct err *e)
{
    if (c->options.cluster == NULL) {
        return 0;
    }
    if (cluster_read(&c->cluster, c->options.cluster, e) < 0) {
        return -1;
    }
    c->mode = c->options.mode == CONTROL_MODE_AUTO ? CONTROL_FORK : c->mode;
    c->options.fails_on_exit = true;
    c->options.hang_ns =
        c->options.hang_ns == 0 ? c->cluster.hang_seconds * 1000000000u : c->options.hang_ns;
    launch_put_words(&c->cluster, &c->command);
    return 0;
}

int control_open(struct world **w, const struct control_options *options, struct err *e)
{
    *w = NULL;
    struct controlled *c = mem_zero(1, sizeof *c);
    const char *path = options->command[0];
    const char *slash = strrchr(path, '/');
    (void)snprintf(c->system, sizeof c->system, "%s", slash == NULL ? path : slash + 1);
    c->world = (struct world){.ops = &ops, .system = c->system, .net = "", .has_tasks = true};
    c->options = *options;
    c->mode = options->mode == CONTROL_MODE_AUTO ? CONTROL_FIBER : (enum control_mode)options->mode;
    c->page_fd = -1;
    c->places = places_new();
    out_open_memory(&c->text);
    keep_watch(c);
    covering_open(c);
    (void)snprintf(c->program, sizeof c->program, "%s", path);
    if (slash != NULL) {
        (void)realpath(path, c->program);
    }
    if (open_cluster(c, e) < 0 || open_files(c, e) < 0 || install_find(&c->install, e) < 0 ||
        shown_open(c, e) < 0 || process_page(c, e) < 0 || claim_open(c, e) < 0) {
        close_controlled(&c->world);
        return -1;
    }
    c->page->node_count = (uint32_t)c->cluster.node_count;
    *w = &c->world;
    return 0;
}
