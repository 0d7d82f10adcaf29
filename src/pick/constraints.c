/* Hard constraints during a run: an operation that comes too early waits. */
#include "pick/strategy.h"

void keep_begin(struct pick *p)
{
    for (size_t i = 0; i < p->plan.constraint_count; i++) {
        p->kept[i] = (struct kept){0};
    }
    table_clear(&p->changed);
}

/* The name of the operation that last changed the object; 0 when none has. */
static uint64_t changed_by(const struct pick *p, uint32_t object)
{
    const uint64_t *name = table_get(&p->changed, object);
    return name == NULL ? 0 : *name;
}

static bool changes(const struct pick_operation *o, uint32_t object)
{
    return object != 0 && ((o->objects[0] == object && (o->writes & 1) != 0) ||
                           (o->objects[1] == object && (o->writes & 2) != 0));
}

/* A negated "a before b" is "b before a". */
static bool before_allows(const struct pick_constraint *c, const struct kept *kept, uint64_t name)
{
    return c->is_negated ? name != c->first || kept->is_second_done
                         : name != c->second || kept->is_first_done;
}

/* The reader waits for its writer; between the two, no other operation writes. Where it must not
 * read from a write, that write waits for the reader instead. */
static enum keep from_allows(const struct pick *p, size_t which, const struct pick_operation *o)
{
    const struct pick_constraint *c = &p->plan.constraints[which];
    const struct kept *kept = &p->kept[which];
    if (o->name == c->first) {
        const bool is_from = changed_by(p, o->objects[0]) == c->second;
        return is_from != c->is_negated ? KEEP_ALLOWED : KEEP_HELD;
    }
    if (c->is_negated) {
        return o->name == c->second && !kept->is_first_done ? KEEP_RATHER_NOT : KEEP_ALLOWED;
    }
    const bool is_between = !kept->is_first_done && (kept->is_second_done || c->second == 0);
    return is_between && changes(o, kept->object) ? KEEP_HELD : KEEP_ALLOWED;
}

enum keep keep_allows(const struct pick *p, const struct pick_operation *o, size_t *which)
{
    enum keep strictest = KEEP_ALLOWED;
    for (size_t i = 0; i < p->plan.constraint_count && strictest != KEEP_HELD; i++) {
        const struct pick_constraint *c = &p->plan.constraints[i];
        const enum keep own = c->relation == PICK_FROM                 ? from_allows(p, i, o)
                              : before_allows(c, &p->kept[i], o->name) ? KEEP_ALLOWED
                                                                       : KEEP_HELD;
        if (own > strictest) {
            strictest = own;
            *which = i;
        }
    }
    return strictest;
}

bool keep_asks_for(const struct pick *p, const struct pick_operation *o)
{
    for (size_t i = 0; i < p->plan.constraint_count; i++) {
        const struct pick_constraint *c = &p->plan.constraints[i];
        const bool is_first = c->first == o->name && !p->kept[i].is_first_done;
        const bool is_second = c->second == o->name && !p->kept[i].is_second_done;
        if (is_second || (is_first && !c->is_negated)) {
            return true;
        }
    }
    return false;
}

/* A pending reader shows which object it reads. */
void keep_look(struct pick *p, const struct pick_operation *pending, uint32_t count)
{
    for (size_t i = 0; i < p->plan.constraint_count; i++) {
        const struct pick_constraint *c = &p->plan.constraints[i];
        for (uint32_t k = 0; c->relation == PICK_FROM && p->kept[i].object == 0 && k < count; k++) {
            p->kept[i].object = pending[k].name == c->first ? pending[k].objects[0] : 0;
        }
    }
}

void keep_done(struct pick *p, const struct pick_operation *o)
{
    for (size_t i = 0; i < p->plan.constraint_count; i++) {
        const struct pick_constraint *c = &p->plan.constraints[i];
        struct kept *kept = &p->kept[i];
        kept->is_first_done = kept->is_first_done || o->name == c->first;
        if (o->name == c->second) {
            kept->is_second_done = true;
            kept->object = (o->writes & 1) != 0 ? o->objects[0] : o->objects[1];
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        if (changes(o, o->objects[i])) {
            uint64_t *name = table_slot(&p->changed, o->objects[i], 0);
            if (name != NULL) { /* of a run that changes more objects, the first ones are known */
                *name = o->name;
            }
        }
    }
}

static bool is_satisfied(const struct pick_constraint *c, const struct kept *kept)
{
    if (c->is_negated) {
        return true;
    }
    return kept->is_first_done && (kept->is_second_done || c->second == 0);
}

size_t pick_unsatisfied(const struct pick *p)
{
    size_t i = 0;
    while (i < p->plan.constraint_count && is_satisfied(&p->plan.constraints[i], &p->kept[i])) {
        i++;
    }
    return i;
}
