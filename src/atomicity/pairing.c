#include "atomicity/pairing.h"

#include "base/bits.h"
#include "base/map.h"
#include "base/sort.h"

/* Pairs met so far: bits where the variables are few, else a map. */
struct pair_set {
    uint32_t count; /* of variables */
    struct bits bits;
    struct map map;
};

enum { BITS_VARIABLES_MAX = 8192 };

static bool pair_set_add(struct pair_set *s, uint32_t x, uint32_t y)
{
    if (s->count <= BITS_VARIABLES_MAX) {
        const size_t bit = (size_t)x * s->count + y;
        const bool is_new = !bits_has(s->bits, bit);
        bits_add(s->bits, bit);
        return is_new;
    }
    bool is_new = false;
    map_slot(&s->map, map_pair(x, y), 1, &is_new);
    return is_new;
}

struct build {
    struct pairings *p;
    const struct trace *t;
    const struct variables *v;
    bool *counts; /* per variable */
    struct pair_set met;
    struct arena scratch;
};

/* Memory counts when it is shared; resources always do: what one request writes may follow from
 * what it read, and be shared in another run only. */
static void choose_variables(struct build *b)
{
    b->counts = arena_array(&b->scratch, bool, b->v->list.count + 1);
    for (size_t i = 0; i < b->v->list.count; i++) {
        const struct variable *v = &b->v->list.at[i];
        b->counts[i] = variable_is_shared(v) || variable_is_resource(trace_name(b->t, v->name));
    }
}

static void collect_walks(struct build *b)
{
    struct pairings *p = b->p;
    p->task_count = (uint32_t)b->t->tables.tasks.count;
    p->walks = arena_array(&p->arena, struct walk, (size_t)p->task_count + 1);
    vec_each (&b->v->accesses, a) {
        p->walks[a->task].count += b->counts[a->variable];
    }
    uint32_t **ends = arena_array(&b->scratch, uint32_t *, (size_t)p->task_count + 1);
    for (uint32_t task = 0; task < p->task_count; task++) {
        ends[task] = arena_array(&p->arena, uint32_t, (size_t)p->walks[task].count + 1);
        p->walks[task].variables = ends[task];
    }
    vec_each (&b->v->accesses, a) {
        if (b->counts[a->variable]) {
            *ends[a->task]++ = a->variable;
        }
    }
}

static void meet(struct build *b, uint32_t one, uint32_t other)
{
    const struct variable *a = &b->v->list.at[one];
    const struct variable *c = &b->v->list.at[other];
    if (!variable_is_shared(a) && !variable_is_shared(c)) {
        return;
    }
    const bool is_in_order = a->class != c->class ? a->class < c->class : one < other;
    const struct pairing pair = {.x = is_in_order ? one : other, .y = is_in_order ? other : one};
    if (pair_set_add(&b->met, pair.x, pair.y)) {
        vec_push(&b->p->list, pair);
    }
}

/* Keeps the variables of the walk in the order of their last access, the latest first, and pairs
 * each access with those that came since the last one of its own variable. */
static void follow(struct build *b, const struct walk *walk)
{
    uint32_t recent[PAIRING_DEPTH + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < walk->count; i++) {
        const uint32_t variable = walk->variables[i];
        uint32_t at = 0;
        while (at < count && recent[at] != variable) {
            meet(b, recent[at++], variable);
        }
        count += at == count && count < PAIRING_DEPTH;
        for (uint32_t k = at < count ? at : count - 1; k > 0; k--) {
            recent[k] = recent[k - 1];
        }
        recent[0] = variable;
    }
}

static int compare_classes(const void *left, const void *right, const void *context)
{
    const struct variables *v = context;
    const struct pairing *a = left;
    const struct pairing *b = right;
    const uint64_t key = map_pair(v->list.at[a->x].class, v->list.at[a->y].class);
    const uint64_t other = map_pair(v->list.at[b->x].class, v->list.at[b->y].class);
    return (key > other) - (key < other);
}

void pairings_build(struct pairings *p, const struct trace *t, const struct variables *v)
{
    *p = (struct pairings){0};
    struct build b = {.p = p, .t = t, .v = v, .met.count = (uint32_t)v->list.count};
    if (b.met.count <= BITS_VARIABLES_MAX) {
        b.met.bits = bits_take(&b.scratch, (size_t)b.met.count * b.met.count + 1);
    }
    choose_variables(&b);
    collect_walks(&b);
    for (uint32_t task = 0; task < p->task_count; task++) {
        follow(&b, &p->walks[task]);
    }
    sort_stable(p->list.at, p->list.count, sizeof *p->list.at, compare_classes, v);
    map_release(&b.met.map);
    arena_release(&b.scratch);
}

void pairings_release(struct pairings *p)
{
    vec_release(&p->list);
    arena_release(&p->arena);
}
