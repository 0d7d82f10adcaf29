#include "atomicity_slow.h"

#include <string.h>

#include "atomicity_slow_states.h"
#include "trace/kind_table.h"
#include "wire/kind.h"

/* ---- accesses ---- */

static bool is_access(const struct slow *s, event_id id)
{
    const struct event *e = trace_at(s->t, id);
    return (event_class(e) == CLASS_ACCESS || event_class(e) == CLASS_ATOMIC) && e->object != 0;
}

static uint64_t object_of(const struct slow *s, event_id id)
{
    return rules_object(s->t, trace_at(s->t, id), trace_at(s->t, id)->object);
}

static bool is_atomic(const struct slow *s, event_id id)
{
    return s->is_atomic[id];
}

/* An atomic access, or a plain read of an object that is written atomically and at most once
 * otherwise. */
static bool is_used_atomically(const struct slow *s, event_id id)
{
    bool is_stored = false;
    uint32_t plain_writes = 0;
    if (trace_at(s->t, id)->kind != EVENT_READ) {
        return event_class(trace_at(s->t, id)) == CLASS_ATOMIC;
    }
    for (event_id at = 0; at < s->r->count; at++) {
        const uint16_t kind = trace_at(s->t, at)->kind;
        if (is_access(s, at) && object_of(s, at) == object_of(s, id)) {
            is_stored |= kind == EVENT_ATOMIC_STORE || kind == EVENT_ATOMIC_RMW;
            plain_writes += kind == EVENT_WRITE;
        }
    }
    return is_stored && plain_writes <= 1;
}

static uint64_t variable_of(const struct slow *s, event_id id)
{
    return object_of(s, id) | (uint64_t)is_atomic(s, id) << 63;
}

static bool writes(const struct slow *s, event_id id)
{
    const uint16_t kind = trace_at(s->t, id)->kind;
    return kind == EVENT_WRITE || kind == EVENT_ATOMIC_STORE || kind == EVENT_ATOMIC_RMW;
}

/* Two accesses to an atomic variable that are meant to be one: a load, and then a write that does
 * not look at what it finds; or a read-modify-write that does not, and then a load. */
static bool are_one_operation(const struct slow *s, event_id a, event_id b)
{
    const struct event *first = trace_at(s->t, a);
    const struct event *second = trace_at(s->t, b);
    if (first->kind == EVENT_ATOMIC_LOAD || first->kind == EVENT_READ) {
        return second->kind == EVENT_ATOMIC_STORE ||
               (second->kind == EVENT_ATOMIC_RMW && event_is_blind(second));
    }
    return first->kind == EVENT_ATOMIC_RMW && event_is_blind(first) &&
           (second->kind == EVENT_ATOMIC_LOAD || second->kind == EVENT_READ);
}

static bool is_of_task(const struct slow *s, event_id id, event_id other)
{
    return trace_at(s->t, id)->task == trace_at(s->t, other)->task;
}

static bool is_in(const struct slow *s, const struct rules_section *section, event_id id)
{
    return trace_at(s->t, id)->task == section->task && section->first <= id &&
           (id <= section->last || s->is_open[section - s->r->sections.at]);
}

/* The number of the task's operation at an event of it: each event `operation` begins a new one, or
 * says which. */
static uint32_t operation_at(const struct slow *s, event_id id)
{
    uint32_t now = 1;
    uint32_t largest = 1;
    for (event_id before = 0; before < id; before++) {
        const struct event *e = trace_at(s->t, before);
        if (e->kind == EVENT_OPERATION && is_of_task(s, before, id)) {
            now = (e->has & HAS_COUNT) != 0 ? e->count : largest + 1;
            largest = now > largest ? now : largest;
        }
    }
    return now;
}

/* How many marked regions of the task are open at an event of it. */
static int region_depth_at(const struct slow *s, event_id id)
{
    int depth = 0;
    for (event_id before = 0; before < id; before++) {
        const uint16_t kind = trace_at(s->t, before)->kind;
        if (is_of_task(s, before, id)) {
            depth += kind == EVENT_ATOMIC_BEGIN;
            depth -= kind == EVENT_ATOMIC_END && depth > 0;
        }
    }
    return depth;
}

/* Whether one marked region has both accesses of a task. */
static bool is_marked(const struct slow *s, event_id a, event_id b)
{
    for (event_id id = a; id <= b; id++) {
        if (is_of_task(s, id, a) && region_depth_at(s, id) == 0) {
            return false;
        }
    }
    return true;
}

/* Two accesses, the first listed first, of different operations of a task. */
static bool straddles(const struct slow *s, event_id a, event_id b)
{
    if (s->wants_rounds || operation_at(s, a) == operation_at(s, b) || is_marked(s, a, b)) {
        return false;
    }
    vec_each (&s->r->sections, section) {
        if (is_in(s, section, a) && is_in(s, section, b)) {
            return false;
        }
    }
    return true;
}

/* ---- what is settled ---- */

/* Follows program order, and the edges of creating and joining tasks, until nothing changes. */
static void close_created(struct slow *s)
{
    for (event_id id = 0; id < s->r->count; id++) {
        for (event_id before = 0; before < id; before++) {
            s->created[id] |= is_of_task(s, before, id) ? slow_bit(before) : 0;
        }
    }
    vec_each (&s->r->cross, edge) {
        const uint16_t from = trace_at(s->t, edge->from)->kind;
        if (from == EVENT_THREAD_CREATE || from == EVENT_PROCESS_FORK ||
            trace_at(s->t, edge->to)->kind == EVENT_THREAD_JOIN) {
            s->created[edge->to] |= slow_bit(edge->from);
        }
    }
    for (size_t round = 0; round < s->r->count; round++) {
        for (event_id id = 0; id < s->r->count; id++) {
            for (event_id before = 0; before < s->r->count; before++) {
                s->created[id] |= (s->created[id] & slow_bit(before)) != 0 ? s->created[before] : 0;
            }
        }
    }
}

/* Whether the object of an event is the block, or a part of it. */
static bool is_part_of(const struct slow *s, event_id id, uint32_t block)
{
    const char *name = trace_name(s->t, trace_at(s->t, id)->object);
    const char *whole = trace_name(s->t, block);
    const size_t size = strlen(whole);
    return strncmp(name, whole, size) == 0 && (name[size] == '\0' || name[size] == '+');
}

/* Whether an event only takes from others, or concerns nobody else. */
static bool is_silent(uint16_t kind)
{
    static const uint16_t kinds[] = {
        EVENT_READ,         EVENT_WRITE,        EVENT_ATOMIC_LOAD,  EVENT_LOCK,
        EVENT_SEM_WAIT,     EVENT_WAIT_END,     EVENT_BARRIER_EXIT, EVENT_HAPPENS_AFTER,
        EVENT_LOG,          EVENT_THREAD_START, EVENT_ALLOC,        EVENT_FREE,
        EVENT_ATOMIC_BEGIN, EVENT_ATOMIC_END,   EVENT_ONCE_BEGIN,   EVENT_OPERATION,
        EVENT_SCOPE,
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i] == kind) {
            return true;
        }
    }
    return false;
}

/* Whether the task of an access has allocated its block, and done nothing since that others could
 * take notice of. */
static bool is_private(const struct slow *s, event_id id)
{
    for (event_id at = id; !is_atomic(s, id) && at-- > 0;) {
        const struct event *e = trace_at(s->t, at);
        if ((e->kind == EVENT_ALLOC || e->kind == EVENT_FREE) && is_part_of(s, id, e->object)) {
            return e->kind == EVENT_ALLOC && is_of_task(s, at, id);
        }
        if (is_of_task(s, at, id) && !is_silent(e->kind)) {
            return false;
        }
    }
    return false;
}

/* Whether a write stands for freeing its block: only such writes come between it and the FREE. */
static bool is_freeing(const struct slow *s, event_id id)
{
    for (event_id at = id; at < s->r->count; at++) {
        const struct event *e = trace_at(s->t, at);
        if (!is_of_task(s, at, id) || e->kind == EVENT_OPERATION || e->kind == EVENT_SCOPE) {
            continue;
        }
        if (e->location != trace_at(s->t, id)->location) {
            return false;
        }
        if (e->kind == EVENT_FREE) {
            return is_part_of(s, id, e->object);
        }
        if (e->kind != EVENT_WRITE) {
            return false;
        }
    }
    return false;
}

static bool have_common_lock(const struct slow *s, event_id a, event_id b)
{
    vec_each (&s->r->sections, first) {
        vec_each (&s->r->sections, second) {
            if (rules_exclude(first, second) && is_in(s, first, a) && is_in(s, second, b)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the next event of a read's task writes the same at the same place. */
static bool is_counter(const struct slow *s, event_id id)
{
    const struct event *read = trace_at(s->t, id);
    for (event_id next = id + 1; next < s->r->count; next++) {
        const struct event *e = trace_at(s->t, next);
        if (is_of_task(s, next, id)) {
            return e->kind == EVENT_WRITE && e->object == read->object &&
                   e->location == read->location;
        }
    }
    return false;
}

/* The write of another task that a read must have seen, EVENT_NONE: none. */
static event_id handed_over_by(const struct slow *s, event_id id)
{
    if (!is_access(s, id) || writes(s, id) || is_counter(s, id)) {
        return EVENT_NONE;
    }
    for (event_id at = id; at-- > 0;) {
        if (is_access(s, at) && writes(s, at) && variable_of(s, at) == variable_of(s, id)) {
            return !is_of_task(s, at, id) && have_common_lock(s, at, id) ? at : EVENT_NONE;
        }
    }
    return EVENT_NONE;
}

/* Whether a variable is part of a block or of an array's element. */
static bool is_reached(const struct slow *s, uint64_t variable)
{
    return strpbrk(trace_name(s->t, (uint32_t)variable), "#[") != NULL;
}

/* Whether a comes before b by needs and by what is handed over, through others than those of x and
 * y that are handed over themselves. */
static bool is_handed_before(const struct slow *s, event_id a, event_id b, const uint64_t xy[2])
{
    uint64_t before = slow_bit(b);
    if (!is_reached(s, xy[0]) && !is_reached(s, xy[1])) {
        return false;
    }
    for (size_t round = 0; round < s->r->count; round++) {
        for (event_id id = 0; id < s->r->count; id++) {
            if ((before & slow_bit(id)) == 0) {
                continue;
            }
            const event_id write = handed_over_by(s, id);
            before |= s->needs[id];
            const uint64_t through = variable_of(s, id);
            if (write != EVENT_NONE &&
                ((through != xy[0] && through != xy[1]) || !is_reached(s, through))) {
                before |= slow_bit(write);
            }
        }
    }
    return (before & slow_bit(a)) != 0;
}

/* Whether a pattern of two conflicts is left out. */
static bool is_settled(const struct slow *s, const struct order conflicts[2])
{
    const uint64_t xy[2] = {variable_of(s, conflicts[0].before),
                            variable_of(s, conflicts[1].after)};
    bool is_fixed = true;
    for (int i = 0; i < 2; i++) {
        const struct order c = conflicts[i];
        if ((s->created[c.after] & slow_bit(c.before)) != 0 || is_private(s, c.before) ||
            is_private(s, c.after) || is_freeing(s, c.before) || is_freeing(s, c.after) ||
            is_handed_before(s, c.after, c.before, xy)) {
            return true;
        }
        is_fixed &= is_handed_before(s, c.before, c.after, xy);
    }
    return is_fixed;
}

/* ---- what couples are parts of ---- */

enum { PATH_MAX = 64 };

/* The calls and rounds around an event: each by the event that began it and its depth there. */
struct path {
    uint32_t count;
    struct {
        event_id began;
        uint32_t depth;
        bool is_round;
    } at[PATH_MAX];
};

/* An `operation` leaves all of them; a `scope` keeps so many and enters the others. */
static struct path path_at(const struct slow *s, event_id id)
{
    struct path p = {0};
    for (event_id before = 0; before < id; before++) {
        const struct event *e = trace_at(s->t, before);
        if (!is_of_task(s, before, id)) {
            continue;
        }
        p.count = e->kind == EVENT_OPERATION ? 0 : p.count;
        if (e->kind != EVENT_SCOPE) {
            continue;
        }
        p.count = e->count < p.count ? e->count : p.count;
        p.count = e->size < p.count ? (uint32_t)e->size : p.count;
        for (; p.count < e->size; p.count++) {
            p.at[p.count].began = before;
            p.at[p.count].depth = p.count;
            p.at[p.count].is_round = ((uint64_t)e->value >> p.count & 1) != 0;
        }
    }
    return p;
}

static bool has_scopes(const struct slow *s)
{
    for (event_id id = 0; id < s->r->count; id++) {
        if (path_at(s, id).count > 0) {
            return true;
        }
    }
    return false;
}

/* How many of the outermost calls and rounds two events have in common. */
static uint32_t common_depth(const struct path *a, const struct path *b)
{
    uint32_t depth = 0;
    while (depth < a->count && depth < b->count && a->at[depth].began == b->at[depth].began) {
        depth++;
    }
    return depth;
}

/* The section around an access that began first, NULL: none. */
static const struct rules_section *outermost(const struct slow *s, event_id id)
{
    const struct rules_section *found = NULL;
    vec_each (&s->r->sections, section) {
        if (is_in(s, section, id) && (found == NULL || section->first < found->first)) {
            found = section;
        }
    }
    return found;
}

/* Two accesses of one task beside a third: whether they are in one call or round right below the
 * common ones, or, where the first is in none, in its outermost section. */
static bool are_in_part(const struct slow *s, event_id id, event_id other, uint32_t common)
{
    const struct path a = path_at(s, id);
    const struct path b = path_at(s, other);
    if (a.count > common) {
        return common_depth(&a, &b) > common;
    }
    return outermost(s, id) != NULL && outermost(s, id) == outermost(s, other);
}

static bool is_of(const struct slow *s, event_id id, const uint64_t xy[2])
{
    return is_access(s, id) && (variable_of(s, id) == xy[0] || variable_of(s, id) == xy[1]);
}

/* The task's access to x or y before or after one, EVENT_NONE: none. */
static event_id beside(const struct slow *s, event_id id, bool is_before, const uint64_t xy[2])
{
    for (event_id at = id; is_before ? at-- > 0 : ++at < s->r->count;) {
        if (is_of_task(s, at, id) && is_of(s, at, xy)) {
            return at;
        }
    }
    return EVENT_NONE;
}

/* What is looked for. */
struct kind_of {
    bool is_write;
    uint64_t variable; /* 0: either */
};

/* Whether the task, in the part around an access, makes one like this. */
static bool part_has(const struct slow *s, event_id id, uint32_t common, const uint64_t xy[2],
                     const struct kind_of *like)
{
    bool has_it = false;
    for (int side = 0; side < 2; side++) {
        for (event_id at = id; at != EVENT_NONE && are_in_part(s, id, at, common);
             at = beside(s, at, side == 0, xy)) {
            has_it |= writes(s, at) == like->is_write &&
                      (like->variable == 0 || variable_of(s, at) == like->variable);
        }
    }
    return has_it;
}

/* Whether a write adds to what the access before it has read at the same place. */
static bool is_update(const struct slow *s, event_id id, const uint64_t xy[2])
{
    const event_id read = beside(s, id, true, xy);
    return writes(s, id) && read != EVENT_NONE && !writes(s, read) &&
           variable_of(s, read) == variable_of(s, id) &&
           trace_at(s->t, read)->location == trace_at(s->t, id)->location;
}

static bool is_updated(const struct slow *s, event_id id, const uint64_t xy[2])
{
    const event_id write = beside(s, id, false, xy);
    return write != EVENT_NONE && is_update(s, write, xy);
}

/* Whether the task does not look at what an update's read has found. Where no read of the trace
 * says so, none is looked at. */
static bool is_unseen(const struct slow *s, event_id read)
{
    bool is_told = false;
    for (event_id id = 0; id < s->r->count; id++) {
        const struct event *e = trace_at(s->t, id);
        is_told |= e->kind == EVENT_READ && event_is_blind(e);
    }
    return !is_told || event_is_blind(trace_at(s->t, read));
}

static bool has_waited(const struct slow *s, event_id a, event_id b)
{
    for (event_id id = a; id < b; id++) {
        if (is_of_task(s, id, a) && trace_at(s->t, id)->kind == EVENT_WAIT_END) {
            return true;
        }
    }
    return false;
}

/* Whether the object of an access is a lock, a condition or a semaphore elsewhere. */
static bool is_sync(const struct slow *s, event_id id)
{
    for (event_id at = 0; at < s->r->count; at++) {
        const struct event *e = trace_at(s->t, at);
        if (event_class(e) == CLASS_SYNC && e->object != 0 &&
            rules_object(s->t, e, e->object) ==
                rules_object(s->t, trace_at(s->t, id), trace_at(s->t, id)->object)) {
            return true;
        }
    }
    return false;
}

/* Whether an access next to this one, in the same calls and rounds, is in another section whose
 * lock was taken at the same place. */
static bool is_ambiguous(const struct slow *s, event_id id, const struct rules_section *own,
                         const uint64_t xy[2])
{
    const struct path path = path_at(s, id);
    for (int side = 0; side < 2; side++) {
        for (event_id at = id; at != EVENT_NONE; at = beside(s, at, side == 0, xy)) {
            const struct path other = path_at(s, at);
            const struct rules_section *section = outermost(s, at);
            if (common_depth(&path, &other) != path.count || other.count != path.count) {
                break;
            }
            if (section != NULL && section != own &&
                trace_at(s->t, section->first)->location == trace_at(s->t, own->first)->location) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a read at the same place, in a section whose lock was taken at the same place, comes
 * before a write of the variable in that section. */
static bool is_attempt(const struct slow *s, event_id id, const uint64_t xy[2])
{
    const struct rules_section *own = outermost(s, id);
    if (own == NULL || is_ambiguous(s, id, own, xy)) {
        return false;
    }
    for (event_id read = 0; own != NULL && read < s->r->count; read++) {
        const bool is_alike = is_access(s, read) && !writes(s, read) &&
                              variable_of(s, read) == variable_of(s, id) &&
                              trace_at(s->t, read)->location == trace_at(s->t, id)->location;
        const struct rules_section *other = is_alike ? outermost(s, read) : NULL;
        if (other == NULL ||
            trace_at(s->t, other->first)->location != trace_at(s->t, own->first)->location) {
            continue;
        }
        for (event_id at = read + 1; at < s->r->count; at++) {
            if (is_of_task(s, at, read) && is_access(s, at) && writes(s, at) &&
                variable_of(s, at) == variable_of(s, read) && outermost(s, at) == other) {
                return true;
            }
        }
    }
    return false;
}

/* Whether b repeats, under an exclusive lock and in the same calls and rounds, a read under the
 * same lock, shared. */
static bool is_rechecked(const struct slow *s, event_id a, event_id b, uint32_t common,
                         const uint64_t xy[2])
{
    const struct rules_section *check = outermost(s, a);
    const struct rules_section *act = outermost(s, b);
    return path_at(s, a).count == common && path_at(s, b).count == common && check != NULL &&
           act != NULL && check->lock == act->lock && check->is_shared && !act->is_shared &&
           !is_updated(s, b, xy);
}

static bool are_actions(const struct slow *s, event_id a, event_id b, uint32_t common,
                        const uint64_t xy[2])
{
    if (variable_of(s, a) != variable_of(s, b) || are_in_part(s, a, b, common)) {
        return false;
    }
    if (!writes(s, b)) {
        return (writes(s, a) || (!event_is_blind(trace_at(s->t, b)) &&
                                 (is_attempt(s, a, xy) || is_rechecked(s, a, b, common, xy)))) &&
               (is_attempt(s, b, xy) ||
                part_has(s, b, common, xy, &(struct kind_of){true, variable_of(s, b)}));
    }
    if (!writes(s, a)) {
        return false;
    }
    const struct kind_of read = {false, variable_of(s, a)};
    return (is_update(s, a, xy) && is_update(s, b, xy)) ||
           (trace_at(s->t, a)->location == trace_at(s->t, b)->location &&
            part_has(s, a, common, xy, &read) && part_has(s, b, common, xy, &read));
}

/* Whether both parts read and write one of the two variables. */
static bool are_updates_of_pair(const struct slow *s, event_id a, event_id b, uint32_t common,
                                const uint64_t xy[2])
{
    if (xy[0] == xy[1] || are_in_part(s, a, b, common)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const struct kind_of read = {false, xy[i]};
        const struct kind_of write = {true, xy[i]};
        if (part_has(s, a, common, xy, &read) && part_has(s, a, common, xy, &write) &&
            part_has(s, b, common, xy, &read) && part_has(s, b, common, xy, &write)) {
            return true;
        }
    }
    return false;
}

/* Whether two tasks access the variable. */
static bool is_shared(const struct slow *s, event_id id)
{
    for (event_id at = 0; at < s->r->count; at++) {
        if (is_access(s, at) && variable_of(s, at) == variable_of(s, id) &&
            !is_of_task(s, at, id)) {
            return true;
        }
    }
    return false;
}

/* Whether a read finds, in the same calls and rounds, what its task's last update has stored. */
static bool looks_at_update(const struct slow *s, event_id read)
{
    const uint64_t x[2] = {variable_of(s, read), variable_of(s, read)};
    const event_id update = beside(s, read, true, x);
    if (writes(s, read) || event_is_blind(trace_at(s->t, read)) || update == EVENT_NONE ||
        trace_at(s->t, update)->kind != EVENT_WRITE ||
        trace_at(s->t, update)->mode == MODE_UNSAID ||
        operation_at(s, update) != operation_at(s, read)) {
        return false;
    }
    for (event_id id = update + 1; id < read; id++) {
        if (is_of_task(s, id, read) && is_access(s, id) &&
            trace_at(s->t, id)->kind == EVENT_WRITE && trace_at(s->t, id)->mode != MODE_UNSAID) {
            return false;
        }
    }
    const struct path p = path_at(s, update);
    const struct path q = path_at(s, read);
    return p.count == q.count && common_depth(&p, &q) == p.count;
}

/* Whether the call or round of an access, right below the common ones, writes what tasks share. */
static bool has_written(const struct slow *s, event_id id, uint32_t common)
{
    const struct path p = path_at(s, id);
    for (event_id at = 0; p.count > common && at < s->r->count; at++) {
        const struct path q = path_at(s, at);
        if (!is_of_task(s, at, id) || common_depth(&p, &q) <= common || !is_access(s, at) ||
            !is_shared(s, at)) {
            continue;
        }
        const struct event *e = trace_at(s->t, at);
        if ((e->kind == EVENT_WRITE && e->mode == MODE_UNSAID) || looks_at_update(s, at)) {
            return true;
        }
    }
    return false;
}

/* Whether the section around an access reads and writes its variable. */
static bool is_in_update(const struct slow *s, event_id id)
{
    bool has[2] = {false, false};
    for (event_id at = 0; outermost(s, id) != NULL && at < s->r->count; at++) {
        if (is_of_task(s, at, id) && is_access(s, at) && variable_of(s, at) == variable_of(s, id) &&
            outermost(s, at) == outermost(s, id)) {
            has[writes(s, at)] = true;
        }
    }
    return has[0] && has[1];
}

/* Whether two writes and a read between them are three complete updates. */
static bool are_three_updates(const struct slow *s, event_id a, event_id c, event_id b)
{
    const uint64_t xx[2] = {variable_of(s, a), variable_of(s, a)};
    return has_scopes(s) && writes(s, a) && writes(s, b) && !writes(s, c) &&
           outermost(s, a) != outermost(s, b) && is_in_update(s, a) && is_in_update(s, b) &&
           (is_in_update(s, c) || is_attempt(s, c, xx));
}

/* Whether another task than that of the section accesses x or y under the section's lock. */
static bool is_guard(const struct slow *s, const struct rules_section *section,
                     const uint64_t xy[2])
{
    for (event_id id = 0; id < s->r->count; id++) {
        if (!is_access(s, id) || trace_at(s->t, id)->task == section->task ||
            (variable_of(s, id) != xy[0] && variable_of(s, id) != xy[1])) {
            continue;
        }
        vec_each (&s->r->sections, other) {
            if (other->lock == section->lock && is_in(s, other, id)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a region or a section has both; of sections, with `xy`, one that guards x or y. */
static bool are_one(const struct slow *s, event_id a, event_id b, const uint64_t *xy)
{
    vec_each (&s->r->sections, section) {
        if (is_in(s, section, a) && is_in(s, section, b) &&
            (xy == NULL || is_guard(s, section, xy))) {
            return true;
        }
    }
    return is_marked(s, a, b);
}

static bool reads_both(const struct slow *s, event_id id, uint32_t common, const uint64_t xy[2])
{
    return part_has(s, id, common, xy, &(struct kind_of){false, xy[0]}) &&
           part_has(s, id, common, xy, &(struct kind_of){false, xy[1]});
}

/* Whether a couple is two things one after the other (docs/theory/atomicity.md). */
static bool is_apart(const struct slow *s, event_id a, event_id b)
{
    const uint64_t xy[2] = {variable_of(s, a), variable_of(s, b)};
    if (!has_scopes(s) || (operation_at(s, a) != operation_at(s, b) && !are_one(s, a, b, NULL))) {
        return false;
    }
    const bool is_one = are_one(s, a, b, xy);
    if (is_sync(s, a) || is_sync(s, b)) {
        return true;
    }
    if (!is_one && !writes(s, b) && has_waited(s, a, b)) {
        return true;
    }
    if (xy[0] != xy[1] && ((is_updated(s, a, xy) && is_unseen(s, a)) || is_updated(s, b, xy))) {
        return true;
    }
    const struct path p = path_at(s, a);
    const struct path q = path_at(s, b);
    const uint32_t common = common_depth(&p, &q);
    const bool are_scopes = p.count > common && q.count > common;
    if (is_one) {
        return are_scopes && are_actions(s, a, b, common, xy);
    }
    const bool has_acted =
        has_written(s, a, common) ||
        (p.count > common && part_has(s, a, common, xy, &(struct kind_of){true, 0}));
    if (are_scopes && p.at[common].is_round && q.at[common].is_round &&
        (writes(s, a) || writes(s, b) || xy[0] == xy[1] || has_acted ||
         reads_both(s, a, common, xy) || reads_both(s, b, common, xy))) {
        return true;
    }
    if (has_acted && (common == 0 || p.at[common - 1].is_round)) {
        return true;
    }
    return are_actions(s, a, b, common, xy) || are_updates_of_pair(s, a, b, common, xy);
}

/* Whether an access is part of an update whose result its task does not look at, or does nothing
 * about in the pattern, because the update is last. */
static bool is_of_update(const struct slow *s, event_id id, bool is_last, const uint64_t xy[2])
{
    if (is_last) {
        return is_updated(s, id, xy) || is_update(s, id, xy);
    }
    return is_updated(s, id, xy) ? is_unseen(s, id)
                                 : is_update(s, id, xy) && is_unseen(s, beside(s, id, true, xy));
}

/* ---- one variable ---- */

/* Whether a and b follow each other; *has_reads: only reads between two writes. */
static bool is_couple(const struct slow *s, event_id a, event_id b, bool *has_reads)
{
    *has_reads = false;
    if (is_atomic(s, a) && !are_one_operation(s, a, b)) {
        return false;
    }
    for (event_id id = a + 1; id < b; id++) {
        if (is_of_task(s, id, a) && is_access(s, id) && variable_of(s, id) == variable_of(s, a)) {
            *has_reads = true;
            if (writes(s, id) || !writes(s, a) || !writes(s, b)) {
                return false;
            }
        }
    }
    return true;
}

static void print_single(struct slow *s, event_id a, event_id c, event_id b)
{
    const struct order orders[] = {{a, c}, {c, b}};
    if (!(slow_is_always_before(s, a, c) && slow_is_always_before(s, c, b)) &&
        !is_settled(s, orders) && !are_three_updates(s, a, c, b) &&
        slow_is_possible(s, slow_bit(a) | slow_bit(b) | slow_bit(c), orders, 2)) {
        out_format(s->out, "%c%c%c %u %u | %u\n", writes(s, a) ? 'W' : 'R',
                   writes(s, c) ? 'W' : 'R', writes(s, b) ? 'W' : 'R', a, b, c);
    }
}

static void try_single(struct slow *s, event_id a, event_id b)
{
    bool has_reads = false;
    if (variable_of(s, a) != variable_of(s, b) || !is_couple(s, a, b, &has_reads) ||
        straddles(s, a, b) || is_apart(s, a, b)) {
        return;
    }
    for (event_id c = 0; c < s->r->count; c++) {
        if (!is_access(s, c) || is_of_task(s, c, a) || variable_of(s, c) != variable_of(s, a)) {
            continue;
        }
        /* A write conflicts with both; a read with two writes. */
        if ((writes(s, c) && !has_reads) || (!writes(s, c) && writes(s, a) && writes(s, b))) {
            print_single(s, a, c, b);
        }
    }
}

/* ---- two variables ---- */

/* Whether a and then b, of two variables, are the closest of their kinds: between them the task has
 * no access of the kind of either. */
static bool is_pair(const struct slow *s, event_id a, event_id b)
{
    const uint64_t x = variable_of(s, a);
    const uint64_t y = variable_of(s, b);
    if (x == y || is_atomic(s, a) || is_atomic(s, b) || !is_of_task(s, a, b) || b < a ||
        x >> 32 != y >> 32) {
        return false;
    }
    for (event_id id = a + 1; id < b; id++) {
        if (!is_of_task(s, id, a) || !is_access(s, id)) {
            continue;
        }
        const uint64_t v = variable_of(s, id);
        if ((v == x && writes(s, id) == writes(s, a)) ||
            (v == y && writes(s, id) == writes(s, b))) {
            return false;
        }
    }
    return !straddles(s, a, b) && !is_apart(s, a, b);
}

static bool try_four(struct slow *s, event_id x1, event_id y1, event_id c, event_id d)
{
    const uint64_t x = variable_of(s, x1);
    const bool is_x_first = variable_of(s, c) == x;
    const event_id x2 = is_x_first ? c : d;
    const event_id y2 = is_x_first ? d : c;
    if (!(writes(s, x1) || writes(s, x2)) || !(writes(s, y1) || writes(s, y2)) ||
        (slow_is_always_before(s, x1, x2) && slow_is_always_before(s, y2, y1))) {
        return false;
    }
    const struct order conflicts[] = {{x1, x2}, {y2, y1}};
    const uint64_t xy[2] = {x, variable_of(s, y1)};
    if (is_settled(s, conflicts)) {
        return false;
    }
    if (has_scopes(s) &&
        ((is_of_update(s, x1, false, xy) && is_of_update(s, x2, !is_x_first, xy)) ||
         (is_of_update(s, y2, is_x_first, xy) && is_of_update(s, y1, true, xy)))) {
        return false;
    }
    const struct order orders[] = {{x1, x2}, {x1, y2}, {y2, y1}};
    if (!slow_is_possible(s, slow_bit(x1) | slow_bit(y1) | slow_bit(x2) | slow_bit(y2), orders,
                          3)) {
        return false;
    }
    const int number = writes(s, x1) ? (writes(s, y1) ? 3 : 4) : (writes(s, y1) ? 1 : 2);
    out_format(s->out, "P%d %u %u | %u %u\n", number, x1, y1, c, d);
    return true;
}

static bool has_variables(const struct slow *s, event_id c, event_id d, event_id a, event_id b)
{
    const uint64_t x = variable_of(s, a);
    const uint64_t y = variable_of(s, b);
    return (variable_of(s, c) == x && variable_of(s, d) == y) ||
           (variable_of(s, c) == y && variable_of(s, d) == x);
}

/* Whether the task of a writes its variable again before b. */
static bool is_overwritten(const struct slow *s, event_id a, event_id b)
{
    for (event_id id = a + 1; id < b; id++) {
        if (is_of_task(s, id, a) && is_access(s, id) && writes(s, id) &&
            variable_of(s, id) == variable_of(s, a)) {
            return true;
        }
    }
    return false;
}

static void try_pair(struct slow *s, event_id a, event_id b)
{
    bool is_found = false;
    for (event_id c = 0; c < s->r->count; c++) {
        for (event_id d = c + 1; d < s->r->count; d++) {
            if (is_access(s, c) && is_access(s, d) && !is_of_task(s, c, a) &&
                has_variables(s, c, d, a, b) && is_pair(s, c, d)) {
                is_found |= try_four(s, a, b, c, d);
            }
        }
    }
    is_found |= writes(s, a) || !writes(s, b) || is_overwritten(s, a, b);
    for (event_id c = 0; c < s->r->count && !is_found; c++) {
        const struct order orders[] = {{a, c}, {c, b}};
        if (is_access(s, c) && !is_of_task(s, c, a) && writes(s, c) &&
            variable_of(s, c) == variable_of(s, a) &&
            !(slow_is_always_before(s, a, c) && slow_is_always_before(s, c, b)) &&
            !is_settled(s, orders) &&
            slow_is_possible(s, slow_bit(a) | slow_bit(b) | slow_bit(c), orders, 2)) {
            out_format(s->out, "stale %u %u | %u\n", a, b, c);
        }
    }
}

bool slow_atomicity(const struct rules *r, bool wants_rounds, struct out *out)
{
    if (r->count > SLOW_EVENTS_MAX) {
        return false;
    }
    struct slow s = {.r = r, .t = r->t, .wants_rounds = wants_rounds, .out = out};
    for (event_id id = 0; id < r->count; id++) {
        s.is_atomic[id] = is_used_atomically(&s, id);
    }
    slow_read_rules(&s);
    close_created(&s);
    for (event_id a = 0; a < r->count; a++) {
        for (event_id b = a + 1; b < r->count; b++) {
            if (is_access(&s, a) && is_access(&s, b) && is_of_task(&s, a, b)) {
                try_single(&s, a, b);
                if (is_pair(&s, a, b)) {
                    try_pair(&s, a, b);
                }
            }
        }
    }
    arena_release(&s.arena);
    return !s.is_too_large;
}
