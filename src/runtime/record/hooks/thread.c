/* Hooks of threads: creation, start, end and join.
 *
 * A creation is recorded before the thread exists, with the child's path; a join has the number of
 * the joined task. C11 threads are the same threads under other names. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/instrument/runtime_entry.h"
#include "runtime/record/hooks/sync_shared.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/access.h"
#include "runtime/record/shadow/fork_join_order.h"
#include "runtime/record/shadow/site_table.h"
#include "runtime/shared/real.h"

enum { LAUNCHES_MAX = 512, TRIES_MAX = 1000, PATH_SIZE = sizeof rt_self.path };

/* The data that a new thread needs, from before its creation until it has started. */
struct launch {
    atomic_flag is_taken;
    struct thread_creation creation;
    uint32_t number;
    bool holds_signals;      /* until the thread has begun ... */
    uint64_t signals_before; /* ... and then has these */
    char path[PATH_SIZE];
};

static struct launch launches[LAUNCHES_MAX];

/* A free slot; NULL if more threads are being created than there are slots. */
static struct launch *launch_take(void)
{
    for (size_t i = 0; i < (size_t)LAUNCHES_MAX * TRIES_MAX; i++) {
        if (i > 0 && i % LAUNCHES_MAX == 0) {
            rt_pause();
        }
        /* Pairs with the release in launch_give: the slot's last reader is done. */
        if (!atomic_flag_test_and_set_explicit(&launches[i % LAUNCHES_MAX].is_taken,
                                               memory_order_acquire)) {
            return &launches[i % LAUNCHES_MAX];
        }
    }
    return NULL;
}

static void launch_give(struct launch *launch)
{
    atomic_flag_clear_explicit(&launch->is_taken, memory_order_release);
}

/* The task of each pthread_t, entered by its creator and by the thread itself. A join reads it
 * before it waits: afterwards the pthread_t may belong to another thread. Entries are never
 * removed, because glibc reuses stacks, and with them values of pthread_t. */
enum { THREADS_MAX = 1 << 14, THREAD_UNKNOWN = -1 };
static struct {
    _Atomic uintptr_t thread;
    _Atomic int64_t number;
} threads[THREADS_MAX];

/* The entry of a thread, its own or the free one to take, NULL when all are others'. */
static size_t thread_slot(pthread_t thread)
{
    size_t at = (size_t)(((uint64_t)thread >> 6) * 0x9e3779b97f4a7c15u >> 50);
    for (size_t tried = 0; tried < THREADS_MAX; tried++, at = (at + 1) % THREADS_MAX) {
        uintptr_t known = atomic_load_explicit(&threads[at].thread, memory_order_acquire);
        if (known == 0 &&
            atomic_compare_exchange_strong(&threads[at].thread, &known, (uintptr_t)thread)) {
            return at;
        }
        if (known == (uintptr_t)thread) {
            return at;
        }
    }
    return THREADS_MAX;
}

static void thread_know(pthread_t thread, uint32_t number)
{
    const size_t slot = thread_slot(thread);
    if (slot < THREADS_MAX) {
        atomic_store(&threads[slot].number, (int64_t)number + 1);
    }
}

int64_t thread_number(pthread_t thread)
{
    const size_t slot = rt_is_on ? thread_slot(thread) : THREADS_MAX;
    return slot < THREADS_MAX ? atomic_load(&threads[slot].number) - 1 : THREAD_UNKNOWN;
}

/* The stack may have been another thread's; nothing of that is this one's. Asking for it allocates,
 * which is not the program's doing. */
static void stack_begin(void)
{
    pthread_attr_t attributes;
    void *base = NULL;
    size_t size = 0;
    rt_ignore_begin();
    rt_self.is_at_own_work = true;
    if (access_is_told() && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &base, &size) == 0) {
            access_clear(base, size);
            const uint64_t wide = size;
            rt_record_note(RECORD_STACK, (uintptr_t)base, &wide, sizeof wide);
        }
        (void)pthread_attr_destroy(&attributes);
    }
    rt_self.is_at_own_work = false;
    rt_ignore_end();
}

static void *thread_run(void *argument)
{
    struct launch *launch = argument;
    const struct thread_creation c = launch->creation;
    thread_know(pthread_self(), launch->number);
    rt_task_begin(launch->path, launch->number);
    rt_self.start = c.run != NULL ? (uintptr_t)c.run : (uintptr_t)c.run_c11;
    const bool holds_signals = launch->holds_signals;
    const uint64_t signals_before = launch->signals_before;
    launch_give(launch);
    /* A place is a return address, so it is at least one byte into the function. */
    (void)rt_record(
        (struct rt_event){.kind = EVENT_THREAD_START, .place = (const void *)(rt_self.start + 1)});
    stack_begin(); /* has no stamp of its own: it comes when the thread does, not before */
    if (holds_signals) {
        rt_signals_release(signals_before);
    }
    return c.run != NULL ? c.run(c.argument) : (void *)(intptr_t)c.run_c11(c.argument);
}

int thread_create(pthread_t *thread, const pthread_attr_t *attributes,
                  const struct thread_creation *creation)
{
    struct launch *launch = launch_take();
    if (launch == NULL) {
        return EAGAIN;
    }
    const uint32_t number = rt_task_reserve();
    fork_join_create(number);
    if (rt_is_on) {
        site_renew(rt_recording->first_accesses);
    }
    rt_self.known_stack = (uintptr_t)__builtin_frame_address(0);
    launch->creation = *creation;
    launch->number = number;
    rt_child_path(launch->path);
    const struct rt_mark mark = rt_record((struct rt_event){.kind = EVENT_THREAD_CREATE,
                                                            .place = creation->place,
                                                            .more = launch->path,
                                                            .more_size = strlen(launch->path)});
    /* No handler may run in the thread before it has begun, unless its attributes say which may. */
    sigset_t wanted;
    launch->holds_signals = attributes == NULL || pthread_attr_getsigmask_np(attributes, &wanted) ==
                                                      PTHREAD_ATTR_NO_SIGMASK_NP;
    const uint64_t before = rt_signals_hold();
    launch->signals_before = before;
    const int result = REAL(pthread_create)(thread, attributes, thread_run, launch);
    rt_signals_release(before);
    if (result == 0) {
        thread_know(*thread, number);
    } else {
        launch_give(launch);
        rt_amend_void(mark);
    }
    return result;
}

RT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                             void *(*run)(void *), void *argument)
{
    if (!rt_is_on) {
        return REAL(pthread_create)(thread, attributes, run, argument);
    }
    return thread_create(
        thread, attributes,
        &(struct thread_creation){.run = run, .argument = argument, .place = RT_PLACE});
}

void thread_record_join(int64_t number, const void *place)
{
    if (number != THREAD_UNKNOWN) {
        fork_join_join((uint32_t)number);
        (void)rt_record((struct rt_event){
            .kind = EVENT_THREAD_JOIN, .has_value = true, .value = number, .place = place});
    }
}

static int joined(int result, int64_t number, const void *place)
{
    if (result == 0) {
        thread_record_join(number, place);
    }
    return result;
}

RT_EXPORT int pthread_join(pthread_t thread, void **value)
{
    const int64_t number = thread_number(thread);
    const int result = joined(REAL(pthread_join)(thread, value), number, RT_PLACE);
    if (result == 0 && value != NULL && access_is_told() && rt_is_recording()) {
        clew_rt_write(value, sizeof *value, RT_PLACE);
    }
    return result;
}

RT_EXPORT int pthread_tryjoin_np(pthread_t thread, void **value)
{
    const int64_t number = thread_number(thread);
    return joined(REAL(pthread_tryjoin_np)(thread, value), number, RT_PLACE);
}

RT_EXPORT int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until)
{
    const int64_t number = thread_number(thread);
    return joined(REAL(pthread_timedjoin_np)(thread, value, until), number, RT_PLACE);
}

RT_EXPORT int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock,
                                   const struct timespec *until)
{
    const int64_t number = thread_number(thread);
    return joined(REAL(pthread_clockjoin_np)(thread, value, clock, until), number, RT_PLACE);
}
