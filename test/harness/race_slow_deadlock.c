/* Candidates for deadlocks, straight from their definition (docs/theory/races-semantics.md). */
#include <stdio.h>
#include <string.h>

#include "race_slow.h"
#include "trace/kind_table.h"
#include "wire/kind.h"

struct search {
    const struct rules *r;
    struct arena arena;
    bool *before; /* event by event: must the first come before the second? */
    struct slow_deadlock path;
    slow_deadlocks *list;
};

static bool *find_order(const struct rules *r, struct arena *a)
{
    const size_t n = r->count;
    bool *before = arena_array(a, bool, n *n + 1);
    vec_each (&r->program, edge) {
        before[edge->from * n + edge->to] = true;
    }
    vec_each (&r->cross, edge) {
        before[edge->from * n + edge->to] = true;
    }
    for (size_t via = 0; via < n; via++) {
        for (size_t from = 0; from < n; from++) {
            for (size_t to = 0; to < n && before[from * n + via]; to++) {
                before[from * n + to] = before[from * n + to] || before[via * n + to];
            }
        }
    }
    return before;
}

/* The section that the event asks for; NULL when it is no request, or cannot block for ever. */
static const struct rules_section *asked_by(const struct rules *r, event_id id)
{
    const struct event *e = trace_at(r->t, id);
    const bool can_block = e->kind == EVENT_WAIT_END ||
                           (e->kind == EVENT_LOCK && !lock_mode_is_try(e->mode)) ||
                           (e->kind == EVENT_SEM_WAIT && e->mode == SEMAPHORE_BLOCKING);
    if (!can_block) {
        return NULL;
    }
    vec_each (&r->sections, s) {
        if (s->first == id) {
            return s;
        }
    }
    return NULL;
}

static bool is_in(const struct rules *r, event_id id, const struct rules_section *s)
{
    return s->task == trace_at(r->t, id)->task && s->first < id && id <= s->last;
}

static bool is_of_process(const struct event *e)
{
    const uint8_t mode = e->mode & (uint8_t)~LOCK_TRY;
    return e->kind == EVENT_LOCK && (mode == LOCK_FCNTL_READ || mode == LOCK_FCNTL_WRITE);
}

/* The section in which `holder` holds the lock that `asker` requests; RULES_NONE if there is none.
 */
static uint32_t hold_of(const struct rules *r, event_id asker, event_id holder)
{
    const struct rules_section *asked = asked_by(r, asker);
    const struct event *e = trace_at(r->t, asker);
    if (is_of_process(e) && trace_node_of(r->t, e) == trace_node_of(r->t, trace_at(r->t, holder))) {
        return RULES_NONE;
    }
    for (uint32_t i = 0; i < r->sections.count; i++) {
        const struct rules_section *s = &r->sections.at[i];
        if (is_in(r, holder, s) && rules_exclude(asked, s)) {
            return i;
        }
    }
    return RULES_NONE;
}

static bool have_gate(const struct rules *r, event_id a, event_id b)
{
    vec_each (&r->sections, s) {
        vec_each (&r->sections, other) {
            if (is_in(r, a, s) && is_in(r, b, other) && rules_exclude(s, other)) {
                return true;
            }
        }
    }
    return false;
}

static bool fits(const struct search *s, event_id id)
{
    const struct rules *r = s->r;
    for (size_t i = 0; i < s->path.count; i++) {
        const event_id other = s->path.requests[i];
        if (trace_at(r->t, other)->task == trace_at(r->t, id)->task || have_gate(r, other, id) ||
            s->before[other * r->count + id] || s->before[id * r->count + other]) {
            return false;
        }
    }
    return true;
}

static void extend(struct search *s)
{
    const event_id first = s->path.requests[0];
    const event_id last = s->path.requests[s->path.count - 1];
    if (s->path.count > 1 && hold_of(s->r, last, first) != RULES_NONE) {
        s->path.holds[0] = hold_of(s->r, last, first);
        vec_push(s->list, s->path);
    }
    for (event_id id = first + 1; id < s->r->count && s->path.count < SLOW_TASKS_MAX; id++) {
        if (asked_by(s->r, id) == NULL || hold_of(s->r, last, id) == RULES_NONE || !fits(s, id)) {
            continue;
        }
        s->path.requests[s->path.count] = id;
        s->path.holds[s->path.count] = hold_of(s->r, last, id);
        s->path.count++;
        extend(s);
        s->path.count--;
    }
}

void slow_find_deadlocks(const struct rules *r, slow_deadlocks *list)
{
    struct search s = {.r = r, .list = list};
    s.before = find_order(r, &s.arena);
    for (event_id id = 0; id < r->count; id++) {
        if (asked_by(r, id) != NULL) {
            s.path.requests[0] = id;
            s.path.count = 1;
            extend(&s);
        }
    }
    arena_release(&s.arena);
}

/* ---- similar requests ---- */

static bool is_contended(const struct rules *r, const struct rules_section *s)
{
    vec_each (&r->sections, a) {
        vec_each (&r->sections, b) {
            if (a->lock == s->lock && rules_exclude(a, b)) {
                return true;
            }
        }
    }
    return false;
}

static int print_section(char *to, size_t size, const struct rules *r,
                         const struct rules_section *s)
{
    return snprintf(to, size, "%llx%s@%u ", (unsigned long long)s->lock, s->is_shared ? "s" : "",
                    trace_at(r->t, s->first)->location);
}

/* One request: "task: held held > asked". */
static const char *text_of(const struct rules *r, event_id id, struct arena *a)
{
    enum { SIZE = 500 };
    char *text = arena_array(a, char, SIZE);
    int used = snprintf(text, SIZE, "%u: ", trace_at(r->t, id)->task);
    for (event_id first = 0; first < id; first++) {
        vec_each (&r->sections, s) {
            if (s->first == first && is_in(r, id, s) && is_contended(r, s)) {
                used += print_section(text + used, (size_t)(SIZE - used), r, s);
            }
        }
    }
    used += snprintf(text + used, (size_t)(SIZE - used), "> ");
    (void)print_section(text + used, (size_t)(SIZE - used), r, asked_by(r, id));
    return text;
}

const char *slow_deadlock_text(const struct rules *r, const event_id *requests, size_t count,
                               struct arena *a)
{
    const char *texts[SLOW_TASKS_MAX];
    size_t least = 0;
    size_t size = 1;
    must(count <= SLOW_TASKS_MAX);
    for (size_t i = 0; i < count; i++) {
        texts[i] = text_of(r, requests[i], a);
        size += strlen(texts[i]) + 2;
        least = strcmp(texts[i], texts[least]) < 0 ? i : least;
    }
    char *whole = arena_array(a, char, size);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        used += (size_t)snprintf(whole + used, size - used, "%s; ", texts[(least + i) % count]);
    }
    return whole;
}
