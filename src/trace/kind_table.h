/* The list of kinds as tables: names, classes, modes and fields. */
#ifndef CLEW_TRACE_KIND_TABLE_H
#define CLEW_TRACE_KIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/event.h"
#include "wire/kind.h"

struct kind {
    const char *name; /* NULL for a number no kind has */
    const char *meaning;
    enum event_class class;
    enum mode_set modes;
    unsigned fields; /* enum event_field */
};

/* The description of a kind number, NULL when this version does not know it. */
const struct kind *kind_of(uint32_t number);

/* The class of an event, whose kind must be known. */
enum event_class event_class(const struct event *e);

/* The number of the kind with this name, 0 when there is none. */
uint16_t kind_find(const char *name, size_t size);

const char *class_name(enum event_class class);

/* The name of a mode in its set, NULL when there is none (0, or from a newer version). */
const char *mode_name(enum mode_set set, uint8_t mode);

/* The mode with this name in a set, 0 when there is none. */
uint8_t mode_find(enum mode_set set, const char *name, size_t size);

/* True for a lock that was taken by a call that cannot block forever. */
bool lock_mode_is_try(uint8_t mode);

/* The mode of holding the lock, for every call that took it: without LOCK_TRY and LOCK_IGNORED. */
uint8_t lock_mode_held(uint8_t mode);

/* The mode of the event if its call may give up and the program ignores its result; MODE_UNSAID:
 * the call does not give up. */
uint8_t event_mode_ignored(const struct event *e);

/* True for an event of such a mode. */
bool event_is_ignored(const struct event *e);

/* True for a lock that others may hold at the same time in the same way. */
bool lock_mode_is_shared(uint8_t mode);

/* True for the locks of several processes: fcntl, flock and process-shared ones. */
bool lock_mode_is_across_processes(uint8_t mode);

/* The memory order of an atomic event's mode, without the operation of a blind update. */
enum event_mode memory_mode_order(uint8_t mode);

/* The operation of a blind update, by its mode. */
enum memory_update update_of(uint8_t mode);

/* True for a read, plain or by an atomic read-modify-write, whose value affects only the value that
 * a blind update stores. */
bool event_is_blind(const struct event *e);

/* True for an atomic read-modify-write whose result the program uses, but decides nothing by. */
bool event_is_kept(const struct event *e);

/* True for a write whose value is computed from the old one: by a blind read-modify-write that is
 * no exchange, or the write of a plain blind update. On one variable those with the same operation
 * and size commute. */
bool event_is_update(const struct event *e);
bool event_updates_commute(const struct event *a, const struct event *b);

#endif
