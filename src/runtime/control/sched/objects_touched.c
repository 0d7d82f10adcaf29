#include "runtime/control/sched/objects_touched.h"

#include "runtime/control/sched/run_control.h"

enum { WORD_SIZE = 8 };

/* Whether a lock is free, and whether it is free of who had it alone, are objects beside it. */
static uint32_t number_of(uint32_t number, enum touch touch)
{
    return touch == TOUCH_FREE          ? number ^ 0x55555555u
           : touch == TOUCH_FREE_OF_ALL ? number ^ 0x33333333u
                                        : number;
}

/* Those that wait for a lock wait for the unlock before; readers only for a writer's. */
static uint32_t number_needed(const struct task *t)
{
    const struct act *a = &t->act;
    switch (a->wait) {
    case WAIT_MUTEX:
    case WAIT_SPIN:
    case WAIT_STREAM:
    case WAIT_WRITE:
    case WAIT_ONCE:
    case WAIT_SEMAPHORE: return number_of(t->object.number, TOUCH_FREE);
    case WAIT_READ: return number_of(t->object.number, TOUCH_FREE_OF_ALL);
    case WAIT_CONDITION:
        return a->second == NULL ? 0 : number_of(object_of(a->second, a->place).number, TOUCH_FREE);
    case WAIT_TASK: return t->object.number;
    case WAIT_NOTHING:
    case WAIT_BARRIER:
    case WAIT_TIME:
    case WAIT_WAKE:
    case WAIT_READY:
    case WAIT_CHILD:
    case WAIT_IMAGE:
    case WAIT_FILE_LOCK:
    case WAIT_SIGNAL: return 0;
    }
    return 0;
}

/* Bits of the objects that it makes available to those who wait for them. */
static uint8_t objects_given(const struct act *a)
{
    if (a->kind == EVENT_SEM_POST || a->kind == EVENT_WAIT_BEGIN) {
        return 2;
    }
    return a->kind == EVENT_UNLOCK ? 3 : a->kind == EVENT_THREAD_END ? 1 : 0;
}

static void touch_lock(struct pick_operation *o, const struct task *t)
{
    const uint32_t number = t->object.number;
    switch ((enum touch)t->act.touch) {
    case TOUCH_OBJECT:
    case TOUCH_NEXT:
    case TOUCH_FREE: o->objects[0] = number_of(number, t->act.touch); return;
    case TOUCH_FREE_OF_ALL:
    case TOUCH_BOTH:
        o->objects[0] = t->act.touch == TOUCH_BOTH ? number : number_of(number, TOUCH_FREE_OF_ALL);
        o->objects[1] = number_of(number, TOUCH_FREE);
        o->writes |= 2;
        return;
    }
}

/* The bytes of an access; of a lock its first few, which whoever overwrites it touches too. */
static void touch_bytes(struct pick_operation *o, const struct task *t)
{
    enum { LOCK_BYTES = 4 };
    const struct act *a = &t->act;
    const uint32_t room = UINT32_MAX - t->object.begin;
    const uint32_t size = a->size == 0 ? LOCK_BYTES : a->size;
    o->region = t->object.region;
    o->begin = a->is_of_block ? 0 : t->object.begin;
    o->end = a->is_of_block ? UINT32_MAX : o->begin + (size < room ? size : room);
    o->is_access = a->size > 0 || a->is_of_block;
}

void objects_touched(struct pick_operation *o, const struct task *t)
{
    const struct act *a = &t->act;
    o->objects[0] = a->is_of_all ? PICK_EVERYTHING : t->object.number;
    o->writes = a->writes || a->is_of_all ? 1 : 0;
    o->needs = number_needed(t);
    o->gives = objects_given(a);
    if (a->is_of_all) {
        return;
    }
    if (t->object.region != 0) {
        touch_bytes(o, t);
    }
    if (a->is_of_block) {
        o->objects[0] = t->object.block;
    } else if (a->touch != TOUCH_OBJECT) {
        touch_lock(o, t);
    } else if (a->known_second != NULL) {
        o->objects[1] = a->known_second->number;
        o->writes |= (uint8_t)(a->writes_second << 1);
    } else if (a->second != NULL) {
        o->objects[1] = number_of(object_of(a->second, a->place).number, a->touch_second);
        o->writes |= 2;
    } else if ((uintptr_t)a->object % WORD_SIZE + a->size > WORD_SIZE) {
        const volatile char *next = (const volatile char *)a->object + WORD_SIZE;
        o->objects[1] = object_of(next, a->place).number;
        o->writes |= (uint8_t)(o->writes << 1);
    }
}
