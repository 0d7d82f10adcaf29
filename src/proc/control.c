#include "proc/control.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "pick/name.h"
#include "place/plain.h"
#include "proc/control_state.h"

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
    const bool makes = s->kind == EVENT_THREAD_CREATE || s->kind == EVENT_TIMER_SET;
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

/* Calls that went past control, by name, each once. */
static void note_outside(struct controlled *c)
{
    struct control_result *r = &c->page->result;
    if (r->end == CONTROL_UNENDED && r->outside_count < CONTROL_OUTSIDES_MAX) {
        (void)snprintf(r->outside[r->outside_count++], CONTROL_OUTSIDE_SIZE, "end of the process");
    }
    for (uint32_t i = 0; i < r->outside_count && i < CONTROL_OUTSIDES_MAX; i++) {
        bool is_known = false;
        vec_each (&c->outside, known) {
            is_known = is_known || strncmp(*known, r->outside[i], CONTROL_OUTSIDE_SIZE) == 0;
        }
        if (!is_known) {
            vec_push(&c->outside, arena_text(&c->texts, r->outside[i],
                                             strnlen(r->outside[i], CONTROL_OUTSIDE_SIZE - 1)));
        }
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
static bool is_language_library(const char *name)
{
    static const char *const libraries[] = {
        "libc.so",    "ld-linux", "libpthread.", "libm.so",  "libdl.so", "librt.so",  "libgcc_s.",
        "libstdc++.", "libc++",   "linux-vdso",  "libclew_", "libasan.", "libubsan.", "ld.so"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0) {
            return true;
        }
    }
    return false;
}

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
 * whose code does, each once. */
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
        if (name[0] == '\0' || is_language_library(name)) {
            continue;
        }
        if (m->is_told == 0) {
            vec_push(&c->unseen, arena_text(&c->texts, name, strlen(name)));
        } else {
            name_modules(c);
            plain_find(&c->unseen, c->places, m->bias, &c->texts);
        }
    }
}

/* One run, from the plan to the verdict. */
static int run_once(struct controlled *c, const struct plan *p, struct execution *x, struct err *e)
{
    if (put_plan(c, p, e) < 0 || (c->is_debugged ? process_debug : process_run)(c, e) < 0) {
        return -1;
    }
    struct causes causes = {0};
    read_steps(c, x, &causes);
    if (p->wants_pending) {
        read_pending(c, x, &causes);
    }
    note_outside(c);
    note_unseen(c, x);
    c->has_idled = c->has_idled || c->page->result.has_idled != 0;
    c->has_looked = c->has_looked || c->page->result.has_looked != 0;
    c->has_drawn = c->has_drawn || c->page->result.has_drawn != 0;
    c->has_waited = c->has_waited || c->page->result.has_waited != 0;
    c->has_weak_order = c->has_weak_order || c->page->result.has_weak_order != 0;
    if (verdict_read(c, p, x, e) < 0) {
        return -1;
    }
    if (claim_check(c, x, e) < 0) {
        return -1;
    }
    if (outcome_is_violation(x->outcome)) {
        x->hash = name_mix(x->hash, name_text(x->key, strlen(x->key)));
    }
    const bool is_traced = p->trace_steps_max == 0 || x->steps.count <= p->trace_steps_max;
    if (p->trace != NULL && is_traced) {
        tell_run(c, p->trace, x);
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

/* The step of the first run at which the second went otherwise, for people. */
static void say_difference(struct controlled *c, const struct execution *first,
                           const struct execution *second)
{
    size_t at = 0;
    while (at < first->steps.count && at < second->steps.count &&
           first->steps.at[at].operation.name == second->steps.at[at].operation.name) {
        at++;
    }
    struct schedule s;
    struct choice choice = {0};
    struct out text;
    schedule_init(&s);
    out_open_memory(&text);
    if (at < first->steps.count) {
        describe(&c->world, &first->steps.at[at].operation, &s, &choice);
        schedule_print_choice(&s, &choice, &text);
    }
    (void)snprintf(c->difference, sizeof c->difference,
                   "step %zu, \"%.*s\", did not come again: %s, then %s", at + 1,
                   text.used > 0 ? (int)text.used - 1 : 0, text.used > 0 ? text.buffer : "",
                   outcome_name(first->outcome), outcome_name(second->outcome));
    out_abandon(&text);
    schedule_release(&s);
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
        .steps_max = x->outcome == OUTCOME_LIMIT || x->outcome == OUTCOME_PROPERTY
                         ? (uint32_t)x->steps.count
                         : p->steps_max};
    const int result = run_once(c, &plan, &again, e);
    if (result == 0) {
        c->verified++;
        if (again.hash != x->hash || again.outcome != x->outcome) {
            if (c->unlike++ == 0) {
                say_difference(c, x, &again);
            }
        }
    }
    execution_release(&again);
    vec_release(&turns);
    return result;
}

static bool is_worth_verifying(const struct execution *x)
{
    return x->steps.count > 0 && (outcome_is_violation(x->outcome) ||
                                  x->outcome == OUTCOME_PASSED || x->outcome == OUTCOME_LIMIT);
}

static int run(struct world *w, const struct plan *p, struct execution *x, struct err *e)
{
    struct controlled *c = controlled_of(w);
    if (run_once(c, p, x, e) < 0) {
        return -1;
    }
    return c->options.verifies && is_worth_verifying(x) ? verify(c, p, x, e) : 0;
}

static void close_controlled(struct world *w)
{
    struct controlled *c = controlled_of(w);
    process_close(c);
    claim_close(c);
    places_free(c->places);
    out_abandon(&c->text);
    map_release(&c->action_of);
    vec_release(&c->actions);
    vec_release(&c->outside);
    vec_release(&c->unseen);
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
    .close = close_controlled,
};

struct control_told control_told(struct world *w)
{
    const struct controlled *c = controlled_of(w);
    return (struct control_told){.mode = c->mode,
                                 .is_changed_outside = c->is_changed_outside,
                                 .is_left = c->is_left,
                                 .is_inexact = c->has_idled || c->has_looked,
                                 .has_drawn = c->has_drawn,
                                 .has_waited = c->has_waited,
                                 .has_weak_order = c->has_weak_order,
                                 .verified = c->verified,
                                 .unlike = c->unlike,
                                 .difference = c->difference,
                                 .outside = c->outside.at,
                                 .outside_count = (uint32_t)c->outside.count,
                                 .unseen = c->unseen.at,
                                 .unseen_count = (uint32_t)c->unseen.count};
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
    if (install_find(&c->install, e) < 0 || process_page(c, e) < 0 || claim_open(c, e) < 0) {
        close_controlled(&c->world);
        return -1;
    }
    *w = &c->world;
    return 0;
}
