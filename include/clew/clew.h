/* clew.h - annotations for clew: handlers, atomic regions, synchronization that it does not see.
 *
 * Every call does nothing, and costs one comparison, when the program is not running under clew:
 * the functions behind it are weak symbols that only libclew_rt.so defines. No library needs to be
 * linked. C and C++. */
#ifndef CLEW_CLEW_H
#define CLEW_CLEW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define CLEW_NOTHROW noexcept
#else
#define CLEW_NOTHROW
#endif

#define CLEW_WEAK __attribute__((weak, visibility("default")))

void clew_rt_node(const char *name) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_handler_begin(const char *name) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_handler_end(void) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_variable(const char *name, int64_t value) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_variable_delete(const char *name) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_log(const char *text) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_atomic_begin(const char *name) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_atomic_end(const char *name) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_happens_before(const void *object) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_happens_after(const void *object) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_sent(const void *channel, uint64_t message, size_t size) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_received(const void *channel, uint64_t message, size_t size) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_ignore_begin(void) CLEW_NOTHROW CLEW_WEAK;
void clew_rt_ignore_end(void) CLEW_NOTHROW CLEW_WEAK;

/* This process is the node `name` of the system. The last call wins. */
static inline void clew_node(const char *name)
{
    if (clew_rt_node) {
        clew_rt_node(name);
    }
}

/* The handler of the message that this thread received last begins, and ends. Another execution may
 * run handlers of one thread in another order. Call it right after the receive: events of the
 * thread outside of handlers order its handlers. */
static inline void clew_handler_begin(const char *name)
{
    if (clew_rt_handler_begin) {
        clew_rt_handler_begin(name);
    }
}
static inline void clew_handler_end(void)
{
    if (clew_rt_handler_end) {
        clew_rt_handler_end();
    }
}

/* The variable has this value from now on; it is gone. */
static inline void clew_var(const char *name, int64_t value)
{
    if (clew_rt_variable) {
        clew_rt_variable(name, value);
    }
}
static inline void clew_var_delete(const char *name)
{
    if (clew_rt_variable_delete) {
        clew_rt_variable_delete(name);
    }
}

static inline void clew_var_leave_(const char *const *name)
{
    clew_var_delete(*name);
}

/* The variable has this value until the block is left in which this stands, or it gets another:
 *     clew_var_here("turn", turn);
 */
#define CLEW_JOIN_(a, b) a##b
#define CLEW_JOIN(a, b) CLEW_JOIN_(a, b)
#define clew_var_here(name, value)                                           \
    __attribute__((cleanup(clew_var_leave_), unused)) const char *CLEW_JOIN( \
        clew_var_here_, __LINE__) = (clew_var(name, value), name)

/* A line for the trace. */
static inline void clew_log(const char *text)
{
    if (clew_rt_log) {
        clew_rt_log(text);
    }
}

/* The code between the two is meant to be atomic. Regions nest. */
static inline void clew_atomic_begin(const char *name)
{
    if (clew_rt_atomic_begin) {
        clew_rt_atomic_begin(name);
    }
}
static inline void clew_atomic_end(const char *name)
{
    if (clew_rt_atomic_end) {
        clew_rt_atomic_end(name);
    }
}

/* Custom synchronization: the thread's events before clew_happens_before(o) happen before the
 * events after each later clew_happens_after(o). */
static inline void clew_happens_before(const void *object)
{
    if (clew_rt_happens_before) {
        clew_rt_happens_before(object);
    }
}
static inline void clew_happens_after(const void *object)
{
    if (clew_rt_happens_after) {
        clew_rt_happens_after(object);
    }
}

/* A message through something that is not a socket: a queue, a mailbox. `message` tells messages of
 * one channel apart. */
static inline void clew_sent(const void *channel, uint64_t message, size_t size)
{
    if (clew_rt_sent) {
        clew_rt_sent(channel, message, size);
    }
}
static inline void clew_received(const void *channel, uint64_t message, size_t size)
{
    if (clew_rt_received) {
        clew_rt_received(channel, message, size);
    }
}

/* Accesses of this thread in between are known to be harmless and are not recorded. Ranges nest. */
static inline void clew_ignore_begin(void)
{
    if (clew_rt_ignore_begin) {
        clew_rt_ignore_begin();
    }
}
static inline void clew_ignore_end(void)
{
    if (clew_rt_ignore_end) {
        clew_rt_ignore_end();
    }
}

/* The same by macros, so that a report has the line of its caller and not one of this file. */
#define CLEW_CALL_(function, ...) (function ? function(__VA_ARGS__) : (void)0)
#define clew_handler_begin(name) CLEW_CALL_(clew_rt_handler_begin, name)
#define clew_handler_end() (clew_rt_handler_end ? clew_rt_handler_end() : (void)0)
#define clew_var(name, value) CLEW_CALL_(clew_rt_variable, name, value)
#define clew_var_delete(name) CLEW_CALL_(clew_rt_variable_delete, name)
#define clew_log(text) CLEW_CALL_(clew_rt_log, text)
#define clew_atomic_begin(name) CLEW_CALL_(clew_rt_atomic_begin, name)
#define clew_atomic_end(name) CLEW_CALL_(clew_rt_atomic_end, name)
#define clew_happens_before(object) CLEW_CALL_(clew_rt_happens_before, object)
#define clew_happens_after(object) CLEW_CALL_(clew_rt_happens_after, object)
#define clew_sent(channel, message, size) CLEW_CALL_(clew_rt_sent, channel, message, size)
#define clew_received(channel, message, size) CLEW_CALL_(clew_rt_received, channel, message, size)

#undef CLEW_WEAK
#undef CLEW_NOTHROW
#ifdef __cplusplus
}
#endif

#endif
