#include "race/lockset.h"

#include "wire/must.h"

struct open_set {
    uint32_t number;
    VEC(uint32_t) sections;
};

struct build {
    const struct hb *hb;
    enum held_locks locks;
    struct open_set *of_task;
    VEC(uint32_t) first;
    VEC(uint32_t) sections;
};

/* Gives the task's set, which has changed, a number of its own. */
static void renumber(struct build *b, struct open_set *set)
{
    set->number = 0;
    if (set->sections.count > 0) {
        set->number = (uint32_t)b->first.count;
        vec_push(&b->first, (uint32_t)b->sections.count);
        vec_each (&set->sections, section) {
            vec_push(&b->sections, *section);
        }
    }
}

static void close_sections(struct build *b, struct open_set *set, event_id id)
{
    size_t kept = 0;
    vec_each (&set->sections, section) {
        if (b->hb->sections.list[*section].end != id) {
            set->sections.at[kept++] = *section;
        }
    }
    if (kept < set->sections.count) {
        set->sections.count = kept;
        renumber(b, set);
    }
}

/* Opens the sections that begin at the event; `begun` counts through them, as listed. */
static void open_sections(struct build *b, struct open_set *set, event_id id, uint32_t *begun)
{
    const struct sections *s = &b->hb->sections;
    for (; *begun < s->count && s->list[*begun].begin == id; ++*begun) {
        if (b->locks == HELD_ALL || s->locks[s->list[*begun].lock].is_contended) {
            vec_push(&set->sections, *begun);
            renumber(b, set);
        }
    }
}

void held_build(struct held *h, const struct hb *hb, enum held_locks locks, struct arena *a)
{
    const struct trace *t = hb->trace;
    struct arena scratch = {0};
    struct build b = {
        .hb = hb,
        .locks = locks,
        .of_task = arena_array(&scratch, struct open_set, t->tables.tasks.count + 1),
    };
    uint32_t *set_of = arena_array(a, uint32_t, t->events.count + 1);
    vec_push(&b.first, 0);
    uint32_t begun = 0; /* sections are in listed order of their beginnings */
    for (event_id id = 0; id < t->events.count; id++) {
        struct open_set *set = &b.of_task[t->events.at[id].task];
        open_sections(&b, set, id, &begun);
        set_of[id] = set->number;
        must(set->number < b.first.count);
        if (set->number != 0) {
            close_sections(&b, set, id);
        }
    }
    must(begun == hb->sections.count);
    uint32_t *first = arena_array(a, uint32_t, b.first.count + 1);
    uint32_t *sections = arena_array(a, uint32_t, b.sections.count + 1);
    for (size_t i = 0; i < b.first.count; i++) {
        first[i] = b.first.at[i];
    }
    first[b.first.count] = (uint32_t)b.sections.count;
    for (size_t i = 0; i < b.sections.count; i++) {
        sections[i] = b.sections.at[i];
    }
    *h = (struct held){.set_of = set_of, .first = first, .sections = sections};
    for (size_t task = 0; task < t->tables.tasks.count; task++) {
        vec_release(&b.of_task[task].sections);
    }
    vec_release(&b.first);
    vec_release(&b.sections);
    arena_release(&scratch);
}

/* In the list the event is in the section. It is so in every order when the order says so. */
static bool is_within(const struct hb *hb, const struct section *s, event_id id)
{
    return (s->begin == id || hb_is_before(hb, s->begin, id)) &&
           (s->end == id || hb_is_before(hb, id, s->end));
}

bool held_excludes(const struct held *h, const struct hb *hb, event_id a, event_id b)
{
    const uint32_t set_a = h->set_of[a];
    const uint32_t set_b = h->set_of[b];
    for (uint32_t i = h->first[set_a]; set_a != 0 && i < h->first[set_a + 1]; i++) {
        const struct section *of_a = &hb->sections.list[h->sections[i]];
        for (uint32_t k = h->first[set_b]; set_b != 0 && k < h->first[set_b + 1]; k++) {
            const struct section *of_b = &hb->sections.list[h->sections[k]];
            if (sections_exclude(of_a, of_b) && is_within(hb, of_a, a) && is_within(hb, of_b, b)) {
                return true;
            }
        }
    }
    return false;
}
