/* Request payloads, made smaller as the system proposes (DEMi, section 3, observation 5): equal
 * payloads together, for they often have to agree, then each alone, until no smaller one will do.
 */
#include <string.h>

#include "base/mem.h"
#include "minimize/engine/contents.h"
#include "minimize/stages/stages.h"
#include "pick/operation_name.h"
#include "world/recipe.h"

enum { VARIANTS_MAX = 1000 };

/* Requests that are shrunk together, by name. */
struct group {
    VEC(uint64_t) names;
};

struct shrinker {
    struct reducer *reducer;
    struct group group;
    struct contents variants; /* of the first of the group, all of its name */
    bool is_any;              /* something smaller was proposed */
    bool is_any_large;        /* some of it no schedule can say */
};

/* A payload of a request, in a best of this size. A later best that is shorter may carry larger
 * payloads, and those can be shrunk again. */
static uint64_t key_of(const struct reducer *r, uint64_t name, const struct plan_content *variant)
{
    const uint64_t size = name_mix(reducer_size(r), r->result->final_externals);
    return name_mix(name_mix(size, name), name_text(variant->bytes, variant->size));
}

/* Asks the system; the best's was the last run. */
static void list_variants(struct shrinker *s, uint64_t name)
{
    struct world *w = s->reducer->world;
    struct plan_content smaller;
    contents_release(&s->variants);
    s->variants = (struct contents){0};
    struct err e = {.text = ""};
    for (uint32_t i = 0; i < VARIANTS_MAX; i++) {
        const int answer = w->ops->shrink(w, name, i, &smaller, &e);
        if (answer < 0) {
            reducer_note_failure(s->reducer, e.text);
        }
        if (answer <= 0) {
            return;
        }
        s->is_any = true;
        smaller.name = i; /* all are kept, side by side */
        if (smaller.size <= SCHEDULE_CONTENT_MAX) {
            contents_put(&s->variants, &smaller);
        } else {
            s->is_any_large = true;
        }
    }
}

/* The best with every request of the group bringing this. */
static bool try_variant(struct shrinker *s, const struct plan_content *variant)
{
    struct reducer *r = s->reducer;
    struct minimized *m = r->result;
    struct contents changed = {0};
    vec_each (&m->contents.list, kept) {
        contents_put(&changed, kept);
    }
    bool is_new = false;
    vec_each (&s->group.names, name) {
        const struct plan_content c = {
            .name = *name, .bytes = variant->bytes, .size = variant->size};
        is_new = is_new || map_get(&r->brought, key_of(r, *name, variant)) == NULL;
        contents_put(&changed, &c);
    }
    const struct contents before = m->contents;
    m->contents = changed;
    m->plan.contents = changed.list.at;
    m->plan.content_count = changed.list.count;
    const bool has_room = recipe_has_room(&m->plan);
    s->is_any_large = s->is_any_large || !has_room;
    is_new = is_new && has_room;
    bool is_better = false;
    for (uint32_t way = 0; way < r->ways.count && is_new && !is_better; way++) {
        vec_clear(&r->candidate.wants);
        for (uint32_t i = 0; i < reducer_size(r); i++) {
            vec_push(&r->candidate.wants, reducer_want(r, i, r->ways.at[way]));
        }
        is_better = reducer_try(r, &r->candidate);
    }
    struct contents unused = is_better ? before : changed;
    if (is_better) {
        m->contents_shrunk++;
        vec_each (&s->group.names, name) {
            map_put(&r->brought, key_of(r, *name, variant), 1);
        }
    } else {
        m->contents = before;
        m->plan.contents = before.list.at;
        m->plan.content_count = before.list.count;
    }
    contents_release(&unused);
    return is_better;
}

/* Tries each variant for the group; true when one will do. */
static bool shrink_group(struct shrinker *s)
{
    struct reducer *r = s->reducer;
    must(s->group.names.count > 0);
    if (reducer_look(r) == NULL) {
        return false;
    }
    list_variants(s, s->group.names.at[0]);
    vec_each (&s->variants.list, variant) {
        if (!reducer_goes_on(r)) {
            return false;
        }
        if (try_variant(s, variant)) {
            return true;
        }
    }
    return false;
}

static bool is_request(const struct step *step)
{
    return step->operation.is_external && step->operation.fault == 0;
}

/* The requests with the payload of step `first`; none when an earlier step has it too. */
static void find_group(struct shrinker *s, uint32_t first, bool is_alone)
{
    const struct execution *best = &s->reducer->result->best;
    const uint64_t content = best->steps.at[first].operation.content;
    vec_clear(&s->group.names);
    for (uint32_t i = 0; i < best->steps.count; i++) {
        const struct step *step = &best->steps.at[i];
        if (!is_request(step) || (is_alone ? i != first : step->operation.content != content)) {
            continue;
        }
        if (i < first) {
            vec_clear(&s->group.names);
            return;
        }
        vec_push(&s->group.names, step->operation.name);
    }
    if (!is_alone && s->group.names.count == 1) {
        vec_clear(&s->group.names);
    }
}

/* One round; true when something became smaller. */
static bool shrink_all(struct shrinker *s, bool is_alone)
{
    struct reducer *r = s->reducer;
    for (uint32_t i = 0; i < reducer_size(r) && reducer_goes_on(r); i++) {
        if (!is_request(&r->result->best.steps.at[i])) {
            continue;
        }
        find_group(s, i, is_alone);
        if (s->group.names.count > 0 && shrink_group(s)) {
            return true;
        }
    }
    return false;
}

void payload_shrink_stage(struct reducer *r)
{
    struct shrinker s = {.reducer = r};
    if (r->world->ops->shrink == NULL) {
        reducer_note(r, "skipped: only for simulated systems");
        return;
    }
    r->accepts_equal = true;
    while (reducer_goes_on(r) && (shrink_all(&s, false) || shrink_all(&s, true))) {
    }
    r->accepts_equal = false;
    if (!s.is_any) {
        reducer_note(r, "the system proposes no smaller payload");
    } else if (s.is_any_large) {
        reducer_note(r, "some proposed payloads are too large for a schedule");
    }
    vec_release(&s.group.names);
    contents_release(&s.variants);
}
