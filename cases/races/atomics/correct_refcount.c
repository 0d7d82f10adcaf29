/* References are dropped with release; the last owner acquires before it frees the object.
 *
 * no race */
#include <stdatomic.h>

#include "../race.h"

struct object {
    atomic_int references;
    int value;
};

static void *owner(void *argument)
{
    struct object *object = argument;
    MUST(object->value == 1);
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_release) == 1) {
        atomic_thread_fence(memory_order_acquire);
        object->value = 0;
        free(object);
    }
    return NULL;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    MUST(object != NULL);
    atomic_init(&object->references, 2);
    object->value = 1;
    const pthread_t a = thread_start(owner, object);
    const pthread_t b = thread_start(owner, object);
    thread_join(a);
    thread_join(b);
    return 0;
}
