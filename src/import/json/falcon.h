/* The meaning of Falcon's types and fields: one list for the reader and the writer.
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
 *     id           nothing; two events with the same are counted
 *
 * thread and type are required; an object without them is skipped. Texts may be numbers and numbers
 * may be texts; a timestamp may also be a date and time (RFC 3339), and a type Falcon's number for
 * it. null counts as absent. Fields that are not listed, have no meaning for the type, or hold an
 * invalid value, such as an object, are ignored. Everything skipped or ignored is counted.
 *
 * WAIT means that a wait has ended: Falcon logs one event for all of it. It is read as a wait-end
 * without a wait-begin, whose lock is the condition itself, as in Java. The order engine assumes
 * the lock released since the task's previous event and held again from here on. The writer drops a
 * wait-begin.
 *
 * SPIDER reads only events that have a timestamp, and sorts the events of a thread by it. The
 * writer therefore adds one to each event without a time, so that the order of the list holds, and
 * adds the fields of messages that SPIDER requires (socket, socket_type, ports and size). */
#ifndef CLEW_IMPORT_JSON_FALCON_H
#define CLEW_IMPORT_JSON_FALCON_H

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

/* The fields that have a meaning for a type, besides the common ones. */
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

/* A kind with two spellings is written with the first. The number is Falcon's own for the type, 0
 * where there is none. */
#define FALCON_TYPE_LIST(TYPE)                                 \
    TYPE("R", 6, READ, FALCON_OF_ACCESS)                       \
    TYPE("W", 7, WRITE, FALCON_OF_ACCESS)                      \
    TYPE("RCV", 9, RECV, FALCON_OF_MESSAGE)                    \
    TYPE("SND", 8, SEND, FALCON_OF_MESSAGE)                    \
    TYPE("HANDLERBEGIN", 14, HANDLER_BEGIN, FALCON_OF_HANDLER) \
    TYPE("HANDLEREND", 15, HANDLER_END, FALCON_OF_HANDLER)     \
    TYPE("LOCK", 16, LOCK, FALCON_OF_LOCK)                     \
    TYPE("UNLOCK", 17, UNLOCK, FALCON_OF_LOCK)                 \
    TYPE("LOG", 5, LOG, FALCON_OF_LOG)                         \
    TYPE("CREATE", 1, THREAD_CREATE, FALCON_OF_TASK)           \
    TYPE("START", 2, THREAD_START, FALCON_ALL)                 \
    TYPE("END", 3, THREAD_END, FALCON_ALL)                     \
    TYPE("JOIN", 4, THREAD_JOIN, FALCON_OF_TASK)               \
    TYPE("WAIT", 18, WAIT_END, FALCON_OF_WAIT)                 \
    TYPE("NOTIFY", 19, SIGNAL, FALCON_OF_WAIT)                 \
    TYPE("NOTIFYALL", 20, BROADCAST, FALCON_OF_WAIT)           \
    TYPE("CONNECT", 11, CONNECT, FALCON_OF_CONNECTION)         \
    TYPE("ACCEPT", 12, ACCEPT, FALCON_OF_CONNECTION)           \
    TYPE("CLOSE", 10, CLOSE, FALCON_OF_CONNECTION)             \
    TYPE("SHUTDOWN", 13, SHUTDOWN, FALCON_OF_CONNECTION)       \
    TYPE("READ", 0, READ, FALCON_OF_ACCESS)                    \
    TYPE("WRITE", 0, WRITE, FALCON_OF_ACCESS)                  \
    TYPE("FORK", 0, THREAD_CREATE, FALCON_OF_TASK)

struct falcon_type {
    const char *name;
    size_t name_size;
    unsigned number; /* Falcon's own, 0: none */
    uint32_t fields; /* a bit for each with a meaning */
    uint16_t kind;
};

/* The list as a table, ended by a row without a name. */
extern const struct falcon_type falcon_types[];

enum { FALCON_TICK_NS = 1000000 };

/* The `create` of format_falcon: writes an object per line. */
struct writer *falcon_writer_new(struct out *out, const struct tables *t, struct notes *n);

#endif
