/* A schedule: choices in the order they are to be made, constraints over named operations, the
 * strategy after the last choice, and the origin. It is only data: worlds run it. A command in it
 * is for the reader and is never executed.
 *
 *     clew-schedule 1
 *     system raft                             or: command ./bank -n 3
 *     build 5f3a9c
 *     world sim
 *     net tcp
 *     with "raft-45,nodes=5"                  the options of the system
 *     faults crash drop
 *     seed 42
 *     without 2 5                             these external events do not occur, from 1
 *     ignore "property: few ticks"            runs go on past violations with these keys
 *     then stop                               or a strategy: then pct
 *     steps 57                                their number; a step without a line is the default
 *     hash 9f1b6c                             of the execution it was made from
 *     require main@n1 write x #1 before main@n2 read x #2
 *     forbid main@n2 read x #2 from main@n1 write x #1
 *     require main@n2 read x #1 from start
 *     content client>n1/put#2 0a00ff          this request has these bytes; - for none
 *     task main/2@n1 lock m #3
 *     message n1>n2/vote#3 fp=9f1b
 *     timer main@n1 timer-fire election #1
 *     fault crash n1                          of messages: fault drop "n1>n2/vote#3"
 *     random main@n1 call rand #1 value=7     likewise short-count, ready-order, load-value
 *     message n1>n2/vote#4 at=17              at this step, from 1; without: right after the last
 *
 * Blank lines and lines that begin with # are ignored. Operands are words (trace/quoted_word.h). */
#ifndef CLEW_TRACE_SCHEDULE_H
#define CLEW_TRACE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/in.h"
#include "base/names.h"
#include "base/out.h"
#include "base/vec.h"

enum { SCHEDULE_VERSION = 1 };

/* An operation has the same name in recording, control and schedules: the occurrence-th (from 1) of
 * this kind on this object by this task. */
struct operation {
    uint32_t node; /* names of the schedule; 0: none */
    uint32_t task;
    uint32_t object;
    uint16_t kind; /* enum event_kind */
    uint32_t occurrence;
};

/* The occurrence-th (from 1) message of this type from source to destination. */
struct message_name {
    uint32_t source;
    uint32_t destination;
    uint32_t type;
    uint32_t occurrence;
    uint64_t fingerprint; /* hash of its content, if has_fingerprint */
    bool has_fingerprint;
};

/* One choice; the kind selects the fields that are valid. */
struct choice {
    uint8_t kind;                /* CHOICE_TASK ... CHOICE_LOAD_VALUE of wire/kind.h */
    uint8_t fault;               /* of a fault: FAULT_CRASH ... */
    uint32_t target;             /* of a fault: the name of its target */
    struct message_name message; /* of a message */
    struct operation
        operation; /* of all others: the operation that happens, or that takes the value */
    int64_t value; /* of random, short count, ready order and load value */
    uint32_t step; /* its step in the run, from 1; 0: the step after the last choice's */
    uint32_t line; /* the line of that in the file; 0: none */
};

enum constraint_kind {
    CONSTRAINT_BEFORE, /* first happens before second */
    CONSTRAINT_FROM,   /* first, a read, takes its value from second, a write */
};

struct constraint {
    enum constraint_kind kind;
    bool is_negated;
    bool is_from_start; /* of FROM: the value is the initial one, and there is no second */
    struct operation first;
    struct operation second;
};

/* The largest size of one request's bytes, two digits each of a word; and of all of them. */
enum { SCHEDULE_CONTENT_MAX = 1 << 19, SCHEDULE_CONTENTS_MAX = 64 << 20 };

/* The bytes that replace those of a request, in hexadecimal digits. */
struct content {
    struct message_name message;
    uint32_t offset; /* into the schedule's content_bytes */
    uint32_t size;   /* at most SCHEDULE_CONTENT_MAX */
};

struct schedule {
    struct names names;
    uint32_t system; /* the name of the system, or ... */
    VEC(uint32_t) command;
    uint32_t build; /* id of the build it was made with */
    uint32_t world;
    uint32_t net;
    uint32_t net_line; /* the line of that in the file; 0: none */
    uint32_t with;
    uint32_t with_line;  /* likewise */
    VEC(uint8_t) faults; /* FAULT_CRASH ... that may happen */
    uint64_t seed;
    VEC(uint32_t) without; /* external events, from 1, in ascending order */
    VEC(uint32_t) ignored; /* names: keys of violations that do not stop a run */
    uint32_t then;         /* strategy after the last choice; 0: stop */
    uint32_t then_line;    /* the line of that in the file; 0: none */
    uint32_t steps;        /* of the run, 0: unknown; a step without a choice takes the default */
    uint64_t hash;         /* of the execution it was made from, 0: unknown */
    VEC(struct constraint) constraints;
    VEC(struct content) contents;
    VEC(uint8_t) content_bytes;
    VEC(struct choice) choices;
};

void schedule_init(struct schedule *s);
void schedule_release(struct schedule *s);

/* Writes the schedule: header, constraints, contents, choices. Parsing gives the same schedule
 * back, and printing that gives the same bytes. */
void schedule_print(const struct schedule *s, struct out *out);

/* Writes one line of it. */
void schedule_print_choice(const struct schedule *s, const struct choice *c, struct out *out);
void schedule_print_constraint(const struct schedule *s, const struct constraint *c,
                               struct out *out);

/* Whether each choice comes after the one before, and none after the last step; fails (-1, e set
 * with the line) on the first that does not. */
MUST_USE int schedule_check_steps(const struct schedule *s, struct err *e);

/* Adds the bytes of a request: copies at most SCHEDULE_CONTENT_MAX, and at most
 * SCHEDULE_CONTENTS_MAX in all. */
void schedule_add_content(struct schedule *s, const struct message_name *message, const void *bytes,
                          size_t size);

/* Reads a schedule into s, which must be fresh from schedule_init. Fails (-1, e set with byte, line
 * and column) on malformed input; s must be released either way. */
MUST_USE int schedule_parse(struct schedule *s, struct in *in, struct err *e);

#endif
