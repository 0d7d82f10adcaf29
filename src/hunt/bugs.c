#include "hunt/bugs.h"

#include <string.h>

#include "base/sort.h"

void bugs_release(struct bugs *b)
{
    vec_each (&b->list, bug) {
        vec_release(&bug->causes);
        explanation_release(&bug->explanation);
    }
    vec_release(&b->list);
    arena_release(&b->arena);
}

static const char *keep(struct bugs *b, const char *text)
{
    return arena_text(&b->arena, text, strlen(text));
}

static struct bug *find(struct bugs *b, const char *key)
{
    vec_each (&b->list, bug) {
        if (strcmp(bug->key, key) == 0) {
            return bug;
        }
    }
    return NULL;
}

static struct bug *add(struct bugs *b, struct bug bug, const char *schedule)
{
    must(schedule != NULL);
    bug.schedule_size = strlen(schedule);
    bug.schedule = keep(b, schedule);
    bug.what = keep(b, bug.what);
    bug.key = keep(b, bug.key);
    bug.reason = keep(b, bug.reason);
    bug.minimized = bug.minimize_note = bug.schedule_path = "";
    bug.minimized_path = bug.page_path = bug.replay = "";
    bug.is_repeatable = true;
    vec_push(&b->list, bug);
    return vec_last(&b->list);
}

struct bug *bugs_add_failure(struct bugs *b, const struct bug_failure *f)
{
    struct bug *known = find(b, f->key);
    must(outcome_is_violation(f->outcome));
    if (known != NULL) {
        return known;
    }
    return add(b,
               (struct bug){.kind = outcome_finding(f->outcome),
                            .severity = f->severity,
                            .harm = HARM_HARMFUL,
                            .what = f->what,
                            .reason = "",
                            .key = f->key,
                            .stage = f->stage},
               f->schedule);
}

void bugs_add_harmful(struct bugs *b, const struct prediction *p)
{
    const struct race_orders *o = &p->answer.orders;
    must(p->answer.status == STATUS_CONFIRMED);
    must(o->harm == HARM_HARMFUL);
    struct bug *bug = bugs_add_failure(b, &(struct bug_failure){.outcome = o->violation.outcome,
                                                                .severity = o->violation.severity,
                                                                .what = o->violation.what,
                                                                .key = o->violation.key,
                                                                .schedule = o->schedules[0],
                                                                .stage = "confirm"});
    if (bug->causes.count == 0) {
        bug->reason = keep(b, o->reason);
    }
    vec_push(&bug->causes, p);
}

/* The variable of an event without indices and the part after a blank or '+': "heap.size" of
 * "heap.size[3]". */
static size_t variable_size(const struct finding_event *e)
{
    return strcspn(e->object, "[+ ");
}

bool bugs_share_variable(const struct finding *a, const struct finding *b)
{
    for (size_t i = 0; i < a->event_count; i++) {
        const struct finding_event *one = &a->events[i];
        const size_t size = variable_size(one);
        for (size_t k = 0; k < b->event_count && size > 0; k++) {
            const struct finding_event *other = &b->events[k];
            if (size == variable_size(other) && strncmp(one->object, other->object, size) == 0 &&
                strcmp(one->node, other->node) == 0) {
                return true;
            }
        }
    }
    return false;
}

static struct bug *find_by_variable(struct bugs *b, const struct finding *f)
{
    vec_each (&b->list, bug) {
        vec_each (&bug->causes, cause) {
            if (bugs_share_variable(&(*cause)->finding, f)) {
                return bug;
            }
        }
    }
    return NULL;
}

void bugs_add_harmless(struct bugs *b, const struct prediction *p)
{
    const struct race_orders *o = &p->answer.orders;
    must(p->answer.status == STATUS_CONFIRMED);
    must(o->harm != HARM_HARMFUL);
    struct bug *bug = find_by_variable(b, &p->finding);
    if (bug == NULL) {
        bug = add(b,
                  (struct bug){.kind = p->finding.kind,
                               .severity = SEVERITY_WARNING,
                               .harm = o->harm,
                               .what = p->finding.what,
                               .reason = o->reason,
                               .key = p->finding.key,
                               .stage = "confirm"},
                  o->schedules[0]);
    } else if (bug->harm == HARM_BENIGN && o->harm == HARM_UNKNOWN) {
        bug->harm = HARM_UNKNOWN; /* one order that changes a value is enough to doubt */
        bug->reason = keep(b, o->reason);
    }
    vec_push(&bug->causes, p);
}

/* Whether the failure is damaged memory, or a use of memory that is not there. */
static bool is_of_memory(enum finding_kind kind)
{
    return kind == FINDING_USE_AFTER_FREE || kind == FINDING_DOUBLE_FREE ||
           kind == FINDING_OVERFLOW || kind == FINDING_SANITIZER || kind == FINDING_CRASH;
}

static uint32_t rank(const struct bug *bug)
{
    if (bug->harm != HARM_HARMFUL) {
        return bug->harm == HARM_UNKNOWN ? 3 : 4;
    }
    return is_of_memory(bug->kind) ? 0 : bug->severity == SEVERITY_ERROR ? 1 : 2;
}

static int compare(const void *left, const void *right, const void *unused)
{
    (void)unused;
    const uint32_t a = rank(left);
    const uint32_t b = rank(right);
    return a < b ? -1 : a > b;
}

void bugs_rank(struct bugs *b)
{
    sort_stable(b->list.at, b->list.count, sizeof *b->list.at, compare, NULL);
}

void bugs_hide(struct bugs *b, bool (*is_hidden)(void *context, const struct bug *bug),
               void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->list.count; i++) {
        struct bug *bug = &b->list.at[i];
        if (is_hidden(context, bug)) {
            vec_release(&bug->causes);
            explanation_release(&bug->explanation);
        } else {
            b->list.at[kept++] = *bug;
        }
    }
    b->list.count = kept;
}
