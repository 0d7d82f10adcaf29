#include "explore/wakeup.h"

static const size_t not_found = SIZE_MAX;

void reversal_build(struct reversal *v, const struct step_race *race)
{
    must(race->first < race->second);
    must(race->second < v->x->steps.count);
    vec_clear(&v->steps);
    for (uint32_t i = race->first + 1; i < v->x->steps.count; i++) {
        if (i != race->second && !relation_is_before(v->relation, race->first, i)) {
            vec_push(&v->steps, i);
        }
    }
    vec_push(&v->steps, race->second);
}

static const struct pick_operation *operation_at(const struct reversal *v, size_t index)
{
    return &v->x->steps.at[v->steps.at[index]].operation;
}

static bool is_initial(const struct reversal *v, size_t index)
{
    const uint32_t step = v->steps.at[index];
    for (size_t i = 0; i < index; i++) {
        const uint32_t other = v->steps.at[i];
        if (other < step && relation_is_before(v->relation, other, step)) {
            return false;
        }
    }
    return true;
}

/* As reversal_may_begin; *found is where in v it is, not_found: nowhere. */
static bool may_begin(const struct reversal *v, const struct pick_operation *o, size_t *found)
{
    bool has_conflict = v->may_vanish;
    *found = not_found;
    for (size_t i = 0; i < v->steps.count; i++) {
        const struct pick_operation *other = operation_at(v, i);
        if (other->name == o->name) {
            *found = i;
            return is_initial(v, i);
        }
        has_conflict = has_conflict || pick_conflicts(o, other);
    }
    return !has_conflict;
}

bool reversal_may_begin(const struct reversal *v, const struct pick_operation *o)
{
    size_t found = 0;
    return may_begin(v, o, &found);
}

static void remove_step(struct reversal *v, size_t index)
{
    must(index < v->steps.count);
    for (size_t i = index; i + 1 < v->steps.count; i++) {
        v->steps.at[i] = v->steps.at[i + 1];
    }
    v->steps.count--;
}

static bool has_prefix(const struct wakeup_sequence *s, const struct wakeup_sequence *prefix,
                       size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        if (s->operations.at[i].name != prefix->operations.at[i].name) {
            return false;
        }
    }
    return s->operations.count > depth;
}

/* Of the sequences that begin as `path` does, the first whose next operation may begin v; NULL:
 * none. */
static const struct wakeup_sequence *find_child(const struct wakeup_tree *t,
                                                const struct wakeup_sequence *path, size_t depth,
                                                const struct reversal *v, size_t *found)
{
    vec_each (&t->sequences, s) {
        if (has_prefix(s, path, depth) && may_begin(v, &s->operations.at[depth], found)) {
            return s;
        }
    }
    return NULL;
}

/* Adds the first operations of the path, then v. */
static void add_sequence(struct wakeup_tree *t, const struct wakeup_sequence *path, size_t depth,
                         const struct reversal *v)
{
    must(v->steps.count > 0);
    must(depth == 0 || path->operations.count > depth);
    struct wakeup_sequence added = {0};
    for (size_t i = 0; i < depth; i++) {
        vec_push(&added.operations, path->operations.at[i]);
    }
    for (size_t i = 0; i < v->steps.count; i++) {
        vec_push(&added.operations, *operation_at(v, i));
    }
    vec_push(&t->sequences, added);
}

void wakeup_insert(struct wakeup_tree *t, struct reversal *v)
{
    must(v->steps.count > 0);
    const struct wakeup_sequence *path = NULL;
    size_t found = 0;
    if (v->may_vanish && find_child(t, path, 0, v, &found) != NULL) {
        return;
    }
    if (v->may_vanish) {
        v->steps.count = 1; /* the steps behind it may not come: the tree is a source set */
    }
    for (size_t depth = 0; v->steps.count > 0; depth++) {
        const struct wakeup_sequence *child = find_child(t, path, depth, v, &found);
        if (child == NULL) {
            add_sequence(t, path, depth, v);
            return;
        }
        if (found != not_found) {
            remove_step(v, found);
        }
        path = child;
        if (path->operations.count == depth + 1) {
            return; /* a leaf: the runs from there find its continuations */
        }
    }
}

void wakeup_add(struct wakeup_tree *t, const struct pick_operation *o)
{
    if (wakeup_find(t, o->name) == NULL) {
        struct wakeup_sequence added = {0};
        vec_push(&added.operations, *o);
        vec_push(&t->sequences, added);
    }
}

const struct wakeup_sequence *wakeup_find(const struct wakeup_tree *t, uint64_t name)
{
    vec_each (&t->sequences, s) {
        must_in_tests(s->operations.count > 0);
        if (s->operations.at[0].name == name) {
            return s;
        }
    }
    return NULL;
}

void wakeup_descend(struct wakeup_tree *from, uint64_t name, struct wakeup_tree *to)
{
    must(to->sequences.count == 0);
    size_t kept = 0;
    vec_each (&from->sequences, s) {
        if (s->operations.at[0].name != name) {
            from->sequences.at[kept++] = *s;
            continue;
        }
        for (size_t i = 1; i < s->operations.count; i++) {
            s->operations.at[i - 1] = s->operations.at[i];
        }
        s->operations.count--;
        if (s->operations.count == 0) {
            vec_release(&s->operations);
        } else {
            vec_push(&to->sequences, *s);
        }
    }
    from->sequences.count = kept;
}

void wakeup_drop_first(struct wakeup_tree *t)
{
    must(t->sequences.count > 0);
    vec_release(&t->sequences.at[0].operations);
    for (size_t i = 1; i < t->sequences.count; i++) {
        t->sequences.at[i - 1] = t->sequences.at[i];
    }
    t->sequences.count--;
}

void wakeup_clear(struct wakeup_tree *t)
{
    vec_each (&t->sequences, s) {
        vec_release(&s->operations);
    }
    vec_clear(&t->sequences);
}

void wakeup_release(struct wakeup_tree *t)
{
    wakeup_clear(t);
    vec_release(&t->sequences);
}

void operation_save(const struct pick_operation *o, struct out *out)
{
    saved_put(out, o->name);
    saved_put(out, o->action);
    saved_put(out, (uint64_t)o->task << 32 | o->region);
    saved_put(out, (uint64_t)o->objects[0] << 32 | o->objects[1]);
    saved_put(out, (uint64_t)o->begin << 32 | o->end);
    saved_put(out, (uint64_t)o->writes << 16 | (uint64_t)o->is_access << 8 | o->is_overtaking);
}

struct pick_operation operation_resume(struct saved *s)
{
    struct pick_operation o = {.name = saved_take(s), .action = saved_take(s)};
    const uint64_t task = saved_take(s);
    const uint64_t objects = saved_take(s);
    const uint64_t bytes = saved_take(s);
    const uint64_t flags = saved_take(s);
    o.task = (uint32_t)(task >> 32);
    o.region = (uint32_t)task;
    o.objects[0] = (uint32_t)(objects >> 32);
    o.objects[1] = (uint32_t)objects;
    o.begin = (uint32_t)(bytes >> 32);
    o.end = (uint32_t)bytes;
    o.writes = (uint8_t)(flags >> 16);
    o.is_access = (flags >> 8 & 1) != 0;
    o.is_overtaking = (flags & 1) != 0;
    return o;
}

void wakeup_save(const struct wakeup_tree *t, struct out *out)
{
    saved_put(out, t->sequences.count);
    vec_each (&t->sequences, s) {
        saved_put(out, s->operations.count);
        vec_each (&s->operations, o) {
            operation_save(o, out);
        }
    }
}

void wakeup_resume(struct wakeup_tree *t, struct saved *s)
{
    must(t->sequences.count == 0);
    const uint64_t count = saved_take_count(s);
    for (uint64_t i = 0; i < count; i++) {
        struct wakeup_sequence added = {0};
        const uint64_t length = saved_take_count(s);
        for (uint64_t k = 0; k < length; k++) {
            vec_push(&added.operations, operation_resume(s));
        }
        if (length > 0) {
            vec_push(&t->sequences, added);
        }
    }
}
