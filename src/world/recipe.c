#include "world/recipe.h"

#include <string.h>

#include "pick/operation_name.h"

static uint64_t text_name(const struct schedule *s, uint32_t name)
{
    return name_text(names_text(&s->names, name), names_size(&s->names, name));
}

/* "n1>n2/vote": the messages of a type on a channel; "" in *rest where it is not one. */
static uint64_t messages_name(const char *text, size_t size)
{
    const char *arrow = memchr(text, '>', size);
    const char *slash = arrow == NULL ? NULL : memchr(arrow, '/', (size_t)(text + size - arrow));
    if (slash == NULL) {
        return name_text(text, size);
    }
    return name_of_messages(name_text(text, (size_t)(arrow - text)),
                            name_text(arrow + 1, (size_t)(slash - arrow - 1)),
                            name_text(slash + 1, (size_t)(text + size - slash - 1)));
}

/* The target of a fault: a message "n1>n2/vote#3", a node "n1", or a node with a number of writes
 * that reached the disk "n1+2". */
static uint64_t target_name(const char *text, size_t size)
{
    size_t digits = size;
    uint32_t number = 0;
    uint32_t unit = 1;
    while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9' && size - digits < 9) {
        number += unit * (uint32_t)(text[--digits] - '0');
        unit *= 10;
    }
    must(size - digits <= 9);
    const char mark = digits > 0 && digits < size ? text[digits - 1] : '\0';
    if (mark == '#') {
        return name_occurrence(messages_name(text, digits - 1), number);
    }
    return mark == '+' ? name_join(name_text(text, digits - 1), number) : name_text(text, size);
}

static uint64_t operation_name(const struct schedule *s, const struct operation *o)
{
    const char *object = names_text(&s->names, o->object);
    if (o->kind == EVENT_RECV && strchr(object, '>') != NULL) { /* else a task's, like all others */
        return name_occurrence(messages_name(object, names_size(&s->names, o->object)),
                               o->occurrence);
    }
    return name_occurrence(name_of_operations(text_name(s, o->node), text_name(s, o->task), o->kind,
                                              text_name(s, o->object)),
                           o->occurrence);
}

static uint64_t message_name(const struct schedule *s, const struct message_name *m)
{
    return name_occurrence(name_of_messages(text_name(s, m->source), text_name(s, m->destination),
                                            text_name(s, m->type)),
                           m->occurrence);
}

static uint64_t choice_name(const struct schedule *s, const struct choice *c)
{
    switch (c->kind) {
    case CHOICE_MESSAGE: return message_name(s, &c->message);
    case CHOICE_FAULT:
        return name_fault(c->fault, target_name(names_text(&s->names, c->target),
                                                names_size(&s->names, c->target)));
    default: return operation_name(s, &c->operation);
    }
}

static void write_header(struct schedule *s, const struct world *w, const struct plan *p,
                         const struct execution *x)
{
    s->system = names_intern_text(&s->names, w->system);
    s->world = names_intern_text(&s->names, w->ops->name);
    s->net = names_intern_text(&s->names, w->net);
    s->with = w->with == NULL ? 0 : names_intern_text(&s->names, w->with);
    for (unsigned fault = 1; fault < FAULT_LIMIT; fault++) {
        if (p->faults.most[fault] > 0) {
            vec_push(&s->faults, (uint8_t)fault);
        }
    }
    s->seed = p->pick.seed;
    vec_each (&x->without, event) {
        vec_push(&s->without, *event + 1);
    }
    for (size_t i = 0; i < w->ignored_count; i++) {
        vec_push(&s->ignored, names_intern_text(&s->names, w->ignored[i]));
    }
    s->steps = (uint32_t)x->steps.count;
    s->hash = x->hash;
}

bool recipe_has_room(const struct plan *p)
{
    size_t size = 0;
    for (size_t i = 0; i < p->content_count; i++) {
        size += p->contents[i].size;
        if (p->contents[i].size > SCHEDULE_CONTENT_MAX || size > SCHEDULE_CONTENTS_MAX) {
            return false;
        }
    }
    return true;
}

/* Writes the payloads of requests that arrived; of others nothing is known. */
static void write_contents(struct schedule *s, struct world *w, const struct plan *p,
                           const struct execution *x)
{
    for (size_t i = 0; i < p->content_count; i++) {
        const struct plan_content *content = &p->contents[i];
        for (size_t k = 0; k < x->steps.count; k++) {
            const struct pick_operation *o = &x->steps.at[k].operation;
            if (o->name == content->name) {
                struct choice c = {0};
                w->ops->describe(w, o, s, &c);
                c.message.has_fingerprint = false;
                schedule_add_content(s, &c.message, content->bytes, content->size);
                break;
            }
        }
    }
}

void recipe_write(struct schedule *s, struct world *w, const struct plan *p,
                  const struct execution *x)
{
    write_header(s, w, p, x);
    write_contents(s, w, p, x);
    uint32_t expected = 1;
    for (uint32_t i = 0; i < x->steps.count; i++) {
        const struct step *step = &x->steps.at[i];
        if (step->choice == 0 && step->operation.fault == 0) {
            continue;
        }
        struct choice c = {0};
        w->ops->describe(w, &step->operation, s, &c);
        c.step = i + 1 == expected ? 0 : i + 1;
        expected = i + 2;
        vec_push(&s->choices, c);
    }
}

void recipe_write_whole(struct schedule *s, struct world *w, const struct plan *p,
                        const struct execution *x)
{
    write_header(s, w, p, x);
    write_contents(s, w, p, x);
    vec_each (&x->steps, step) {
        struct choice c = {0};
        w->ops->describe(w, &step->operation, s, &c);
        vec_push(&s->choices, c);
    }
}

static int add_turns(struct recipe *r, const struct schedule *s, struct err *e)
{
    uint32_t step = 0;
    vec_each (&s->choices, c) {
        if (c->kind != CHOICE_TASK && c->kind != CHOICE_MESSAGE && c->kind != CHOICE_TIMER &&
            c->kind != CHOICE_FAULT) {
            return err_set(e, "line %u: only tasks, messages, timers and faults are chosen yet",
                           c->line);
        }
        step = c->step != 0 ? c->step : step + 1;
        vec_push(&r->turns, (struct pick_turn){.name = choice_name(s, c), .step = step - 1});
    }
    return 0;
}

static void add_constraints(struct recipe *r, const struct schedule *s)
{
    vec_each (&s->constraints, c) {
        vec_push(&r->constraints,
                 (struct pick_constraint){
                     .first = operation_name(s, &c->first),
                     .second = c->is_from_start ? 0 : operation_name(s, &c->second),
                     .relation = c->kind == CONSTRAINT_BEFORE ? PICK_BEFORE : PICK_FROM,
                     .is_negated = c->is_negated});
    }
}

static void add_contents(struct recipe *r, const struct schedule *s)
{
    vec_each (&s->content_bytes, byte) {
        vec_push(&r->content_bytes, *byte);
    }
    vec_push(&r->content_bytes, 0); /* so that there is an address in every case */
    vec_each (&s->contents, c) {
        must((size_t)c->offset + c->size <= s->content_bytes.count);
        vec_push(&r->contents, (struct plan_content){.name = message_name(s, &c->message),
                                                     .bytes = r->content_bytes.at + c->offset,
                                                     .size = c->size});
    }
    r->plan.contents = r->contents.at;
    r->plan.content_count = r->contents.count;
}

static void add_without(struct recipe *r, const struct schedule *s)
{
    vec_each (&s->without, event) {
        vec_push(&r->without, *event - 1);
    }
    r->plan.without = r->without.at;
    r->plan.without_count = r->without.count;
}

enum { FAULTS_MOST = 1000 };

/* A schedule has no fault budget. Where it has all steps, the budget is the faults of its lines,
 * for no default is a fault: a run derived from one with one crash has not two. */
static void add_faults(struct recipe *r, const struct schedule *s)
{
    uint16_t *most = r->plan.faults.most;
    vec_each (&s->faults, fault) {
        const bool is_open = s->then != 0 || s->constraints.count > 0;
        most[*fault] = is_open ? FAULTS_MOST : 0;
        vec_each (&s->choices, c) {
            if (c->kind == CHOICE_FAULT && c->fault == *fault && most[*fault] < FAULTS_MOST) {
                most[*fault]++;
            }
        }
    }
}

int recipe_parse(struct recipe *r, const struct schedule *s, struct err *e)
{
    if (schedule_check_steps(s, e) < 0 || add_turns(r, s, e) < 0) {
        return -1;
    }
    add_constraints(r, s);
    add_contents(r, s);
    add_without(r, s);
    struct plan *p = &r->plan;
    if (s->then == 0) {
        p->pick.strategy = PICK_FIRST;
        p->steps_max = s->steps != 0              ? s->steps
                       : r->turns.count > 0       ? vec_last(&r->turns)->step + 1
                       : r->constraints.count > 0 ? 0
                                                  : 1;
    } else {
        const int strategy = pick_strategy_find(names_text(&s->names, s->then));
        if (strategy < 0) {
            return err_set(e, "line %u: there is no strategy called %s", s->then_line,
                           names_text(&s->names, s->then));
        }
        p->pick.strategy = (enum pick_strategy)strategy;
    }
    p->pick.turns = r->turns.at;
    p->pick.turn_count = r->turns.count;
    p->pick.steps_first = s->then == 0 ? UINT32_MAX : s->steps;
    p->pick.constraints = r->constraints.at;
    p->pick.constraint_count = r->constraints.count;
    p->pick.seed = s->seed;
    add_faults(r, s);
    return 0;
}

void recipe_release(struct recipe *r)
{
    vec_release(&r->turns);
    vec_release(&r->constraints);
    vec_release(&r->contents);
    vec_release(&r->without);
    vec_release(&r->content_bytes);
}

void recipe_explain(struct execution *x)
{
    if (x->outcome == OUTCOME_LIMIT) {
        execution_end(x, OUTCOME_LIMIT, "the schedule's steps are over, and nothing was violated");
    }
}
