#include "cli/verbs/compat_spin.h"

#include <string.h>

#include "atomicity/correlate.h"
#include "atomicity/spin.h"
#include "cli/text/verdict.h"

struct compared {
    uint64_t claims, occurring, different, unknown;
    uint64_t by_pattern[VIOLATION_COUNT]; /* claims that occur, by SPIN */
};

static enum decision decide(struct decider *d, const struct claim *c)
{
    struct sequence q = {.count = c->access_count};
    for (uint32_t i = 0; i < c->access_count; i++) {
        q.threads[i] = c->threads[c->accesses[i].thread - 1];
        q.kinds[i] = (uint8_t)(c->accesses[i].which * 2 + c->accesses[i].is_write);
    }
    return decider_occurs(d, &q);
}

static int compare_claims(const struct model *m, const claim_list *claims, struct compared *sum,
                          struct err *e)
{
    enum { STATES_MAX = 10000000 };
    struct spin spin;
    struct decider d;
    if (spin_open(&spin, m, claims, SPIN_SOON, e) < 0) {
        return -1;
    }
    decider_init(&d, m, STATES_MAX);
    int result = 0;
    for (size_t i = 0; i < claims->count && result == 0; i++) {
        enum decision other = DECIDE_UNKNOWN;
        const enum decision own = decide(&d, &claims->at[i]);
        result = spin_ask(&spin, i, &other, e);
        sum->claims++;
        sum->occurring += other == DECIDE_YES;
        sum->by_pattern[claims->at[i].pattern] += other == DECIDE_YES;
        sum->unknown += own == DECIDE_UNKNOWN || other == DECIDE_UNKNOWN;
        sum->different += own != other && own != DECIDE_UNKNOWN && other != DECIDE_UNKNOWN;
    }
    decider_release(&d);
    spin_close(&spin);
    return result;
}

static int compare_pair(const struct frame *f, struct pairing pair, struct compared *sum,
                        struct err *e)
{
    struct sketch sketch;
    struct model m;
    claim_list claims = {0};
    sketch_build(&sketch, f, pair.x, pair.y);
    model_build(&m, &sketch);
    promela_claims(&m, &claims);
    const int result = claims.count == 0 ? 0 : compare_claims(&m, &claims, sum, e);
    vec_release(&claims);
    model_release(&m);
    sketch_release(&sketch);
    return result;
}

/* The first of the pairings whose classes these are. */
static int compare_classes(const struct frame *f, const struct pairings *p,
                           const struct correlated *best, struct compared *sum, struct err *e)
{
    const struct variables *v = &f->variables;
    vec_each (&p->list, pair) {
        const char *x = names_text(&v->classes, v->list.at[pair->x].class);
        const char *y = names_text(&v->classes, v->list.at[pair->y].class);
        if ((strcmp(x, best->x) == 0 && strcmp(y, best->y) == 0) ||
            (strcmp(x, best->y) == 0 && strcmp(y, best->x) == 0)) {
            return compare_pair(f, *pair, sum, e);
        }
    }
    return 0;
}

static int compare_shared(const struct frame *f, struct compared *sum, struct err *e)
{
    for (uint32_t i = 0; i < f->variables.list.count; i++) {
        if (variable_is_shared(&f->variables.list.at[i])) {
            return compare_pair(f, (struct pairing){.x = i, .y = VARIABLE_NONE}, sum, e);
        }
    }
    return 0;
}

/* The best pairs of the run, or its first shared variable where there are none. */
static int compare_best(const struct frame *f, uint64_t max, struct compared *sum, struct err *e)
{
    struct pairings p;
    struct correlation *c = correlation_new();
    struct correlated_list ranked = {0};
    pairings_build(&p, f->trace, &f->variables, NULL);
    correlation_add_pairings(c, &f->variables, &p, NULL);
    correlation_rank(c, &ranked);
    int result = ranked.list.count == 0 ? compare_shared(f, sum, e) : 0;
    for (size_t i = 0; i < ranked.list.count && i < max && result == 0; i++) {
        result = compare_classes(f, &p, &ranked.list.at[i], sum, e);
    }
    vec_release(&ranked.list);
    correlation_free(c);
    pairings_release(&p);
    return result;
}

static void print(struct session *s, const struct compared *sum)
{
    for (int i = 0; i < VIOLATION_COUNT; i++) {
        if (sum->by_pattern[i] > 0) {
            out_format(&s->out, "%s: %llu of its claims occur\n", violation_name((enum violation)i),
                       (unsigned long long)sum->by_pattern[i]);
        }
    }
    out_format(&s->out,
               "%llu claims, %llu occur by spin; %llu decided otherwise here, %llu undecided\n",
               (unsigned long long)sum->claims, (unsigned long long)sum->occurring,
               (unsigned long long)sum->different, (unsigned long long)sum->unknown);
}

int compat_spin(struct session *s, const struct atomicity_command *c, struct reading *r,
                struct err *e)
{
    if (reading_load(r, e) < 0) {
        return -1;
    }
    reading_warn(r);
    if (r->is_cut) {
        return verdict_status(VERDICT_UNKNOWN);
    }
    struct frame f;
    struct notes notes = {0};
    struct compared sum = {0};
    if (frame_build(&f, &r->trace, &notes, e) < 0) {
        return -1;
    }
    const int result = compare_best(&f, c->all_pairs ? UINT64_MAX : c->top, &sum, e);
    frame_release(&f);
    notes_release(&notes);
    if (result < 0) {
        return -1;
    }
    print(s, &sum);
    if (sum.different > 0) {
        return err_set(e, "spin and clew disagree: please report this trace");
    }
    return verdict_status(verdict_of(sum.occurring > 0 && sum.unknown == 0, sum.unknown > 0));
}
