/* What Falcon's types and fields mean here: one list for the reader and the writer.
 *
 *     thread       "tid@node": the task
 *     type         the kind, as listed below
 *     timestamp    the time, in milliseconds
 *     loc          the location
 *     variable     the object
 *     counter      the count
 *     child        the peer
 *     src, src_port, dst, dst_port: the object, a channel (trace/channel.h)
 *     size         the size
 *     socket_type  the mode: UDP, TCP, UNIX, PIPE or CHANNEL
 *     socket       the text
 *     message      the message; of a LOG the text
 *     data         of a LOG the text
 *     id           nothing, but no two events may have the same
 *
 * thread and type must be there. Ports, message, data and id may be numbers or strings. null is as
 * good as absent. Fields that are not listed, or have no meaning for the type, are skipped and
 * counted.
 *
 * WAIT says that a wait has ended: Falcon logs one event for all of it. It is read as a wait-end
 * without a wait-begin, whose lock is the condition itself, as Java has it: the order engine takes
 * it as released since the task's previous event and held again from here on. Written back, a
 * wait-begin has no event of its own. */
#ifndef CLEW_IMPORT_FALCON_H
#define CLEW_IMPORT_FALCON_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"
#include "wire/kind.h"

#define FALCON_FIELD_LIST(FIELD)      \
    FIELD(THREAD, "thread")           \
    FIELD(TYPE, "type")               \
    FIELD(TIMESTAMP, "timestamp")     \
    FIELD(LOC, "loc")                 \
    FIELD(VARIABLE, "variable")       \
    FIELD(COUNTER, "counter")         \
    FIELD(CHILD, "child")             \
    FIELD(SRC, "src")                 \
    FIELD(SRC_PORT, "src_port")       \
    FIELD(DST, "dst")                 \
    FIELD(DST_PORT, "dst_port")       \
    FIELD(SIZE, "size")               \
    FIELD(SOCKET_TYPE, "socket_type") \
    FIELD(SOCKET, "socket")           \
    FIELD(MESSAGE, "message")         \
    FIELD(DATA, "data")               \
    FIELD(ID, "id")

enum falcon_field {
#define FIELD(id, name) FALCON_##id,
    FALCON_FIELD_LIST(FIELD)
#undef FIELD
        FALCON_FIELD_COUNT,
    FALCON_UNKNOWN = FALCON_FIELD_COUNT
};

#define FALCON_BIT(field) (UINT32_C(1) << (field))

/* Which fields a type gives meaning to, besides those that all have. */
enum falcon_fields {
    FALCON_ALL = FALCON_BIT(FALCON_THREAD) | FALCON_BIT(FALCON_TYPE) |
                 FALCON_BIT(FALCON_TIMESTAMP) | FALCON_BIT(FALCON_LOC) | FALCON_BIT(FALCON_ID),
    FALCON_OF_TASK = FALCON_ALL | FALCON_BIT(FALCON_CHILD),
    FALCON_OF_WAIT = FALCON_ALL | FALCON_BIT(FALCON_VARIABLE),
    FALCON_OF_LOCK = FALCON_OF_WAIT | FALCON_BIT(FALCON_COUNTER),
    FALCON_OF_ACCESS = FALCON_OF_LOCK | FALCON_BIT(FALCON_SIZE),
    FALCON_OF_HANDLER = FALCON_OF_LOCK | FALCON_BIT(FALCON_MESSAGE),
    FALCON_OF_LOG = FALCON_ALL | FALCON_BIT(FALCON_MESSAGE) | FALCON_BIT(FALCON_DATA),
    FALCON_ENDPOINTS = FALCON_BIT(FALCON_SRC) | FALCON_BIT(FALCON_SRC_PORT) |
                       FALCON_BIT(FALCON_DST) | FALCON_BIT(FALCON_DST_PORT),
    FALCON_OF_CONNECTION =
        FALCON_ALL | FALCON_ENDPOINTS | FALCON_BIT(FALCON_SOCKET) | FALCON_BIT(FALCON_SOCKET_TYPE),
    FALCON_OF_MESSAGE = FALCON_OF_CONNECTION | FALCON_BIT(FALCON_SIZE) | FALCON_BIT(FALCON_MESSAGE),
};

/* A kind that has two spellings is written with the first. */
#define FALCON_TYPE_LIST(TYPE)                             \
    TYPE("R", READ, FALCON_OF_ACCESS)                      \
    TYPE("W", WRITE, FALCON_OF_ACCESS)                     \
    TYPE("RCV", RECV, FALCON_OF_MESSAGE)                   \
    TYPE("SND", SEND, FALCON_OF_MESSAGE)                   \
    TYPE("HANDLERBEGIN", HANDLER_BEGIN, FALCON_OF_HANDLER) \
    TYPE("HANDLEREND", HANDLER_END, FALCON_OF_HANDLER)     \
    TYPE("LOCK", LOCK, FALCON_OF_LOCK)                     \
    TYPE("UNLOCK", UNLOCK, FALCON_OF_LOCK)                 \
    TYPE("LOG", LOG, FALCON_OF_LOG)                        \
    TYPE("CREATE", THREAD_CREATE, FALCON_OF_TASK)          \
    TYPE("START", THREAD_START, FALCON_ALL)                \
    TYPE("END", THREAD_END, FALCON_ALL)                    \
    TYPE("JOIN", THREAD_JOIN, FALCON_OF_TASK)              \
    TYPE("WAIT", WAIT_END, FALCON_OF_WAIT)                 \
    TYPE("NOTIFY", SIGNAL, FALCON_OF_WAIT)                 \
    TYPE("NOTIFYALL", BROADCAST, FALCON_OF_WAIT)           \
    TYPE("CONNECT", CONNECT, FALCON_OF_CONNECTION)         \
    TYPE("ACCEPT", ACCEPT, FALCON_OF_CONNECTION)           \
    TYPE("CLOSE", CLOSE, FALCON_OF_CONNECTION)             \
    TYPE("SHUTDOWN", SHUTDOWN, FALCON_OF_CONNECTION)       \
    TYPE("READ", READ, FALCON_OF_ACCESS)                   \
    TYPE("WRITE", WRITE, FALCON_OF_ACCESS)                 \
    TYPE("FORK", THREAD_CREATE, FALCON_OF_TASK)

struct falcon_type {
    const char *name;
    size_t name_size;
    uint32_t fields; /* a bit for each with a meaning */
    uint16_t kind;
};

/* The list as a table, ended by a row without a name. */
extern const struct falcon_type falcon_types[];

enum { FALCON_TICK_NS = 1000000 };

/* The `create` of format_falcon: writes an object per line. */
struct writer *falcon_writer_new(struct out *out, const struct tables *t, struct notes *n);

#endif
