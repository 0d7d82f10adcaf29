#include "predict/predict.h"

#include "atomicity/atomicity.h"
#include "race/race.h"
#include "wire/must.h"

enum { FINDINGS_MAX = 32, SOLVER_STEPS_MAX = 20000, STATES_MAX = 2000, TRIES_MAX = 100 };

struct predicting {
    const struct trace *t;
    const struct execution *x;
    struct aims *aims;
};

/* The operation of the event; NULL when it was no step, or its place is unknown. */
static const struct pick_operation *operation_of(const struct predicting *p,
                                                 const struct finding_event *e)
{
    if (e->index >= p->x->event_steps.count) {
        return NULL;
    }
    const uint32_t step = p->x->event_steps.at[e->index];
    if (step == STEP_NONE) {
        return NULL;
    }
    must(step < p->x->steps.count);
    const struct pick_operation *o = &p->x->steps.at[step].operation;
    return o->place == 0 ? NULL : o;
}

/* The events are, for each task, the acquisition of its lock and its request for the next one's. */
static void aim_at_deadlock(struct predicting *p, const struct finding *f)
{
    struct aim aim = {.is_deadlock = true};
    for (size_t i = 1; i < f->event_count && aim.wish_count < AIM_WISHES_MAX; i += 2) {
        const struct pick_operation *asked = operation_of(p, &f->events[i]);
        if (asked != NULL) {
            aim.wishes[aim.wish_count++] =
                (struct pick_wish){.kind = PICK_HOLD, .second = asked->place};
        }
    }
    must(aim.wish_count <= AIM_WISHES_MAX);
    if (aim.wish_count > 0) {
        vec_push(&p->aims->list, aim);
    }
}

/* Of the events, two of one task with another's between. */
static void aim_at_atomicity(struct predicting *p, const struct finding *f)
{
    const struct pick_operation *first =
        f->event_count == 0 ? NULL : operation_of(p, &f->events[0]);
    const struct pick_operation *second = NULL;
    for (size_t i = 1; i < f->event_count && first != NULL && second == NULL; i++) {
        const struct pick_operation *o = operation_of(p, &f->events[i]);
        second = o != NULL && o->task == first->task && o->name != first->name ? o : NULL;
    }
    if (second == NULL) {
        return;
    }
    vec_push(&p->aims->list,
             (struct aim){
                 .wishes = {{.kind = PICK_EARLY, .first = first->name, .operation = *first},
                            {.kind = PICK_BETWEEN, .first = first->name, .second = second->place}},
                 .wish_count = 2});
}

static void aim_at_race(struct predicting *p, const struct finding *f)
{
    if (f->event_count < 2) {
        return;
    }
    const bool is_in_order = f->events[0].index < f->events[1].index;
    const struct pick_operation *came_first = operation_of(p, &f->events[is_in_order ? 0 : 1]);
    const struct pick_operation *came_later = operation_of(p, &f->events[is_in_order ? 1 : 0]);
    if (came_first != NULL && came_later != NULL && came_first->place != came_later->place) {
        vec_push(&p->aims->list, (struct aim){.wishes = {{.kind = PICK_AFTER,
                                                          .first = came_later->place,
                                                          .second = came_first->place}},
                                              .wish_count = 1});
    }
}

static bool is_atomicity(enum finding_kind kind)
{
    return kind == FINDING_ATOMICITY_SINGLE || kind == FINDING_ATOMICITY_PAIR ||
           kind == FINDING_ATOMICITY_MERGED || kind == FINDING_LOST_UPDATE ||
           kind == FINDING_STALE_READ;
}

static void aim_at(struct predicting *p, const struct finding *f)
{
    if (f->kind == FINDING_DEADLOCK) {
        aim_at_deadlock(p, f);
    } else if (f->kind == FINDING_DATA_RACE || f->kind == FINDING_USE_AFTER_FREE) {
        aim_at_race(p, f);
    } else if (is_atomicity(f->kind)) {
        aim_at_atomicity(p, f);
    }
}

/* An engine that fails predicts nothing. */
static void find_races(struct predicting *p, struct findings *f, bool is_of_locks)
{
    struct race_stats stats;
    struct notes notes = {0};
    struct err e = {.text = ""};
    const struct race_options options = {.model = RACE_STRICT,
                                         .skips_data = is_of_locks,
                                         .skips_messages = true,
                                         .skips_deadlocks = !is_of_locks,
                                         .skips_grades = true,
                                         .find_max = FINDINGS_MAX,
                                         .step_max = SOLVER_STEPS_MAX,
                                         .pairs_max = SOLVER_STEPS_MAX};
    (void)!race_find(p->t, &options, f, &stats, &notes, &e);
    notes_release(&notes);
}

static void find_atomicity(struct predicting *p, struct findings *f)
{
    struct atomicity_stats stats = {0};
    struct notes notes = {0};
    struct err e = {.text = ""};
    const struct atomicity_options options = {.skips_regions = true,
                                              .skips_grades = true,
                                              .find_max = FINDINGS_MAX,
                                              .state_max = STATES_MAX,
                                              .try_max = TRIES_MAX};
    (void)!atomicity_find(p->t, &options, f, &stats, &notes, &e);
    notes_release(&notes);
}

void predict_aims(const struct trace *t, const struct execution *x, struct aims *aims)
{
    struct predicting p = {.t = t, .x = x, .aims = aims};
    struct findings f = {0};
    if (x->event_steps.count > PREDICT_EVENTS_MAX) {
        return;
    }
    find_races(&p, &f, true);
    find_atomicity(&p, &f);
    find_races(&p, &f, false);
    vec_each (&f.list, finding) {
        aim_at(&p, finding);
    }
    findings_release(&f);
}
