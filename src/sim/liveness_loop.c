/* Runs that return to a state: the steps between could go on for ever, and a property that waits
 * for an event is judged as if they did. Only if that is fair. An operation that was pending all
 * the way round and never came would be kept waiting for ever, which no network, disk or timer
 * does; so no operation may be pending both where the loop begins and where it ends. Names of
 * operations count occurrences: equal names at both ends are the same message, write or setting of
 * a timer. */
#include "sim/liveness_loop.h"

#include "base/map.h"
#include "base/mem.h"
#include "pick/operation_name.h"
#include "sim/net.h"
#include "sim/node_life.h"
#include "sim/properties.h"
#include "sim/state_hash.h"
#include "spec/checker.h"

/* A run that goes round and round has more loops than need be judged; others have few. */
enum { JUDGED_MAX = 64 };

/* A state of the run, the first before any step. */
struct visit {
    uint32_t names_first; /* of the operations that were pending, into names */
    uint32_t names_count;
    uint32_t earlier; /* the visit of the same state before, plus one; 0: none */
};

struct loops {
    VEC(struct visit) visits; /* by step */
    VEC(uint64_t) names;
    struct map last; /* state to its last visit, plus one */
    uint32_t judged_count;
    bool has_durations;
};

void loop_open(struct sim *s)
{
    if (s->claims.checker != NULL && checker_wants_loops(s->claims.checker)) {
        s->claims.loops = mem_zero(1, sizeof *s->claims.loops);
        s->claims.loops->has_durations = checker_has_durations(s->claims.checker);
    }
}

void loop_close(struct sim *s)
{
    if (s->claims.loops != NULL) {
        vec_release(&s->claims.loops->visits);
        vec_release(&s->claims.loops->names);
        map_release(&s->claims.loops->last);
        mem_free(s->claims.loops);
    }
}

void loop_begin(struct sim *s)
{
    if (s->claims.loops != NULL) {
        vec_clear(&s->claims.loops->visits);
        vec_clear(&s->claims.loops->names);
        map_clear(&s->claims.loops->last);
        s->claims.loops->judged_count = 0;
    }
}

/* Where durations count, clocks must have moved on together. */
static uint64_t state_key(struct sim *s)
{
    uint64_t key = hash_state(s);
    const uint64_t latest = node_clock_latest(s);
    for (uint32_t i = 0; s->claims.loops->has_durations && i < s->node_count; i++) {
        key = name_mix(key, latest - s->core->nodes[i].clock);
    }
    return key;
}

/* Notes the operations that may not wait for ever. */
static struct visit note_pending(struct sim *s)
{
    struct loops *l = s->claims.loops;
    struct visit v = {.names_first = (uint32_t)l->names.count};
    for (uint32_t i = 0; i < s->pending.count; i++) {
        if (s->pending.operations[i].fault == 0) {
            vec_push(&l->names, s->pending.operations[i].name);
        }
    }
    /* Writes of a slow disk are not pending while anything else is, but they come. */
    for (uint32_t i = 0; i < s->node_count; i++) {
        const struct disk *d = &s->core->nodes[i].disk;
        if (d->first != NULL && d->is_slow) {
            vec_push(&l->names, name_occurrence(s->names.writes[i], d->first->ticket));
        }
    }
    v.names_count = (uint32_t)l->names.count - v.names_first;
    return v;
}

static bool is_fair(const struct loops *l, const struct visit *first, const struct visit *last)
{
    must(first->names_first + first->names_count <= l->names.count);
    must(last->names_first + last->names_count <= l->names.count);
    for (uint32_t i = 0; i < first->names_count; i++) {
        for (uint32_t k = 0; k < last->names_count; k++) {
            if (l->names.at[first->names_first + i] == l->names.at[last->names_first + k]) {
                return false;
            }
        }
    }
    return true;
}

/* Judges the loops that end here, the shortest first. */
static void judge(struct sim *s)
{
    struct loops *l = s->claims.loops;
    const struct visit *here = vec_last(&l->visits);
    for (uint32_t at = here->earlier; at != 0 && l->judged_count < JUDGED_MAX;) {
        must(at < l->visits.count);
        const struct visit *v = &l->visits.at[at - 1];
        must(v->earlier < at);
        if (is_fair(l, v, here)) {
            l->judged_count++;
            claims_loop(s, at - 1);
        }
        at = v->earlier;
    }
}

void loop_look(struct sim *s)
{
    struct loops *l = s->claims.loops;
    if (l == NULL) {
        return;
    }
    must(l->visits.count == s->core->steps);
    struct visit v = note_pending(s);
    uint32_t *last = map_slot(&l->last, state_key(s), 0, NULL);
    v.earlier = *last;
    vec_push(&l->visits, v);
    *last = (uint32_t)l->visits.count;
    judge(s);
}

void loop_look_again(struct sim *s)
{
    if (s->claims.loops != NULL && s->claims.loops->judged_count >= JUDGED_MAX) {
        s->claims.loops->judged_count = 0;
        judge(s);
    }
}
