#include "atomicity/compared_again.h"

#include "atomicity/sync_skeleton.h"
#include "base/sort.h"

enum { VERSIONS_MAX = 16 };

struct build {
    struct compared_reads *c;
    const struct frame *f;
    VEC(uint32_t) versions;
    struct map written; /* (section, version) */
};

static int compare(const void *left, const void *right, __attribute__((unused)) const void *context)
{
    const struct compared_read *a = left;
    const struct compared_read *b = right;
    return (a->section > b->section) - (a->section < b->section);
}

static void take_reads(struct build *b)
{
    const struct variables *v = &b->f->variables;
    struct map known = {0};
    for (uint32_t i = 0; i < v->accesses.count; i++) {
        const struct access *a = &v->accesses.at[i];
        const struct event *e = trace_at(b->f->trace, a->event);
        const uint32_t section = frame_outermost(b->f, i);
        if (e->kind != EVENT_READ || e->mode != ACCESS_COMPARED || section == UINT32_MAX) {
            continue;
        }
        bool is_new = false;
        (void)map_slot(&known, a->variable, 1, &is_new);
        if (is_new && b->versions.count < VERSIONS_MAX) {
            vec_push(&b->versions, a->variable);
        } else if (is_new) {
            continue;
        }
        vec_push(&b->c->list, (struct compared_read){section, a->variable, a->event});
    }
    map_release(&known);
    sort_stable(b->c->list.at, b->c->list.count, sizeof *b->c->list.at, compare, NULL);
}

static void take_writes(struct build *b)
{
    const struct variables *v = &b->f->variables;
    vec_each (&b->versions, version) {
        const struct variable *variable = &v->list.at[*version];
        for (uint32_t i = variable->first; i < variable->first + variable->count; i++) {
            const uint32_t number = v->by_variable.at[i];
            const uint32_t section = frame_outermost(b->f, number);
            if (v->accesses.at[number].is_write && section != UINT32_MAX) {
                map_put(&b->written, map_pair(section, *version), 1);
            }
        }
    }
}

/* A write to a variable: whether the versions change with it. */
static void check_write(struct build *b, uint32_t number)
{
    const uint32_t section = frame_outermost(b->f, number);
    vec_each (&b->versions, version) {
        if (section == UINT32_MAX || map_get(&b->written, map_pair(section, *version)) == NULL) {
            map_put(&b->c->missed, map_pair(b->f->variables.accesses.at[number].variable, *version),
                    1);
        }
    }
}

/* Writes of the first task to use a variable, before any other does, cannot come between if they
 * must come before all that the others do. */
static void check_variable(struct build *b, const struct variable *variable)
{
    const struct variables *v = &b->f->variables;
    const uint32_t *own = &v->by_variable.at[variable->first];
    uint32_t begun = 0;
    uint32_t last = ACCESS_NONE; /* such a write */
    while (begun < variable->count &&
           v->accesses.at[own[begun]].task == v->accesses.at[own[0]].task) {
        last = v->accesses.at[own[begun]].is_write ? own[begun] : last;
        begun++;
    }
    for (uint32_t i = begun; i < variable->count && last != ACCESS_NONE; i++) {
        const struct access *a = &v->accesses.at[own[i]];
        if (a->task != v->accesses.at[last].task &&
            !frame_is_before(b->f, v->accesses.at[last].event, a->event)) {
            begun = 0;
        }
    }
    for (uint32_t i = begun; i < variable->count; i++) {
        const struct access *a = &v->accesses.at[own[i]];
        if (a->is_write && !b->f->settled.is_private[a->event] &&
            !b->f->settled.is_freeing[a->event]) {
            check_write(b, own[i]);
        }
    }
}

void compared_build(struct compared_reads *c, const struct frame *f)
{
    struct build b = {.c = c, .f = f};
    take_reads(&b);
    if (c->list.count > 0) {
        take_writes(&b);
        vec_each (&f->variables.list, variable) {
            if (variable_is_shared(variable)) {
                check_variable(&b, variable);
            }
        }
    }
    vec_release(&b.versions);
    map_release(&b.written);
}

void compared_release(struct compared_reads *c)
{
    vec_release(&c->list);
    map_release(&c->missed);
}

/* The compared reads of a section begin there. O(log). */
static size_t find_section(const struct compared_reads *c, uint32_t section)
{
    size_t low = 0;
    size_t high = c->list.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->list.at[middle].section < section) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool reads(const struct compared_reads *c, uint32_t section, uint32_t variable)
{
    for (size_t i = find_section(c, section); i < c->list.count && c->list.at[i].section == section;
         i++) {
        if (c->list.at[i].variable == variable) {
            return true;
        }
    }
    return false;
}

bool compared_guards(const struct compared_reads *c, const struct frame *f, uint32_t first,
                     uint32_t second)
{
    const uint32_t section = c->list.count == 0 ? UINT32_MAX : frame_outermost(f, second);
    const uint32_t before = section == UINT32_MAX ? UINT32_MAX : frame_outermost(f, first);
    const struct section *sections = f->hb.sections.list;
    if (before == UINT32_MAX || before == section ||
        sections[before].lock != sections[section].lock) {
        return false;
    }
    const struct access *a = &f->variables.accesses.at[first];
    const struct access *b = &f->variables.accesses.at[second];
    for (size_t i = find_section(c, section); i < c->list.count && c->list.at[i].section == section;
         i++) {
        const struct compared_read *r = &c->list.at[i];
        if (r->event <= b->event && reads(c, before, r->variable) &&
            map_get(&c->missed, map_pair(a->variable, r->variable)) == NULL &&
            map_get(&c->missed, map_pair(b->variable, r->variable)) == NULL) {
            return true;
        }
    }
    return false;
}
