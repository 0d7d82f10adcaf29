/* Descriptors that a controlled program made in this run, and what goes through them.
 *
 * An end is what a descriptor, or several by dup, stand for: one of the two of a pipe or of a
 * connection, an event counter, a set of descriptors. What is written at an end comes out at the
 * end whose peer it is:
 *
 *     pipe       writing end --> reading end, whose peer it is
 *     sockets    each is the other's peer
 *     eventfd    its own peer
 *
 * All that was made in a run is closed when memory is put back, so that the next one finds the same
 * numbers free.
 *
 * Which number a new descriptor gets depends on the descriptors that are open. So the numbers are
 * one object: making a descriptor changes it, closing one reads it, because two closes commute. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_FD_TABLE_H
#define CLEW_RUNTIME_CONTROL_MODEL_FD_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/control/model/node_network.h"
#include "runtime/control/sched/run_control.h"

enum { END_NONE = UINT16_MAX, END_BOUNDS = 64, END_DESCRIPTORS_MAX = 1024 };

/* So many messages end behind so many bytes. */
struct bound {
    uint64_t bytes;
    uint32_t count;
    uint32_t size;    /* of a single one, and ... */
    uint64_t content; /* ... a hash of its bytes; 0: not known */
};

/* What went in at an end or came out, in one call. */
struct moved {
    uint64_t amount;  /* as the end counts */
    uint32_t size;    /* bytes */
    uint64_t content; /* a hash of them; 0: not known. Of a receive: it took what it asked for */
};

/* A lock of the open file that an end is (runtime/control/model/description_lock.h). */
struct end_lock {
    bool is_used; /* by the task `task` */
    uint8_t mode; /* in which it is held; 0: it is not */
    uint32_t task;
    uint32_t holder; /* of one that stands for its file: who took it last, plus one; 0: nobody */
    int64_t start, size; /* of the first range that was taken in the file */
};

/* Record locks of a file that a process has, or had (likewise). */
struct end_records {
    bool is_held, is_given_back;
};

struct end {
    enum control_descriptor kind;
    struct object object; /* of what goes out here; the reading end of a pipe has the other's */
    uint16_t descriptors; /* that stand for it, of all processes */
    uint16_t peer;        /* END_NONE: nobody, or somebody outside */
    bool is_inner;        /* whoever it waits for is in a process of this run */
    bool is_reused;       /* its descriptor's number stood for another end before */
    /* What went out here: bytes, and messages, which are whole when their last byte is. */
    uint64_t sent, received, message_count, delivered_count;
    uint64_t given;                  /* of an event counter: what it began with */
    bool is_semaphore;               /* of an event counter that began with 0: a read takes one */
    struct bound bounds[END_BOUNDS]; /* of messages under way, the oldest first */
    uint32_t bound_count;
    uint16_t knocking[16]; /* of one that listens: who asked for a connection, in that order */
    uint16_t knocking_count;
    uint8_t address[110];  /* of a socket that was bound or listens */
    uint16_t address_size; /* 0: none */
    int type;
    struct node_address own_address, remote_address; /* of a socket of a node */
    bool is_log; /* of a file: what a program of a cluster prints (sched/cluster_run.h) */
    uint64_t device, inode;
    uint16_t file; /* the end that stands for its file, plus one; 0: not known */
    struct end_lock file_lock, range_lock;
    struct end_records records[PROCESSES_MAX];  /* of one that stands for its file */
    uint64_t members[END_DESCRIPTORS_MAX / 64]; /* of a set: a bit for each descriptor */
};

void end_start(void);
/* A run begins: nothing was made yet. */
void end_begin(void);
/* A run is over: what it made is closed. */
void end_restore(void);

/* The descriptors were just made: by themselves, or as two that belong together, of a pipe the
 * reading one first. Negative ones are none. */
void end_made(int fd, enum control_descriptor kind, const void *place);
void end_made_pair(const int fds[2], enum control_descriptor kind, const void *place);
/* Both stand for the same; what `to` was before is closed. */
void end_shared(int from, int to, const void *place);
/* The descriptor is closed. */
void end_closed(int fd);
/* As close_range(2), which closes one after the other. */
long end_close_range(unsigned first, unsigned last, unsigned flags);
/* The descriptor is in the set from now on, or is not any more. */
void end_member(int set, int fd, bool is_in);
/* A process is forked: it has them all too. There is no such process after all. */
void end_inherit(const struct process *child);
void end_disinherit(const struct process *child);
/* The calling process has become another program: the kernel has closed some. */
void end_exec(void);
/* The calling process ends: closes all that it has. */
void end_vanish(void);
/* A process that has a descriptor for it; NULL: none has. */
struct process *end_holder(const struct end *e);
/* A child that is not controlled has them all too: whoever is at the other end is not known any
 * more. */
void end_forked(void);

/* One of the calling process's descriptors that stand for it, -1 when there is none. */
int end_descriptor(const struct end *e);

/* The end behind a descriptor; NULL: not made in this run, or too many are. */
struct end *end_of(int fd);
/* The next of all that have descriptors, the first behind NULL; NULL: there are no more. */
struct end *end_next(const struct end *e);
/* A call uses the descriptor; the descriptor is about to be closed. The two are accesses to it as
 * an object: a use races with a close that nothing orders it with. */
void end_use(int fd, const void *place);
void end_closes(int fd, const void *place);
/* The descriptor is registered with epoll, with these data; and a wait returned these events with
 * them. The one is before the other. */
void end_registers(int fd, uint64_t data, const void *place);
struct end_event {
    uint64_t data;
    uint32_t events;
};
void end_returned(int set, struct end_event event, const void *place);

/* Orders that no message shows. What a task did before it sent a message is before whoever sees
 * that the message is there; before it closed a descriptor, before whoever finds the end of what
 * came from there, or that nobody reads; before it set a timer, before whoever hears of it.
 *
 * A wait, or a look, has found the descriptor ready for these events of poll(). */
void end_seen(int fd, int events, const void *place);
/* So much of what waits there was looked at, and stays. */
void end_peeked(int fd, uint64_t amount, const void *place);
/* A read has found that nothing will come any more; a write, that nobody reads. */
void end_finished(int fd, const void *place);
/* A socket says that nothing more will come from it, or that it reads no more. */
void end_shuts(int fd, const void *place);
/* The timer behind the descriptor is set; was heard of. */
void end_sets(int fd, const void *place);
/* The end that stands for the file of this one: the first of the same device and inode that was
 * asked about in this run. */
struct end *end_file(struct end *e, int fd);
/* An event about what an end is, or has: "lock of file#1". */
void end_report(enum event_kind kind, const struct end *e, const char *what, int64_t value,
                const void *place);
/* The name of what a descriptor stands for, whoever made it, or of what comes in there. */
struct object end_object(int fd, bool is_incoming);
/* Takes an act on what the descriptor stands for, or on what comes in there. While it waits for its
 * turn the number may come to stand for something else: then it is taken again. */
bool end_take(int fd, bool is_incoming, const struct act *act);
/* Whether somebody outside of the process is waited for there. */
bool end_is_outer(int fd);

/* Sockets may be told how long to wait: the deadline of one who begins to now, 0 when it has none.
 */
uint64_t end_patience(int fd, bool is_send);

/* One asks for a connection to the address of another of our ends; and the first who did is
 * accepted, as the end behind `fd`; that first one, NULL: it is not known. */
void end_connects(int fd, struct end *listening, const void *place);
struct end *end_accepts(int listening, int fd, const void *place);

/* Bytes went in at an end, and came out: told as messages (control_report). Datagrams, and counts
 * of events, come out whole: the amount is then one for each. */
void end_sent(int fd, const struct moved *moved, const void *place);
/* So much comes out without having been sent: what an eventfd begins with. */
void end_gives(int fd, uint64_t amount, const void *place);
void end_received(int fd, const struct moved *moved, const void *place);
/* Waits until the network has brought what went in there to the other end: it does so by itself,
 * mostly at once. */
void end_settle(int fd);

#endif
