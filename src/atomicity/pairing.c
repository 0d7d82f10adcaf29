#include "atomicity/pairing.h"

#include "base/map.h"
#include "base/sort.h"

/* How close pairs came, summed up: a table where the variables are few, else a map. */
struct meetings {
    uint32_t count;   /* of variables */
    uint32_t *weight; /* by x * count + y */
    struct map map;
};

enum { TABLE_VARIABLES_MAX = 2048 };

static uint32_t *weight_of(struct meetings *m, uint32_t x, uint32_t y)
{
    return m->weight != NULL ? &m->weight[(size_t)x * m->count + y]
                             : map_slot(&m->map, map_pair(x, y), 0, NULL);
}

struct build {
    struct pairings *p;
    const struct trace *t;
    const struct variables *v;
    struct limit_watch *watch;
    bool *counts; /* per variable */
    struct meetings met;
    struct arena scratch;
};

/* Memory counts when it is shared, and plain; resources always do: a write may follow from an
 * earlier read of its request, and may be shared in another run only. */
static void choose_variables(struct build *b)
{
    b->counts = arena_array(&b->scratch, bool, b->v->list.count + 1);
    for (size_t i = 0; i < b->v->list.count; i++) {
        const struct variable *v = &b->v->list.at[i];
        b->counts[i] = !v->is_atomic &&
                       (variable_is_shared(v) || variable_is_resource(trace_name(b->t, v->name)));
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

static void meet(struct build *b, uint32_t one, uint32_t other, uint32_t weight)
{
    must(one != other);
    const struct variable *a = &b->v->list.at[one];
    const struct variable *c = &b->v->list.at[other];
    if (!variable_is_shared(a) && !variable_is_shared(c)) {
        return;
    }
    const bool is_in_order = a->class != c->class ? a->class < c->class : one < other;
    const struct pairing pair = {.x = is_in_order ? one : other, .y = is_in_order ? other : one};
    uint32_t *sum = weight_of(&b->met, pair.x, pair.y);
    if (*sum == 0) {
        vec_push(&b->p->list, pair);
    }
    *sum = *sum > UINT32_MAX - weight ? UINT32_MAX : *sum + weight;
}

/* Keeps the variables of the walk in the order of their last access, the latest first, and pairs
 * each access with those that came since the last one of its own variable. */
static void follow(struct build *b, struct walk *walk)
{
    uint32_t recent[PAIRING_DEPTH + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < walk->count; i++) {
        if (limit_is_over(b->watch, 1)) {
            walk->count = i;
            return;
        }
        const uint32_t variable = walk->variables[i];
        uint32_t at = 0;
        while (at < count && recent[at] != variable) {
            meet(b, recent[at], variable, PAIRING_DEPTH - at);
            at++;
        }
        count += at == count && count < PAIRING_DEPTH;
        for (uint32_t k = at < count ? at : count - 1; k > 0; k--) {
            recent[k] = recent[k - 1];
        }
        recent[0] = variable;
        must(count <= PAIRING_DEPTH);
    }
}

static int compare_weights(const void *left, const void *right, const void *context)
{
    struct build *b = *(struct build *const *)context;
    const struct pairing *p = left;
    const struct pairing *q = right;
    const uint32_t one = *weight_of(&b->met, p->x, p->y);
    const uint32_t other = *weight_of(&b->met, q->x, q->y);
    return (one < other) - (one > other);
}

/* Keeps those that are among the closest of one of the two. */
static void keep_closest(struct build *b)
{
    struct pairings *p = b->p;
    uint32_t *partners = arena_array(&b->scratch, uint32_t, b->v->list.count + 1);
    size_t kept = 0;
    sort_stable(p->list.at, p->list.count, sizeof *p->list.at, compare_weights, &b);
    for (size_t i = 0; i < p->list.count; i++) {
        const struct pairing pair = p->list.at[i];
        if (partners[pair.x] < PAIRING_PARTNERS || partners[pair.y] < PAIRING_PARTNERS) {
            partners[pair.x]++;
            partners[pair.y]++;
            p->list.at[kept++] = pair;
        }
    }
    p->list.count = kept;
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

void pairings_build(struct pairings *p, const struct trace *t, const struct variables *v,
                    struct limit_watch *watch)
{
    *p = (struct pairings){0};
    struct build b = {.p = p, .t = t, .v = v, .watch = watch, .met.count = (uint32_t)v->list.count};
    if (b.met.count <= TABLE_VARIABLES_MAX) {
        b.met.weight = arena_array(&b.scratch, uint32_t, (size_t)b.met.count * b.met.count + 1);
    }
    choose_variables(&b);
    collect_walks(&b);
    for (uint32_t task = 0; task < p->task_count; task++) {
        follow(&b, &p->walks[task]);
    }
    keep_closest(&b);
    sort_stable(p->list.at, p->list.count, sizeof *p->list.at, compare_classes, v);
    vec_each (&p->list, pair) {
        must(pair->x < v->list.count);
        must(pair->y < v->list.count);
        must(v->list.at[pair->x].class <= v->list.at[pair->y].class);
    }
    map_release(&b.met.map);
    arena_release(&b.scratch);
}

void pairings_release(struct pairings *p)
{
    vec_release(&p->list);
    arena_release(&p->arena);
}
