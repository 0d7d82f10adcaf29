/* Values that each thread has of its own, with their destructors: those of fibers are nobody's but
 * ours to call. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <threads.h>

#include "runtime/control/model/libc_objects.h"
#include "runtime/control/sched/run_control.h"

static struct {
    bool is_used;
    void (*destroy)(void *);
} keys[KEYS_MAX];

/* Of a thread that is no task: before there are any, and in a child that the program has forked. */
static __thread const void *values_of_thread[KEYS_MAX];

static const void **values(void)
{
    return control_self != NULL ? control_self->values : values_of_thread;
}

void key_start(struct task *t)
{
    memcpy(t->values, values_of_thread, sizeof t->values);
}

RT_EXPORT int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    state_touch(CONTROL_PROCESS, true, RT_PLACE); /* which key is free */
    for (unsigned i = 0; i < KEYS_MAX; i++) {
        if (!keys[i].is_used) {
            keys[i].is_used = true;
            keys[i].destroy = destroy;
            for (uint32_t t = 0; t < task_live_count; t++) {
                if (task_live[t]->process == process_self->number) {
                    task_live[t]->values[i] = NULL;
                }
            }
            *key = i;
            return 0;
        }
    }
    return EAGAIN;
}

static bool is_key(pthread_key_t key)
{
    return key < KEYS_MAX && keys[key].is_used;
}

RT_EXPORT int pthread_key_delete(pthread_key_t key)
{
    state_touch(CONTROL_PROCESS, true, RT_PLACE);
    if (!is_key(key)) {
        return EINVAL;
    }
    keys[key].is_used = false;
    return 0;
}

RT_EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (!is_key(key)) {
        return EINVAL;
    }
    values()[key] = value;
    return 0;
}

RT_EXPORT void *pthread_getspecific(pthread_key_t key)
{
    return is_key(key) ? (void *)(uintptr_t)values()[key] : NULL;
}

RT_EXPORT int tss_create(tss_t *key, tss_dtor_t destroy)
{
    return pthread_key_create(key, destroy) == 0 ? thrd_success : thrd_error;
}

RT_EXPORT void tss_delete(tss_t key)
{
    (void)pthread_key_delete(key);
}

RT_EXPORT int tss_set(tss_t key, void *value)
{
    return pthread_setspecific(key, value) == 0 ? thrd_success : thrd_error;
}

RT_EXPORT void *tss_get(tss_t key)
{
    return pthread_getspecific(key);
}

/* In rounds, as long as destructors leave values behind, at most so often. */
void key_end(struct task *t)
{
    bool is_any = true;
    for (int round = 0; is_any && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        is_any = false;
        for (unsigned i = 0; i < KEYS_MAX; i++) {
            void *value = (void *)(uintptr_t)t->values[i];
            if (value != NULL && is_key(i) && keys[i].destroy != NULL) {
                t->values[i] = NULL;
                is_any = true;
                keys[i].destroy(value);
            }
        }
    }
}
