#include "trace/kind_table.h"

#include <string.h>

#include "wire/must.h"

static const struct kind kinds[KIND_LIMIT] = {
#define KIND(number, id, name, class, modes, fields, meaning) \
    [number] = {name, meaning, CLASS_##class, MODES_##modes, fields},
    KIND_LIST(KIND)
#undef KIND
};

/* Beside the names, so that a search compares few of them. */
static const uint8_t name_sizes[KIND_LIMIT] = {
#define KIND(number, id, name, ...) [number] = sizeof(name) - 1,
    KIND_LIST(KIND)
#undef KIND
};

static const char *const class_names[CLASS_COUNT] = {
#define CLASS(id, name) name,
    CLASS_LIST(CLASS)
#undef CLASS
};

static const struct {
    enum mode_set set;
    uint8_t number;
    const char *name;
} modes[] = {
#define MODE(set, number, id, name) {MODES_##set, number, name},
    MODE_LIST(MODE)
#undef MODE
};

const struct kind *kind_of(uint32_t number)
{
    return number < KIND_LIMIT && kinds[number].name != NULL ? &kinds[number] : NULL;
}

enum event_class event_class(const struct event *e)
{
    must(e->kind < KIND_LIMIT);
    must(kinds[e->kind].name != NULL);
    return kinds[e->kind].class;
}

uint16_t kind_find(const char *name, size_t size)
{
    for (uint16_t i = 0; i < KIND_LIMIT; i++) {
        if (name_sizes[i] == size && size > 0 && memcmp(kinds[i].name, name, size) == 0) {
            return i;
        }
    }
    return 0;
}

const char *class_name(enum event_class class)
{
    must(class < CLASS_COUNT);
    return class_names[class];
}

const char *mode_name(enum mode_set set, uint8_t mode)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (modes[i].set == set && modes[i].number == mode) {
            return modes[i].name;
        }
    }
    return NULL;
}

uint8_t mode_find(enum mode_set set, const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (modes[i].set == set && strlen(modes[i].name) == size &&
            memcmp(modes[i].name, name, size) == 0) {
            return modes[i].number;
        }
    }
    return 0;
}

bool lock_mode_is_try(uint8_t mode)
{
    return (mode & LOCK_TRY) != 0;
}

uint8_t lock_mode_held(uint8_t mode)
{
    return mode & (uint8_t) ~(LOCK_TRY | LOCK_IGNORED);
}

uint8_t event_mode_ignored(const struct event *e)
{
    if (e->kind == EVENT_LOCK && lock_mode_is_try(e->mode)) {
        return e->mode | LOCK_IGNORED;
    }
    return e->kind == EVENT_SEM_WAIT && e->mode == MODE_UNSAID ? SEMAPHORE_IGNORED : MODE_UNSAID;
}

bool event_is_ignored(const struct event *e)
{
    return (e->kind == EVENT_LOCK && (e->mode & LOCK_IGNORED) != 0) ||
           (e->kind == EVENT_SEM_WAIT && e->mode == SEMAPHORE_IGNORED);
}

bool lock_mode_is_shared(uint8_t mode)
{
    const uint8_t held = lock_mode_held(mode);
    return held == LOCK_RW_READ || held == LOCK_FCNTL_READ || held == LOCK_FLOCK_READ ||
           held == LOCK_PSHARED_READ;
}

bool lock_mode_is_across_processes(uint8_t mode)
{
    const uint8_t held = lock_mode_held(mode);
    return held >= LOCK_FCNTL_READ && held <= LOCK_PSHARED_WRITE;
}

enum event_mode memory_mode_order(uint8_t mode)
{
    return (enum event_mode)(mode & MEMORY_ORDER_MASK);
}

enum memory_update update_of(uint8_t mode)
{
    const unsigned operation = mode & MEMORY_UPDATE_MASK;
    return operation == MEMORY_KEPT ? UPDATE_NONE : (enum memory_update)operation;
}

bool event_is_blind(const struct event *e)
{
    return (e->kind == EVENT_ATOMIC_RMW || e->kind == EVENT_READ) &&
           update_of(e->mode) != UPDATE_NONE;
}

bool event_is_kept(const struct event *e)
{
    return e->kind == EVENT_ATOMIC_RMW && (e->mode & MEMORY_UPDATE_MASK) == MEMORY_KEPT;
}

bool event_is_update(const struct event *e)
{
    const enum memory_update operation = update_of(e->mode);
    return (e->kind == EVENT_ATOMIC_RMW || e->kind == EVENT_WRITE) && operation != UPDATE_NONE &&
           operation != UPDATE_SET;
}

bool event_updates_commute(const struct event *a, const struct event *b)
{
    must(event_is_update(a));
    must(event_is_update(b));
    return (a->mode & MEMORY_UPDATE_MASK) == (b->mode & MEMORY_UPDATE_MASK) && a->size == b->size;
}
