#include "proc/record/sync_objects.h"

#include "wire/kind.h"
#include "wire/must.h"

enum { USES_BITS = 2, USES_TAKEN = 2 };

bool sync_objects_is_use(const struct record *record)
{
    switch (record->kind) {
    case EVENT_LOCK:
    case EVENT_UNLOCK: return record->mode <= LOCK_RW_WRITE; /* no lock on a file */
    case EVENT_WAIT_BEGIN:
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
    case EVENT_BARRIER_ENTER:
    case EVENT_SEM_POST:
    case EVENT_SEM_WAIT: return true;
    default: return false;
    }
}

bool sync_objects_is_life(const struct record *record)
{
    return record->kind == RECORD_LIFE || record->kind == EVENT_SEM_INIT;
}

static uint32_t pair_of(struct sync_objects *o, uint32_t task, uint64_t address)
{
    return tuples_intern(&o->pairs,
                         (struct tuple){{task, (uint32_t)(address >> 32), (uint32_t)address}});
}

void sync_objects_see(struct sync_objects *o, uint32_t task, const struct record *record)
{
    if (sync_objects_is_life(record)) {
        map_put(&o->ended, record->object, 1);
    } else if (sync_objects_is_use(record)) {
        map_put(&o->last, pair_of(o, task, record->object), (uint32_t)record->stamp);
    }
}

static void add_member(struct sync_objects *o, uint64_t block, uint64_t address)
{
    uint32_t *first = map_slot(&o->first_in, block, 0, NULL);
    for (uint32_t at = *first; at != 0; at = o->members.at[at - 1].next) {
        if (o->members.at[at - 1].address == address) {
            return;
        }
    }
    vec_push(&o->members, ((struct sync_member){.address = address, .next = *first}));
    must(o->members.count < UINT32_MAX);
    *first = (uint32_t)o->members.count;
}

bool sync_objects_take(struct sync_objects *o, uint32_t task, const struct record *record,
                       uint64_t block)
{
    if (block == 0 && map_get(&o->ended, record->object) == NULL) {
        return false;
    }
    const uint32_t *life = map_get(&o->lives, record->object);
    const uint32_t now = (life == NULL ? 0 : *life) << USES_BITS;
    const uint32_t pair = pair_of(o, task, record->object);
    uint32_t *used = map_slot(&o->used, pair, now, NULL);
    if (*used >> USES_BITS != now >> USES_BITS) {
        *used = now;
    }
    must(*used >= now);
    const bool is_early = *used - now < USES_TAKEN;
    *used += is_early ? 1 : 0;
    if (is_early && block != 0) {
        add_member(o, block, record->object);
    }
    const uint32_t *last = map_get(&o->last, pair);
    return is_early || (last != NULL && *last == (uint32_t)record->stamp);
}

void sync_objects_end(struct sync_objects *o, uint64_t address, uint64_t block)
{
    ++*map_slot(&o->lives, address, 0, NULL);
    uint32_t *at = map_get(&o->first_in, block);
    while (at != NULL && *at != 0) {
        struct sync_member *m = &o->members.at[*at - 1];
        if (m->address == address) {
            *at = m->next;
            return;
        }
        at = &m->next;
    }
}

uint64_t sync_objects_take_member(struct sync_objects *o, uint64_t block)
{
    uint32_t *first = map_get(&o->first_in, block);
    if (first == NULL || *first == 0) {
        return 0;
    }
    must(*first <= o->members.count);
    const struct sync_member *m = &o->members.at[*first - 1];
    *first = m->next;
    return m->address;
}

void sync_objects_release(struct sync_objects *o)
{
    map_release(&o->ended);
    tuples_release(&o->pairs);
    map_release(&o->last);
    map_release(&o->lives);
    map_release(&o->used);
    map_release(&o->first_in);
    vec_release(&o->members);
}
