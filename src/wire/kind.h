/* The one list of event kinds. Names, classes, text forms, documentation and every switch come from
 * it.
 *
 * A kind is KIND(number, ID, name, class, modes, fields, meaning). Numbers are part of every file:
 * they are never reused and never change; a new kind takes the next free number and raises
 * KIND_LIMIT. `modes` names the list that gives the event's `mode` its meaning. `fields` are the
 * fields that mean something for the kind; all are optional, so that a log that lacks one can still
 * be read. */
#ifndef CLEW_WIRE_KIND_H
#define CLEW_WIRE_KIND_H

#define KIND_LIST(KIND)                                                                            \
    KIND(1, PROCESS_START, "process-start", PROCESS, NONE, F_TEXT | F_COUNT,                       \
         "a process begins; text: its command line")                                               \
    KIND(2, PROCESS_FORK, "process-fork", PROCESS, NONE, F_PEER,                                   \
         "a process forks; peer: the child's first task")                                          \
    KIND(3, PROCESS_EXEC, "process-exec", PROCESS, NONE, F_TEXT,                                   \
         "a process becomes another program; text: its command line")                              \
    KIND(4, PROCESS_EXIT, "process-exit", PROCESS, NONE, F_VALUE,                                  \
         "a process ends; value: its status")                                                      \
    KIND(5, PROCESS_CRASH, "process-crash", PROCESS, NONE, F_VALUE | F_TEXT,                       \
         "a process dies; value: the signal")                                                      \
    KIND(6, THREAD_CREATE, "thread-create", THREAD, NONE, F_PEER,                                  \
         "a task creates another; peer: the child")                                                \
    KIND(7, THREAD_START, "thread-start", THREAD, NONE, 0, "a task begins")                        \
    KIND(8, THREAD_END, "thread-end", THREAD, NONE, 0, "a task ends")                              \
    KIND(9, THREAD_JOIN, "thread-join", THREAD, NONE, F_PEER,                                      \
         "a task has waited for another to end; peer: the child")                                  \
    KIND(10, TASK_SWITCH, "task-switch", THREAD, NONE, F_PEER,                                     \
         "the scheduler switches to another task; peer: that task")                                \
    KIND(11, SLEEP, "sleep", THREAD, NONE, F_VALUE,                                                \
         "a task sleeps; value: for how long, in ticks")                                           \
    KIND(12, LOCK, "lock", SYNC, LOCK, F_OBJECT | F_COUNT | F_TEXT,                                \
         "a lock has been acquired; text: the functions that it is in")                            \
    KIND(13, UNLOCK, "unlock", SYNC, LOCK, F_OBJECT | F_COUNT, "a lock is released")               \
    KIND(14, WAIT_BEGIN, "wait-begin", SYNC, NONE, F_OBJECT | F_TEXT,                              \
         "a task begins to wait for a condition, releasing the lock; text: the lock")              \
    KIND(15, WAIT_END, "wait-end", SYNC, NONE, F_OBJECT | F_TEXT,                                  \
         "the wait is over and the lock held again; text: the lock")                               \
    KIND(16, SIGNAL, "signal", SYNC, NONE, F_OBJECT, "one waiter of a condition is woken")         \
    KIND(17, BROADCAST, "broadcast", SYNC, NONE, F_OBJECT, "all waiters of a condition are woken") \
    KIND(18, BARRIER_ENTER, "barrier-enter", SYNC, NONE, F_OBJECT, "a task arrives at a barrier")  \
    KIND(19, BARRIER_EXIT, "barrier-exit", SYNC, NONE, F_OBJECT, "a task leaves a barrier")        \
    KIND(20, SEM_POST, "sem-post", SYNC, NONE, F_OBJECT, "a semaphore is raised")                  \
    KIND(21, SEM_WAIT, "sem-wait", SYNC, SEMAPHORE, F_OBJECT, "a semaphore has been lowered")      \
    KIND(22, ONCE, "once", SYNC, NONE, F_OBJECT,                                                   \
         "a one-time initialization is known to be complete")                                      \
    KIND(23, ATOMIC_LOAD, "atomic-load", ATOMIC, MEMORY,                                           \
         F_OBJECT | F_SIZE | F_VALUE | F_COUNT | F_TEXT,                                           \
         "an atomic load; count: how often the same value was read again")                         \
    KIND(24, ATOMIC_STORE, "atomic-store", ATOMIC, MEMORY, F_OBJECT | F_SIZE | F_VALUE | F_TEXT,   \
         "an atomic store")                                                                        \
    KIND(25, ATOMIC_RMW, "atomic-rmw", ATOMIC, MEMORY, F_OBJECT | F_SIZE | F_VALUE | F_TEXT,       \
         "an atomic read-modify-write; value: the stored one")                                     \
    KIND(26, READ, "read", ACCESS, ACCESS, F_OBJECT | F_SIZE | F_VALUE | F_COUNT | F_TEXT,         \
         "a plain read of memory (text: the functions it is in), or of a resource (text: the "     \
         "version)")                                                                               \
    KIND(27, WRITE, "write", ACCESS, ACCESS, F_OBJECT | F_SIZE | F_VALUE | F_COUNT | F_TEXT,       \
         "a plain write to memory (text: as above), or to a resource (text: the version it asks "  \
         "for)")                                                                                   \
    KIND(28, ALLOC, "alloc", MEMORY, NONE, F_OBJECT | F_SIZE, "memory is allocated")               \
    KIND(29, FREE, "free", MEMORY, NONE, F_OBJECT, "memory is freed")                              \
    KIND(30, CONNECT, "connect", NET, TRANSPORT, F_OBJECT | F_TEXT, "a connection is requested")   \
    KIND(31, ACCEPT, "accept", NET, TRANSPORT, F_OBJECT | F_TEXT, "a connection is accepted")      \
    KIND(32, SEND, "send", NET, TRANSPORT,                                                         \
         F_OBJECT | F_MESSAGE | F_SIZE | F_TEXT | F_COUNT | F_VALUE,                               \
         "a message, or bytes of a stream, are sent; object: the directed channel; text: the "     \
         "socket, or the message in a simulated system's words; value, of a few bytes of a "       \
         "stream: a hash of their content")                                                        \
    KIND(33, RECV, "recv", NET, TRANSPORT,                                                         \
         F_OBJECT | F_MESSAGE | F_SIZE | F_TEXT | F_COUNT | F_VALUE,                               \
         "a message, or bytes of a stream, have been received; value: as above, if no more was "   \
         "asked for")                                                                              \
    KIND(34, CLOSE, "close", NET, TRANSPORT, F_OBJECT | F_TEXT, "a connection is closed")          \
    KIND(35, SHUTDOWN, "shutdown", NET, TRANSPORT, F_OBJECT | F_TEXT,                              \
         "one direction of a connection is closed")                                                \
    KIND(36, HANDLER_BEGIN, "handler-begin", HANDLER, NONE, F_OBJECT | F_MESSAGE | F_COUNT,        \
         "the handler of the message just received begins")                                        \
    KIND(37, HANDLER_END, "handler-end", HANDLER, NONE, F_OBJECT | F_MESSAGE | F_COUNT,            \
         "a handler ends")                                                                         \
    KIND(38, TIMER_SET, "timer-set", TIMER, NONE, F_OBJECT | F_VALUE,                              \
         "a timer is set; value: its delay in ticks")                                              \
    KIND(39, TIMER_FIRE, "timer-fire", TIMER, NONE, F_OBJECT, "a timer fires")                     \
    KIND(40, TIMER_CANCEL, "timer-cancel", TIMER, NONE, F_OBJECT, "a timer is cancelled")          \
    KIND(41, FILE_OPEN, "file-open", FILE, NONE, F_OBJECT | F_VALUE, "a file is opened")           \
    KIND(42, FILE_READ, "file-read", FILE, NONE, F_OBJECT | F_SIZE | F_VALUE,                      \
         "bytes are read from a file; value: the offset")                                          \
    KIND(43, FILE_WRITE, "file-write", FILE, NONE, F_OBJECT | F_SIZE | F_VALUE,                    \
         "bytes are written to a file; value: the offset")                                         \
    KIND(44, FILE_SYNC, "file-fsync", FILE, NONE, F_OBJECT,                                        \
         "a file's writes have reached the disk")                                                  \
    KIND(45, FILE_RENAME, "file-rename", FILE, NONE, F_OBJECT | F_TEXT,                            \
         "a file is renamed; text: the new name")                                                  \
    KIND(46, FILE_UNLINK, "file-unlink", FILE, NONE, F_OBJECT, "a file's name is removed")         \
    KIND(47, VARIABLE, "variable", REPORT, NONE, F_OBJECT | F_VALUE | F_TEXT | F_COUNT,            \
         "the program reports object = value; count, of this and other reports: its number among " \
         "the reports of the process")                                                             \
    KIND(48, VARIABLE_DELETE, "variable-delete", REPORT, NONE, F_OBJECT | F_COUNT,                 \
         "a reported variable goes out of scope")                                                  \
    KIND(49, LOG, "log", REPORT, NONE, F_TEXT | F_COUNT, "a log line")                             \
    KIND(                                                                                          \
        50, COVERAGE, "coverage", REPORT, NONE, F_OBJECT | F_COUNT | F_VALUE,                      \
        "a place in the source was reached; count: how many places in the code that were, value: " \
        "how often a block was entered since the task's event before")                             \
    KIND(51, CALL, "call", REPORT, NONE, F_OBJECT | F_VALUE | F_TEXT,                              \
         "a call; text: its arguments, value: its result")                                         \
    KIND(52, ATOMIC_BEGIN, "atomic-begin", REGION, NONE, F_OBJECT,                                 \
         "a region meant to be atomic begins")                                                     \
    KIND(53, ATOMIC_END, "atomic-end", REGION, NONE, F_OBJECT, "a region meant to be atomic ends") \
    KIND(54, HAPPENS_BEFORE, "happens-before", ANNOTATION, ANNOTATION, F_OBJECT | F_VALUE,         \
         "earlier events of the task happen before each later happens-after of the object")        \
    KIND(55, HAPPENS_AFTER, "happens-after", ANNOTATION, ANNOTATION, F_OBJECT | F_VALUE,           \
         "later events of the task happen after each earlier happens-before of the object")        \
    KIND(56, FAULT, "fault", CONTROL, FAULT, F_OBJECT | F_MESSAGE | F_VALUE,                       \
         "a fault is injected; object: the operation that fails")                                  \
    KIND(57, CHOICE, "choice", CONTROL, CHOICE, F_OBJECT | F_VALUE | F_COUNT,                      \
         "the world chose; value: the choice, count: the number of alternatives")                  \
    KIND(58, VIOLATION, "violation", CONTROL, NONE, F_OBJECT | F_TEXT,                             \
         "something that must not happen did; object: which property")                             \
    KIND(59, REQUEST, "request", HTTP, VERB, F_OBJECT | F_MESSAGE | F_SIZE | F_TEXT,               \
         "an HTTP request; object: the resource, text: its version")                               \
    KIND(                                                                                          \
        60, RESPONSE, "response", HTTP, VERB, F_OBJECT | F_MESSAGE | F_SIZE | F_TEXT | F_VALUE,    \
        "an HTTP response; value: its status, text: \"conflict\" when a version check refused it") \
    KIND(61, READY, "ready", THREAD, NONE, F_VALUE | F_TEXT | F_SIZE,                              \
         "a wait for descriptors is over; value: how many are ready, text: the call, size: how "   \
         "many were waited for, if the call says so")                                              \
    KIND(62, INTERRUPT, "interrupt", THREAD, NONE, F_VALUE,                                        \
         "a signal is delivered to a task; value: its number")                                     \
    KIND(63, INTERRUPT_END, "interrupt-end", THREAD, NONE, F_VALUE,                                \
         "the handler of a signal has ended; value: its number")                                   \
    KIND(64, SEM_INIT, "sem-init", SYNC, NONE, F_OBJECT | F_VALUE,                                 \
         "a semaphore is made; value: its initial count")                                          \
    KIND(65, ONCE_BEGIN, "once-begin", SYNC, NONE, F_OBJECT,                                       \
         "the initializer of a one-time initialization begins; its task's next once of the "       \
         "object ends it")                                                                         \
    KIND(66, OPERATION, "operation", REGION, NONE, F_COUNT,                                        \
         "the task begins another operation, or goes on with an earlier one; count: the "          \
         "operation's number in its task, from 1; none: a new one")                                \
    KIND(67, SCOPE, "scope", REGION, NONE, F_COUNT | F_SIZE | F_VALUE,                             \
         "the task is in other calls or rounds of loops; count: how many of the outermost go on, " \
         "size: how many there are, value: a bit for each that is a round")                        \
    KIND(68, LOST, "lost", REGION, NONE, F_OBJECT | F_SIZE | F_TEXT,                               \
         "the task has accessed the memory before the access at this place, without a record of "  \
         "it: it was the task's alone then, or the task may have repeated the access")

#define KIND_LIMIT 69 /* one more than the largest number */

enum event_kind {
#define KIND(number, id, name, class, modes, fields, meaning) EVENT_##id = (number),
    KIND_LIST(KIND)
#undef KIND
};

#define CLASS_LIST(CLASS)           \
    CLASS(PROCESS, "process")       \
    CLASS(THREAD, "thread")         \
    CLASS(SYNC, "sync")             \
    CLASS(ATOMIC, "atomic")         \
    CLASS(ACCESS, "access")         \
    CLASS(MEMORY, "memory")         \
    CLASS(NET, "net")               \
    CLASS(HANDLER, "handler")       \
    CLASS(TIMER, "timer")           \
    CLASS(FILE, "file")             \
    CLASS(REPORT, "report")         \
    CLASS(REGION, "region")         \
    CLASS(ANNOTATION, "annotation") \
    CLASS(CONTROL, "control")       \
    CLASS(HTTP, "http")

enum event_class {
#define CLASS(id, name) CLASS_##id,
    CLASS_LIST(CLASS)
#undef CLASS
        CLASS_COUNT
};

/* The fields a kind may give meaning to, besides node, task, location, time and hybrid logical
 * clock. */
enum event_field {
    F_OBJECT = 1 << 0,
    F_MESSAGE = 1 << 1,
    F_PEER = 1 << 2,
    F_TEXT = 1 << 3,
    F_VALUE = 1 << 4,
    F_SIZE = 1 << 5,
    F_COUNT = 1 << 6,
};

/* The meanings of an event's `mode`, by kind. 0 always means "not known": readers then assume a
 * mutex for locks and sequential consistency for atomics. A lock taken by a call that gives up
 * instead of blocking for ever (trylock, a time limit, F_SETLK, LOCK_NB) has the flag LOCK_TRY in
 * its mode, and LOCK_IGNORED too if the program does not use the result of that call: it goes on
 * without the lock as well. */
enum { LOCK_TRY = 16, LOCK_IGNORED = 32 };
#define LOCK_MODE_LIST(MODE)                                              \
    MODE(LOCK, 1, MUTEX, "mutex")                                         \
    MODE(LOCK, 2, RW_READ, "read")                                        \
    MODE(LOCK, 3, RW_WRITE, "write")                                      \
    MODE(LOCK, 4, FCNTL_READ, "fcntl-read")                               \
    MODE(LOCK, 5, FCNTL_WRITE, "fcntl-write")                             \
    MODE(LOCK, 6, FLOCK_READ, "flock-read")                               \
    MODE(LOCK, 7, FLOCK_WRITE, "flock-write")                             \
    MODE(LOCK, 8, PSHARED_MUTEX, "process-shared-mutex")                  \
    MODE(LOCK, 9, PSHARED_READ, "process-shared-read")                    \
    MODE(LOCK, 10, PSHARED_WRITE, "process-shared-write")                 \
    MODE(LOCK, 17, TRY_MUTEX, "try-mutex")                                \
    MODE(LOCK, 18, TRY_RW_READ, "try-read")                               \
    MODE(LOCK, 19, TRY_RW_WRITE, "try-write")                             \
    MODE(LOCK, 20, TRY_FCNTL_READ, "try-fcntl-read")                      \
    MODE(LOCK, 21, TRY_FCNTL_WRITE, "try-fcntl-write")                    \
    MODE(LOCK, 22, TRY_FLOCK_READ, "try-flock-read")                      \
    MODE(LOCK, 23, TRY_FLOCK_WRITE, "try-flock-write")                    \
    MODE(LOCK, 24, TRY_PSHARED_MUTEX, "try-process-shared-mutex")         \
    MODE(LOCK, 25, TRY_PSHARED_READ, "try-process-shared-read")           \
    MODE(LOCK, 26, TRY_PSHARED_WRITE, "try-process-shared-write")         \
    MODE(LOCK, 49, IGNORED_MUTEX, "ignored-mutex")                        \
    MODE(LOCK, 50, IGNORED_RW_READ, "ignored-read")                       \
    MODE(LOCK, 51, IGNORED_RW_WRITE, "ignored-write")                     \
    MODE(LOCK, 52, IGNORED_FCNTL_READ, "ignored-fcntl-read")              \
    MODE(LOCK, 53, IGNORED_FCNTL_WRITE, "ignored-fcntl-write")            \
    MODE(LOCK, 54, IGNORED_FLOCK_READ, "ignored-flock-read")              \
    MODE(LOCK, 55, IGNORED_FLOCK_WRITE, "ignored-flock-write")            \
    MODE(LOCK, 56, IGNORED_PSHARED_MUTEX, "ignored-process-shared-mutex") \
    MODE(LOCK, 57, IGNORED_PSHARED_READ, "ignored-process-shared-read")   \
    MODE(LOCK, 58, IGNORED_PSHARED_WRITE, "ignored-process-shared-write")
/* A read-modify-write whose result the program does not use has its operation in its mode, beside
 * the memory order: a blind update. `set` is an exchange. Two plain accesses can be one as well
 * (`sum += i`): a read whose value goes into the next write to the variable and nowhere else, and
 * that write, have the operation as their mode. */
enum memory_update {
    UPDATE_NONE = 0,
    UPDATE_ADD = 8, /* or subtract */
    UPDATE_OR = 16,
    UPDATE_AND = 24,
    UPDATE_XOR = 32,
    UPDATE_SET = 40,
};
enum { MEMORY_ORDER_MASK = 7, MEMORY_UPDATE_MASK = 56 };
/* In the place of an operation: the program uses the result of an update, but no jump depends on
 * it: it is returned, stored or passed on. */
enum { MEMORY_KEPT = 48 };
#define MEMORY_UPDATE_LIST(MODE, first, ID, name)          \
    MODE(MEMORY, first + 1, ID##_RELAXED, name "-relaxed") \
    MODE(MEMORY, first + 2, ID##_CONSUME, name "-consume") \
    MODE(MEMORY, first + 3, ID##_ACQUIRE, name "-acquire") \
    MODE(MEMORY, first + 4, ID##_RELEASE, name "-release") \
    MODE(MEMORY, first + 5, ID##_ACQ_REL, name "-acq-rel") \
    MODE(MEMORY, first + 6, ID##_SEQ_CST, name "-seq-cst")
#define MEMORY_MODE_LIST(MODE)               \
    MODE(MEMORY, 1, RELAXED, "relaxed")      \
    MODE(MEMORY, 2, CONSUME, "consume")      \
    MODE(MEMORY, 3, ACQUIRE, "acquire")      \
    MODE(MEMORY, 4, RELEASE, "release")      \
    MODE(MEMORY, 5, ACQ_REL, "acq-rel")      \
    MODE(MEMORY, 6, SEQ_CST, "seq-cst")      \
    MEMORY_UPDATE_LIST(MODE, 8, ADD, "add")  \
    MEMORY_UPDATE_LIST(MODE, 16, OR, "or")   \
    MEMORY_UPDATE_LIST(MODE, 24, AND, "and") \
    MEMORY_UPDATE_LIST(MODE, 32, XOR, "xor") \
    MEMORY_UPDATE_LIST(MODE, 40, SET, "set") \
    MEMORY_UPDATE_LIST(MODE, 48, KEPT, "kept")
#define TRANSPORT_MODE_LIST(MODE)    \
    MODE(TRANSPORT, 1, UDP, "udp")   \
    MODE(TRANSPORT, 2, TCP, "tcp")   \
    MODE(TRANSPORT, 3, UNIX, "unix") \
    MODE(TRANSPORT, 4, PIPE, "pipe") \
    MODE(TRANSPORT, 5, CHANNEL, "channel")
#define FAULT_MODE_LIST(MODE)                 \
    MODE(FAULT, 1, CRASH, "crash")            \
    MODE(FAULT, 2, RESTART, "restart")        \
    MODE(FAULT, 3, DROP, "drop")              \
    MODE(FAULT, 4, DUPLICATE, "duplicate")    \
    MODE(FAULT, 5, REORDER, "reorder")        \
    MODE(FAULT, 6, PARTITION, "partition")    \
    MODE(FAULT, 7, HEAL, "heal")              \
    MODE(FAULT, 8, SKEW, "skew")              \
    MODE(FAULT, 9, SLOW_DISK, "slow-disk")    \
    MODE(FAULT, 10, DISK_ERROR, "disk-error") \
    MODE(FAULT, 11, SHORT_READ, "short-read") \
    MODE(FAULT, 12, RESET, "reset")
#define CHOICE_MODE_LIST(MODE)                  \
    MODE(CHOICE, 1, TASK, "task")               \
    MODE(CHOICE, 2, MESSAGE, "message")         \
    MODE(CHOICE, 3, TIMER, "timer")             \
    MODE(CHOICE, 4, FAULT, "fault")             \
    MODE(CHOICE, 5, RANDOM, "random")           \
    MODE(CHOICE, 6, SHORT_COUNT, "short-count") \
    MODE(CHOICE, 7, READY_ORDER, "ready-order") \
    MODE(CHOICE, 8, LOAD_VALUE, "load-value")
#define VERB_MODE_LIST(MODE)        \
    MODE(VERB, 1, GET, "GET")       \
    MODE(VERB, 2, HEAD, "HEAD")     \
    MODE(VERB, 3, PUT, "PUT")       \
    MODE(VERB, 4, POST, "POST")     \
    MODE(VERB, 5, PATCH, "PATCH")   \
    MODE(VERB, 6, DELETE, "DELETE") \
    MODE(VERB, 7, OPTIONS, "OPTIONS")
/* A conditional write happens only if the resource still has the version that the write asks for.
 * The value of a compared read is compared with that of another read of the variable, and the value
 * of an asserted read decides only whether the program aborts. The others are operations of blind
 * updates. */
#define ACCESS_MODE_LIST(MODE)                  \
    MODE(ACCESS, 1, CONDITIONAL, "conditional") \
    MODE(ACCESS, 2, COMPARED, "compared")       \
    MODE(ACCESS, 3, ASSERTED, "asserted")       \
    MODE(ACCESS, 8, ADD, "add")                 \
    MODE(ACCESS, 16, OR, "or")                  \
    MODE(ACCESS, 24, AND, "and")                \
    MODE(ACCESS, 32, XOR, "xor")
/* An observed order holds in this execution only: another schedule may not keep it. The
 * happens-after of a counter (eventfd) consumes all that earlier happens-befores added. A
 * happens-after of mode any (a signal, a message of a queue, a wait for any child) consumes one of
 * the happens-befores, whose `value` is a hash of the message's content. One of mode look consumes
 * nothing. */
#define ANNOTATION_MODE_LIST(MODE)            \
    MODE(ANNOTATION, 1, OBSERVED, "observed") \
    MODE(ANNOTATION, 2, COUNTER, "counter")   \
    MODE(ANNOTATION, 3, ANY, "any")           \
    MODE(ANNOTATION, 4, LOOK, "look")

/* A call that blocks for as long as the semaphore is 0; not said: it may give up. Ignored: it may,
 * and the program does not use its result. */
#define SEMAPHORE_MODE_LIST(MODE)            \
    MODE(SEMAPHORE, 1, BLOCKING, "blocking") \
    MODE(SEMAPHORE, 2, IGNORED, "ignored")

#define MODE_LIST(MODE)       \
    LOCK_MODE_LIST(MODE)      \
    SEMAPHORE_MODE_LIST(MODE) \
    MEMORY_MODE_LIST(MODE)    \
    TRANSPORT_MODE_LIST(MODE) \
    FAULT_MODE_LIST(MODE)     \
    CHOICE_MODE_LIST(MODE)    \
    VERB_MODE_LIST(MODE)      \
    ACCESS_MODE_LIST(MODE)    \
    ANNOTATION_MODE_LIST(MODE)

enum mode_set {
    MODES_NONE,
    MODES_LOCK,
    MODES_SEMAPHORE,
    MODES_MEMORY,
    MODES_TRANSPORT,
    MODES_FAULT,
    MODES_CHOICE,
    MODES_VERB,
    MODES_ACCESS,
    MODES_ANNOTATION,
};

enum event_mode {
    MODE_UNSAID = 0,
#define MODE(set, number, id, name) set##_##id = (number),
    MODE_LIST(MODE)
#undef MODE
};

#endif
