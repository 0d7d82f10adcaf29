/* Whether the history of each key is linearizable: Wing and Gong's search (Testing and verifying
 * concurrent objects, 1993) with Lowe's memory of configurations (Testing for linearizability,
 * 2017, section 3): a set of operations with the value that they leave is looked at once. */
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "pick/operation_name.h"
#include "proc/cluster/client_history.h"

/* The beginning or the end of an operation, in the list of what has not been put in order. */
struct moment {
    uint32_t operation;
    bool is_end;
    uint64_t time;
    uint32_t before, after; /* in the list; 0: its head */
};

struct search {
    const struct client_history_operation **operations; /* of one key */
    uint32_t count;
    struct moment *moments; /* the first is the head of the list */
    uint32_t moment_count;
    uint32_t *end_of; /* of each operation: its end among the moments; 0: none */
    uint64_t *done;   /* a bit for each operation */
    uint32_t value;   /* that the done ones leave */
    uint32_t left;    /* operations that have ended and are not done */
    struct map seen;
    uint32_t budget;
};

static int compare_moments(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct moment *a = left;
    const struct moment *b = right;
    return a->time < b->time ? -1 : a->time > b->time;
}

static void list_moments(struct search *s)
{
    s->moment_count = 1;
    for (uint32_t i = 0; i < s->count; i++) {
        s->moments[s->moment_count++] =
            (struct moment){.operation = i, .time = s->operations[i]->begin};
        if (s->operations[i]->end != UINT64_MAX) {
            s->moments[s->moment_count++] =
                (struct moment){.operation = i, .is_end = true, .time = s->operations[i]->end};
            s->left++;
        }
    }
    sort_stable(s->moments + 1, s->moment_count - 1, sizeof *s->moments, compare_moments, NULL);
    for (uint32_t i = 0; i < s->moment_count; i++) {
        struct moment *m = &s->moments[i];
        m->before = i == 0 ? s->moment_count - 1 : i - 1;
        m->after = i + 1 == s->moment_count ? 0 : i + 1;
        if (i > 0 && m->is_end) {
            s->end_of[m->operation] = i;
        }
    }
}

static void take_out(struct search *s, uint32_t at)
{
    const struct moment *m = &s->moments[at];
    s->moments[m->before].after = m->after;
    s->moments[m->after].before = m->before;
}

static void put_back(struct search *s, uint32_t at)
{
    const struct moment *m = &s->moments[at];
    s->moments[m->before].after = at;
    s->moments[m->after].before = at;
}

/* Whether the operation can be the next, and the value then. */
static bool apply(const struct client_history_operation *o, uint32_t value, uint32_t *then)
{
    *then = o->action == HISTORY_READ ? value : o->value;
    switch (o->action) {
    case HISTORY_READ: return o->value == value;
    case HISTORY_WRITE: return true;
    case HISTORY_CAS: return o->expected == value;
    }
    bug("a history has another operation");
}

/* Two configurations with one hash of 64 bits are taken for the same. */
static bool is_new(struct search *s, uint32_t value)
{
    bool is_so = false;
    const uint64_t hash = name_mix(
        name_text((const char *)s->done, (s->count / 64 + 1) * sizeof *s->done), value + 1);
    (void)map_slot(&s->seen, hash, 0, &is_so);
    return is_so;
}

static void flip(struct search *s, uint32_t operation)
{
    s->done[operation / 64] ^= UINT64_C(1) << operation % 64;
}

static enum client_history_verdict decide(struct search *s)
{
    struct {
        uint32_t at, value;
    } *path = mem_zero(s->count + 1, sizeof *path);
    uint32_t depth = 0;
    uint32_t at = s->moments[0].after;
    enum client_history_verdict verdict = HISTORY_GOOD;
    while (s->left > 0 && verdict == HISTORY_GOOD) {
        const struct moment *m = &s->moments[at];
        uint32_t then = 0;
        if (at != 0 && !m->is_end) {
            const bool can = apply(s->operations[m->operation], s->value, &then);
            flip(s, m->operation);
            if (!can || !is_new(s, then)) {
                flip(s, m->operation);
                at = m->after;
                continue;
            }
            const uint32_t end = s->end_of[m->operation];
            path[depth].at = at;
            path[depth++].value = s->value;
            s->value = then;
            s->left -= end != 0;
            take_out(s, at);
            if (end != 0) {
                take_out(s, end);
            }
            at = s->moments[0].after;
            verdict = --s->budget == 0 ? HISTORY_UNKNOWN : HISTORY_GOOD;
        } else if (depth == 0) { /* an operation has ended that none of the orders has */
            verdict = HISTORY_BAD;
        } else {
            at = path[--depth].at;
            s->value = path[depth].value;
            const uint32_t end = s->end_of[s->moments[at].operation];
            if (end != 0) {
                put_back(s, end);
            }
            put_back(s, at);
            s->left += end != 0;
            flip(s, s->moments[at].operation);
            at = s->moments[at].after;
        }
    }
    mem_free(path);
    return verdict;
}

/* Naming what is wrong */

static bool is_write(const struct client_history_operation *o)
{
    return o->action != HISTORY_READ;
}

/* Whether the value was written by nothing that began after the operation had begun. */
static bool is_older(const struct search *s, uint32_t value,
                     const struct client_history_operation *write)
{
    if (value == write->value) {
        return false;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const struct client_history_operation *o = s->operations[i];
        if (is_write(o) && o->value == value && o->end >= write->begin) {
            return false;
        }
    }
    return true;
}

static bool is_ever_read(const struct search *s, const struct client_history_operation *write)
{
    bool is_so = false;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct client_history_operation *o = s->operations[i];
        is_so = is_so || (o->action == HISTORY_READ && o->value == write->value) ||
                (o->action == HISTORY_CAS && o->expected == write->value);
    }
    return is_so;
}

static const char *shown_value(const struct client_history *h, uint32_t value)
{
    return value == 0 ? "nothing" : names_text(&h->names, value);
}

static void describe_fault(const struct client_history *h, const struct search *s,
                           struct client_history_fault *fault)
{
    const char *key = names_text(&h->names, s->operations[0]->key);
    for (uint32_t r = 0; r < s->count; r++) {
        const struct client_history_operation *read = s->operations[r];
        for (uint32_t w = 0; w < s->count && read->action == HISTORY_READ; w++) {
            const struct client_history_operation *write = s->operations[w];
            if (!is_write(write) || write->end >= read->begin || !is_older(s, read->value, write)) {
                continue;
            }
            const char *what =
                is_ever_read(s, write) ? "a stale read" : "an acknowledged write is lost";
            (void)snprintf(fault->key, sizeof fault->key, "%s of key %.30s", what, key);
            (void)snprintf(fault->what, sizeof fault->what,
                           "%s: %.40s reads %.40s from key %.40s (line %u) after the write of "
                           "%.40s by %.40s was acknowledged (line %llu)",
                           what, names_text(&h->names, read->process), shown_value(h, read->value),
                           key, read->line, shown_value(h, write->value),
                           names_text(&h->names, write->process), (unsigned long long)write->end);
            return;
        }
    }
    (void)snprintf(fault->key, sizeof fault->key, "key %.30s is not linearizable", key);
    (void)snprintf(fault->what, sizeof fault->what,
                   "no order of the %u operations on key %.40s explains what they returned",
                   s->count, key);
}

static enum client_history_verdict check_key(const struct client_history *h, struct search *s,
                                             struct client_history_fault *fault)
{
    list_moments(s);
    must(s->moment_count <= 2 * s->count + 1);
    const enum client_history_verdict verdict = decide(s);
    if (verdict == HISTORY_BAD) {
        describe_fault(h, s, fault);
    }
    return verdict;
}

/* Of the operations, those on one key. */
static enum client_history_verdict check_one(const struct client_history *h, uint32_t key,
                                             uint32_t budget, struct client_history_fault *fault)
{
    const size_t all = h->operations.count;
    struct search s = {.budget = budget,
                       .operations = mem_zero(all + 1, sizeof *s.operations),
                       .moments = mem_zero(2 * all + 1, sizeof *s.moments),
                       .end_of = mem_zero(all + 1, sizeof *s.end_of),
                       .done = mem_zero(all / 64 + 1, sizeof *s.done)};
    vec_each (&h->operations, o) {
        if (o->key == key) {
            s.operations[s.count++] = o;
        }
    }
    const enum client_history_verdict verdict = check_key(h, &s, fault);
    map_release(&s.seen);
    mem_free(s.operations);
    mem_free(s.moments);
    mem_free(s.end_of);
    mem_free(s.done);
    return verdict;
}

enum client_history_verdict client_history_check(const struct client_history *h, uint32_t budget,
                                                 struct client_history_fault *fault)
{
    enum client_history_verdict verdict = HISTORY_GOOD;
    *fault = (struct client_history_fault){.key = ""};
    for (size_t i = 0; i < h->operations.count && verdict != HISTORY_BAD; i++) {
        const uint32_t key = h->operations.at[i].key;
        bool is_first = true;
        for (size_t k = 0; k < i && is_first; k++) {
            is_first = h->operations.at[k].key != key;
        }
        const enum client_history_verdict one =
            is_first ? check_one(h, key, budget, fault) : HISTORY_GOOD;
        verdict = one == HISTORY_GOOD ? verdict : one;
    }
    return verdict;
}
