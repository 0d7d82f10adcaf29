#include "proc/record/shared_memory.h"

#include <stdio.h>

#include "proc/record/address_names.h"
#include "trace/name_scope.h"

void shared_memory_init(struct shared_memory *m, struct names *names)
{
    *m = (struct shared_memory){.names = names};
    names_init(&m->identities);
}

void shared_memory_release(struct shared_memory *m)
{
    names_release(&m->identities);
    vec_release(&m->objects);
    map_release(&m->count_of);
    pieces_release(&m->pieces);
}

uint32_t shared_memory_object(struct shared_memory *m, const char *identity, size_t size)
{
    const uint32_t number = names_intern(&m->identities, identity, size);
    while (m->objects.count <= number) {
        vec_push(&m->objects, (struct shared_object){0});
    }
    return number;
}

/* The first part of the object's name: its file, else the place where it was mapped. */
static uint32_t stem_of(struct shared_memory *m, const struct shared_object *o)
{
    if (o->path != 0) {
        return o->path;
    }
    const uint32_t source =
        o->process == NULL || o->place == 0 ? 0 : naming_source(o->process, o->place);
    return source != 0 ? source : names_intern_text(m->names, "anonymous");
}

uint32_t shared_memory_name(struct shared_memory *m, uint32_t object)
{
    must(object < m->objects.count);
    struct shared_object *o = &m->objects.at[object];
    if (o->name == 0) {
        const uint32_t stem = stem_of(m, o);
        const uint32_t ordinal = ++*map_slot(&m->count_of, stem, 0, NULL);
        char text[1024];
        if (o->path != 0 && ordinal == 1) {
            (void)snprintf(text, sizeof text, SCOPE_MEMORY "%s", names_text(m->names, stem));
        } else {
            (void)snprintf(text, sizeof text, SCOPE_MEMORY "%.900s#%u", names_text(m->names, stem),
                           ordinal);
        }
        o->name = names_intern_text(m->names, text);
    }
    return o->name;
}
