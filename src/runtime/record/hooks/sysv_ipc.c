/* Messages and semaphores of System V and POSIX message queues. The kernel knows them by numbers;
 * here memory stands for each (runtime/record/hooks/shared_memory_ids.h). */
#include <errno.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>

#include "runtime/content.h"
#include "runtime/instrument/runtime_entry.h"
#include "runtime/record/hooks/shared_memory_ids.h"
#include "runtime/record/hooks/sync_shared.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/access.h"
#include "runtime/shared/real.h"

enum { OBJECT_SIZE = 8, TYPES = 512 };

static struct rt_mark record(enum event_kind kind, const void *object, const void *place)
{
    return object == NULL ? (struct rt_mark){0} : sync_announce(kind, 0, object, place);
}

/* The kernel accesses a buffer for the program. */
static void buffer_read(const void *bytes, size_t size, const void *place)
{
    if (access_is_told() && rt_is_recording() && size > 0) {
        clew_rt_read(bytes, size, place);
    }
}

static void buffer_written(void *bytes, ssize_t size, const void *place)
{
    if (access_is_told() && rt_is_recording() && size > 0) {
        clew_rt_write(bytes, (size_t)size, place);
    }
}

struct message {
    const void *bytes;
    size_t size;
};

/* A message is put into a queue, or taken out of it. Equal messages of a queue may take each
 * other's place. */
static struct rt_mark record_message(enum event_kind kind, const void *queue,
                                     struct message message, const void *place)
{
    return queue == NULL || !rt_is_recording()
               ? (struct rt_mark){0}
               : rt_record((struct rt_event){
                     .kind = kind,
                     .mode = ANNOTATION_ANY,
                     .has_value = true,
                     .value = (int64_t)content_hash(CONTENT_NONE, message.bytes, message.size),
                     .object = queue,
                     .place = place});
}

/* ---- POSIX message queues ---- */

/* A queue is known by the inode of its descriptor. */
static const void *queue_of(mqd_t queue)
{
    const int saved = errno;
    struct stat status;
    const bool is_known = rt_is_recording() && fstat(queue, &status) == 0;
    const void *object = is_known ? shared_stand_in("mqueue", status.st_ino, OBJECT_SIZE) : NULL;
    errno = saved;
    return object;
}

RT_EXPORT int mq_send(mqd_t queue, const char *bytes, size_t size, unsigned priority)
{
    buffer_read(bytes, size, RT_PLACE);
    const struct rt_mark mark = record_message(EVENT_HAPPENS_BEFORE, queue_of(queue),
                                               (struct message){bytes, size}, RT_PLACE);
    return rt_amend_done(mark, REAL(mq_send)(queue, bytes, size, priority));
}

RT_EXPORT int mq_timedsend(mqd_t queue, const char *bytes, size_t size, unsigned priority,
                           const struct timespec *until)
{
    buffer_read(bytes, size, RT_PLACE);
    const struct rt_mark mark = record_message(EVENT_HAPPENS_BEFORE, queue_of(queue),
                                               (struct message){bytes, size}, RT_PLACE);
    return rt_amend_done(mark, REAL(mq_timedsend)(queue, bytes, size, priority, until));
}

static ssize_t queue_received(mqd_t queue, char *bytes, ssize_t size, const void *place)
{
    if (size >= 0) {
        (void)record_message(EVENT_HAPPENS_AFTER, queue_of(queue),
                             (struct message){bytes, (size_t)size}, place);
        buffer_written(bytes, size, place);
    }
    return size;
}

RT_EXPORT ssize_t mq_receive(mqd_t queue, char *bytes, size_t size, unsigned *priority)
{
    return queue_received(queue, bytes, REAL(mq_receive)(queue, bytes, size, priority), RT_PLACE);
}

RT_EXPORT ssize_t mq_timedreceive(mqd_t queue, char *bytes, size_t size, unsigned *priority,
                                  const struct timespec *until)
{
    return queue_received(queue, bytes, REAL(mq_timedreceive)(queue, bytes, size, priority, until),
                          RT_PLACE);
}

/* ---- System V messages ---- */

/* One object for each type of message, the first word of its buffer: a receiver may ask for a type.
 */
static const void *messages_of(int id, long type)
{
    const char *start = rt_is_recording() ? shared_stand_in("sysv-messages", (uint32_t)id,
                                                            (size_t)TYPES * OBJECT_SIZE)
                                          : NULL;
    return start == NULL ? NULL : start + (size_t)type % TYPES * OBJECT_SIZE;
}

RT_EXPORT int msgsnd(int id, const void *message, size_t size, int flags)
{
    const long *type = message;
    buffer_read(message, sizeof *type + size, RT_PLACE);
    const struct rt_mark mark = record_message(EVENT_HAPPENS_BEFORE, messages_of(id, *type),
                                               (struct message){type + 1, size}, RT_PLACE);
    return rt_amend_done(mark, REAL(msgsnd)(id, message, size, flags));
}

RT_EXPORT ssize_t msgrcv(int id, void *message, size_t size, long wanted, int flags)
{
    const ssize_t result = REAL(msgrcv)(id, message, size, wanted, flags);
    if (result >= 0 && (flags & MSG_COPY) == 0) {
        const long *type = message;
        (void)record_message(EVENT_HAPPENS_AFTER, messages_of(id, *type),
                             (struct message){type + 1, (size_t)result}, RT_PLACE);
        buffer_written(message, (ssize_t)sizeof *type + result, RT_PLACE);
    }
    return result;
}

/* ---- System V semaphores ---- */

enum { SEMAPHORES_MAX = 32000 };

static const void *semaphore_of(int id, unsigned number)
{
    const char *start =
        rt_is_recording() && number < SEMAPHORES_MAX
            ? shared_stand_in("sysv-semaphores", (uint32_t)id, (size_t)SEMAPHORES_MAX * OBJECT_SIZE)
            : NULL;
    return start == NULL ? NULL : start + (size_t)number * OBJECT_SIZE;
}

static void record_count(int id, unsigned number, int count, const void *place)
{
    const void *object = count < 0 ? NULL : semaphore_of(id, number);
    if (object != NULL) {
        (void)rt_record((struct rt_event){.kind = EVENT_SEM_INIT,
                                          .has_value = true,
                                          .value = count,
                                          .object = object,
                                          .place = place});
    }
}

/* Records made before a call that may fail. */
enum { MARKS_MAX = 32 };
struct given {
    struct rt_mark marks[MARKS_MAX];
    size_t count;
};

static void give(struct given *g, enum event_kind kind, const void *object, const void *place)
{
    if (object != NULL && g->count < MARKS_MAX) {
        g->marks[g->count++] = record(kind, object, place);
    }
}

/* Before the kernel adds: units that others may take. Taking units comes before the end of a wait
 * for 0. */
static void units_given(struct given *g, int id, const struct sembuf *list, size_t count,
                        const void *place)
{
    for (size_t i = 0; i < count; i++) {
        const void *object = semaphore_of(id, list[i].sem_num);
        for (int unit = 0; unit < list[i].sem_op; unit++) {
            give(g, EVENT_SEM_POST, object, place);
        }
        if (list[i].sem_op < 0) {
            give(g, EVENT_HAPPENS_BEFORE, object, place);
        }
    }
}

static void units_taken(int id, const struct sembuf *list, size_t count, const void *place)
{
    for (size_t i = 0; i < count; i++) {
        const void *object = semaphore_of(id, list[i].sem_num);
        for (int unit = 0; unit > list[i].sem_op && object != NULL; unit--) {
            (void)record(EVENT_SEM_WAIT, object, place);
        }
        if (list[i].sem_op == 0) {
            (void)record(EVENT_HAPPENS_AFTER, object, place);
        }
    }
}

static int operate(int id, struct sembuf *list, size_t count, const struct timespec *most,
                   const void *place)
{
    if (!rt_is_recording()) {
        return REAL(semtimedop)(id, list, count, most);
    }
    struct given given = {.count = 0};
    units_given(&given, id, list, count, place);
    const int result = REAL(semtimedop)(id, list, count, most);
    const int saved = errno;
    for (size_t i = 0; i < given.count && result != 0; i++) {
        rt_amend_void(given.marks[i]);
    }
    if (result == 0) {
        units_taken(id, list, count, place);
    }
    errno = saved;
    return result;
}

RT_EXPORT int semop(int id, struct sembuf *list, size_t count)
{
    return operate(id, list, count, NULL, RT_PLACE);
}

RT_EXPORT int semtimedop(int id, struct sembuf *list, size_t count, const struct timespec *most)
{
    return operate(id, list, count, most, RT_PLACE);
}

union semctl_argument {
    int value;
    void *other;
    unsigned short *array;
};

/* Records the counts that a set of semaphores begins with. */
static void record_counts(int id, const unsigned short *counts, const void *place)
{
    struct semid_ds state;
    const union semctl_argument argument = {.other = &state};
    const int result = REAL(semctl)(id, 0, IPC_STAT, argument);
    for (unsigned i = 0; result == 0 && i < state.sem_nsems; i++) {
        record_count(id, i, counts[i], place);
    }
}

RT_EXPORT int semctl(int id, int number, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    const union semctl_argument argument = va_arg(rest, union semctl_argument);
    va_end(rest);
    if (command == SETVAL) {
        record_count(id, (unsigned)number, argument.value, RT_PLACE);
    } else if (command == SETALL) {
        record_counts(id, argument.array, RT_PLACE);
    }
    return REAL(semctl)(id, number, command, argument);
}
