#include "runtime/control/model/fd_table.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/control/model/libc_objects.h"
#include "runtime/control/model/timers.h"
#include "runtime/control/sched/shared_segment.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"
#include "wire/must.h"

enum {
    ENDS_MAX = 1024,
    DESCRIPTORS_MAX = END_DESCRIPTORS_MAX,
    KNOCKING_MAX = 16,
    PLACES_MAX = 256,
    INHERITED_MAX = 256
};

/* How many descriptors a task has made at a place. */
struct making {
    uintptr_t place;
    uint32_t owner, count;
};

/* In the segment: what is behind the descriptors of all processes. */
static struct shared {
    uint16_t end_count;
    bool has_copies;
    struct end ends[ENDS_MAX];
} * own;

/* Of each process, in the segment. */
static struct descriptors {
    struct making made[DESCRIPTORS_MAX]; /* of each descriptor: where, and which it is there */
    uint16_t of[DESCRIPTORS_MAX];        /* descriptors to ends, plus one; 0: none */
    uint16_t copied[DESCRIPTORS_MAX]; /* of no end: the descriptor that it is a copy of, plus one */
} * tables;

/* Descriptors from before the first run. */
static bool is_inherited[INHERITED_MAX];

/* Not put back between runs. A forked process goes on counting. */
static struct counts {
    uint32_t count;
    struct making at[PLACES_MAX];
} * makings;

static struct descriptors *mine(void)
{
    return &tables[process_self->number];
}

void end_start(void)
{
    own = segment_take(sizeof *own);
    tables = segment_take(PROCESSES_MAX * sizeof *tables);
    makings = rewind_exempt(sizeof *makings);
    for (int fd = 0; fd < INHERITED_MAX; fd++) {
        is_inherited[fd] = sys(SYS_fcntl, (long)fd, (long)F_GETFD) >= 0;
    }
}

void end_begin(void)
{
    if (own->end_count > 0 || makings->count > 0 || own->has_copies) { /* most runs make none */
        memset(&tables[0], 0, sizeof tables[0]);
    }
    own->has_copies = false;
    own->end_count = 0;
    makings->count = 0;
}

void end_restore(void)
{
    for (int fd = 0; own->end_count > 0 && fd < DESCRIPTORS_MAX; fd++) {
        if (mine()->of[fd] != 0) {
            (void)sys(SYS_close, fd);
        }
    }
}

struct end *end_of(int fd)
{
    return fd < 0 || fd >= DESCRIPTORS_MAX || mine()->of[fd] == 0 ? NULL
                                                                  : &own->ends[mine()->of[fd] - 1];
}

struct end *end_next(const struct end *e)
{
    uint16_t at = e == NULL ? 0 : (uint16_t)(e - own->ends + 1);
    while (at < own->end_count && own->ends[at].descriptors == 0) {
        at++;
    }
    return at < own->end_count ? &own->ends[at] : NULL;
}

static uint16_t number_of(const struct end *e)
{
    return (uint16_t)(e - own->ends);
}

static struct end *peer_of(const struct end *e)
{
    return e == NULL || e->peer == END_NONE ? NULL : &own->ends[e->peer];
}

int end_descriptor(const struct end *e)
{
    int fd = 0;
    while (fd < DESCRIPTORS_MAX && mine()->of[fd] != number_of(e) + 1) {
        fd++;
    }
    return fd < DESCRIPTORS_MAX ? fd : -1;
}

/* A descriptor is known by the place that made it, and not by its number, which another schedule
 * gives to another. */
static void note_making(int fd, const void *place)
{
    const struct making wanted = {.place = (uintptr_t)place, .owner = control_self->number};
    uint32_t at = 0;
    while (at < makings->count &&
           (makings->at[at].place != wanted.place || makings->at[at].owner != wanted.owner)) {
        at++;
    }
    if (at == PLACES_MAX) {
        at = PLACES_MAX - 1; /* the last stands for all that have no room */
    } else if (at == makings->count) {
        makings->at[makings->count++] = wanted;
    }
    makings->at[at].count++;
    mine()->made[fd] = makings->at[at];
}

/* A new end behind the descriptor; NULL when there are too many. */
static struct end *make(int fd, enum control_descriptor kind, const void *place)
{
    if (end_of(fd) != NULL) {
        end_closed(fd);
    }
    if (fd < 0 || fd >= DESCRIPTORS_MAX || own->end_count == ENDS_MAX) {
        control_changed(); /* nobody would close it */
        return NULL;
    }
    const uint32_t owner = control_self->number;
    uint32_t ordinal = 1;
    for (uint16_t i = 0; i < own->end_count; i++) {
        const struct object *o = &own->ends[i].object;
        if (own->ends[i].kind == kind && o->owner == owner && o->ordinal >= ordinal) {
            ordinal = o->ordinal + 1;
        }
    }
    struct end *e = &own->ends[own->end_count++];
    memset(e, 0, sizeof *e);
    e->kind = kind;
    e->object = object_of_kind(kind, ordinal, owner);
    e->descriptors = 1;
    e->peer = END_NONE;
    e->is_reused = mine()->made[fd].count > 0 || mine()->copied[fd] != 0 || fd <= STDERR_FILENO;
    mine()->copied[fd] = 0;
    mine()->of[fd] = own->end_count;
    note_making(fd, place);
    return e;
}

void end_made(int fd, enum control_descriptor kind, const void *place)
{
    if (!control_is_on || fd < 0) {
        return;
    }
    struct end *e = make(fd, kind, place);
    if (e != NULL) {
        e->peer = kind == CONTROL_EVENTFD ? number_of(e) : END_NONE;
        e->is_inner = kind != CONTROL_SOCKET || node_is_here(); /* nodes reach nodes alone */
    }
}

void end_made_pair(const int fds[2], enum control_descriptor kind, const void *place)
{
    if (!control_is_on) {
        return;
    }
    struct end *first = make(fds[0], kind, place);
    struct end *second = make(fds[1], kind, place);
    if (first == NULL || second == NULL) {
        return;
    }
    first->peer = number_of(second);
    first->is_inner = second->is_inner = true;
    if (kind == CONTROL_PIPE) {
        second->object = first->object;
    } else {
        second->peer = number_of(first);
    }
}

static void set_member(struct end *set, int fd, bool is_in)
{
    if (fd >= 0 && fd < DESCRIPTORS_MAX) {
        const uint64_t bit = UINT64_C(1) << fd % 64;
        set->members[fd / 64] = is_in ? set->members[fd / 64] | bit : set->members[fd / 64] & ~bit;
    }
}

void end_member(int set, int fd, bool is_in)
{
    struct end *e = control_is_on ? end_of(set) : NULL;
    if (e != NULL) {
        set_member(e, fd, is_in);
    }
}

/* What is closed is in no set any more. */
static void leave_sets(int fd)
{
    for (uint16_t i = 0; i < own->end_count; i++) {
        if (own->ends[i].kind == CONTROL_EPOLL && end_descriptor(&own->ends[i]) >= 0) {
            set_member(&own->ends[i], fd, false);
        }
    }
}

/* One descriptor less stands for the end. */
static void release(struct end *e)
{
    must(e->descriptors > 0);
    if (--e->descriptors == 0 && timer_behind(e) != NULL) {
        timer_drop(timer_behind(e)); /* nobody hears of it any more */
    }
}

void end_closed(int fd)
{
    struct end *e = end_of(fd);
    leave_sets(fd);
    run_state->io_stamp++;
    if (e != NULL) {
        mine()->of[fd] = 0;
        release(e);
    } else {
        if (fd >= 0 && fd < DESCRIPTORS_MAX) {
            mine()->copied[fd] = 0;
        }
        control_changed();
    }
}

/* Both were there before the run, or are copies of one that was. */
static void note_copy(int from, int to)
{
    if (from >= 0 && from < DESCRIPTORS_MAX && to < DESCRIPTORS_MAX) {
        mine()->copied[to] =
            mine()->copied[from] != 0 ? mine()->copied[from] : (uint16_t)(from + 1);
        own->has_copies = true;
    }
}

void end_shared(int from, int to, const void *place)
{
    if (!control_is_on || from == to || to < 0) {
        return;
    }
    struct end *e = end_of(from);
    if (end_of(to) != NULL) {
        end_closed(to);
    }
    if (e == NULL || to >= DESCRIPTORS_MAX) {
        note_copy(from, to);
        control_changed();
        return;
    }
    e->descriptors++;
    run_state->io_stamp++;
    mine()->of[to] = (uint16_t)(number_of(e) + 1);
    note_making(to, place);
}

void end_inherit(const struct process *child)
{
    tables[child->number] = *mine();
    for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
        if (mine()->of[fd] != 0) {
            own->ends[mine()->of[fd] - 1].descriptors++;
        }
    }
}

void end_disinherit(const struct process *child)
{
    for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
        if (tables[child->number].of[fd] != 0) {
            release(&own->ends[tables[child->number].of[fd] - 1]);
        }
    }
}

void end_exec(void)
{
    for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
        if (mine()->of[fd] != 0 && sys(SYS_fcntl, fd, F_GETFD) < 0) {
            end_shuts(fd, NULL);
            release(end_of(fd));
            mine()->of[fd] = 0;
        }
    }
}

void end_vanish(void)
{
    for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
        if (mine()->of[fd] != 0) {
            end_shuts(fd, NULL);
            release(end_of(fd));
            mine()->of[fd] = 0;
        }
    }
    (void)sys(SYS_close_range, 0L, (long)UINT32_MAX, 0L);
}

struct process *end_holder(const struct end *e)
{
    for (uint32_t i = 0; i < run_state->process_count; i++) {
        struct process *p = &run_state->processes[i];
        for (int fd = 0; p->state == PROCESS_LIVE && fd < DESCRIPTORS_MAX; fd++) {
            if (tables[i].of[fd] == number_of(e) + 1) {
                return p;
            }
        }
    }
    return NULL;
}

void end_forked(void)
{
    for (uint16_t i = 0; i < own->end_count; i++) {
        own->ends[i].is_inner = false;
        own->ends[i].peer = END_NONE;
    }
}

static void print_end(const char *what, const struct end *e, char *name, size_t size)
{
    const char *last = name + size - 1;
    char object[sizeof((struct control_report *)0)->name];
    (void)object_print(&e->object, object, sizeof object);
    *text_append(text_append(name, last, what), last, object) = 0;
}

void end_report(enum event_kind kind, const struct end *e, const char *what, int64_t value,
                const void *place)
{
    char name[sizeof((struct control_report *)0)->name];
    print_end(what, e, name, sizeof name);
    (void)control_report(kind, name, value, place);
}

/* One side of an order of what is done to an end. */
static void report_order(enum event_kind kind, const struct end *e, const char *what,
                         const void *place)
{
    if (control_is_mine() && task_has_peers()) {
        end_report(kind, e, what, 0, place);
    }
}

struct end *end_file(struct end *e, int fd)
{
    struct stat status;
    if (e->file == 0 && sys(SYS_fstat, fd, &status) == 0) {
        e->device = status.st_dev;
        e->inode = status.st_ino;
        e->file = (uint16_t)(number_of(e) + 1);
        for (uint16_t i = 0; i < own->end_count; i++) {
            const struct end *other = &own->ends[i];
            if (other != e && other->file != 0 && other->inode == e->inode &&
                other->device == e->device) {
                e->file = other->file;
            }
        }
    }
    return e->file == 0 ? e : &own->ends[e->file - 1];
}

/* Names */

static struct object object_out(int fd)
{
    const struct end *e = end_of(fd);
    struct object o = {0};
    if (e != NULL) {
        o = e->object;
        o.has_number = e->is_reused;
        return o;
    }
    const bool is_copy = fd >= 0 && fd < DESCRIPTORS_MAX && mine()->copied[fd] != 0;
    const int root = is_copy ? mine()->copied[fd] - 1 : fd;
    if (root < 0 || root >= INHERITED_MAX || !is_inherited[root]) {
        return *state_numbers(); /* of a descriptor that libc has made, or of none */
    }
    o = root <= STDERR_FILENO ? object_of_kind(CONTROL_STDIN + (enum control_descriptor)root, 0, 0)
                              : object_of_kind(CONTROL_DESCRIPTOR, (uint32_t)root, 0);
    o.has_number = is_copy || root > STDERR_FILENO;
    return o;
}

struct object end_object(int fd, bool is_incoming)
{
    const struct end *peer = peer_of(end_of(fd));
    struct object o = object_out(fd);
    if (is_incoming && peer != NULL) {
        const bool has_number = o.has_number;
        o = peer->object;
        o.has_number = has_number;
    }
    return o;
}

/* Of a socket with a peer: the connection, which each close and shutdown changes and each transfer
 * reads. Its number is 0 where there is none. */
static struct object connection_of(int fd)
{
    enum { ORDINAL = 1u << 30 };
    const struct end *e = end_of(fd);
    const struct end *peer = e == NULL || e->kind != CONTROL_SOCKET ? NULL : peer_of(e);
    if (peer == NULL) {
        return (struct object){0};
    }
    const struct object *o = number_of(e) < number_of(peer) ? &e->object : &peer->object;
    return object_of_kind(CONTROL_SOCKET, o->ordinal | ORDINAL, o->owner);
}

/* Nothing is behind the number. Only another task of the process could change that, so that the use
 * is no step of a process with one task: daemons close thousands of such numbers. */
static bool is_closed_number(int fd)
{
    return end_of(fd) == NULL && sys(SYS_fcntl, fd, F_GETFD, 0) < 0;
}

bool end_take(int fd, bool is_incoming, const struct act *act)
{
    bool is_there = true;
    bool is_stale = true;
    while (is_there && is_stale) {
        const struct object o = end_object(fd, is_incoming);
        if (!task_has_others() && is_closed_number(fd)) {
            return true;
        }
        const struct object connection = connection_of(fd);
        struct object said = o;
        struct act of_object = *act;
        of_object.known = &said;
        of_object.writes = act->writes && o.number != state_numbers()->number;
        if (connection.number != 0 && act->is_of_connection) {
            said.number = connection.number;
        } else if (connection.number != 0) {
            of_object.known_second = &connection;
        } else if (o.has_number && act->known_second == NULL) {
            of_object.known_second = state_numbers();
        }
        is_there = sched_take(&of_object);
        const struct object now = end_object(fd, is_incoming);
        is_stale = control_is_mine() && (now.name != o.name || now.number != o.number);
    }
    return is_there;
}

/* Files, devices that always answer, and where the program says what it has to say, are not waited
 * for. */
static bool is_prompt(int fd)
{
    enum { MEMORY_DEVICES = 1 };
    struct stat s;
    return fd == STDOUT_FILENO || fd == STDERR_FILENO || sys(SYS_fstat, fd, &s) != 0 ||
           S_ISREG(s.st_mode) || S_ISDIR(s.st_mode) || S_ISBLK(s.st_mode) ||
           (S_ISCHR(s.st_mode) && major(s.st_rdev) == MEMORY_DEVICES);
}

/* A set may hold sets, though none that holds it. */
static bool has_outer_member(const struct end *set)
{
    for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
        if ((set->members[fd / 64] >> fd % 64 & 1) != 0 && end_is_outer(fd)) {
            return true;
        }
    }
    return false;
}

bool end_is_outer(int fd)
{
    const struct end *e = end_of(fd);
    if (e == NULL) {
        return !is_prompt(fd);
    }
    return !e->is_inner || (e->kind == CONTROL_EPOLL && has_outer_member(e));
}

uint64_t end_patience(int fd, bool is_send)
{
    const struct end *e = end_of(fd);
    struct timeval most = {0};
    socklen_t size = sizeof most;
    if (e == NULL || e->kind != CONTROL_SOCKET ||
        sys(SYS_getsockopt, fd, SOL_SOCKET, is_send ? SO_SNDTIMEO : SO_RCVTIMEO, &most, &size) !=
            0 ||
        (most.tv_sec == 0 && most.tv_usec == 0)) {
        return 0;
    }
    return control_clock + (uint64_t)most.tv_sec * 1000000000u + (uint64_t)most.tv_usec * 1000u;
}

/* Connections */

void end_connects(int fd, struct end *to, const void *place)
{
    struct end *from = end_of(fd);
    if (from == NULL || to->knocking_count == KNOCKING_MAX) {
        return;
    }
    from->is_inner = true;
    to->knocking[to->knocking_count++] = number_of(from);
    report_order(EVENT_HAPPENS_BEFORE, from, "connect:", place);
}

struct end *end_accepts(int listening, int fd, const void *place)
{
    end_made(fd, CONTROL_SOCKET, place);
    struct end *at = end_of(listening);
    struct end *e = end_of(fd);
    if (at == NULL || e == NULL) {
        return NULL;
    }
    if (at->knocking_count == 0) { /* somebody outside, or one of too many */
        control_outside("accept");
        return NULL;
    }
    const uint16_t first = at->knocking[0];
    memmove(at->knocking, at->knocking + 1, (--at->knocking_count) * sizeof *at->knocking);
    e->peer = first;
    e->is_inner = true;
    own->ends[first].peer = number_of(e);
    report_order(EVENT_HAPPENS_AFTER, &own->ends[first], "connect:", place);
    return &own->ends[first];
}

/* Accesses to descriptors */

/* An event about a descriptor that this run has made, and may have closed. */
static void report_access(enum event_kind kind, int fd, const void *place)
{
    if (!control_is_mine() || !task_has_others() || fd < 0 || fd >= DESCRIPTORS_MAX ||
        mine()->made[fd].count == 0) {
        return;
    }
    const struct making *m = &mine()->made[fd];
    control_report_object(kind, "descriptor:",
                          &(struct control_object){.key = CONTROL_KEY_OF_PLACE | m->place,
                                                   .ordinal = m->count,
                                                   .owner = m->owner},
                          place);
}

void end_use(int fd, const void *place)
{
    report_access(EVENT_READ, fd, place);
}

/* Messages */

static struct control_report *report(enum event_kind kind, const struct end *e, uint64_t message,
                                     const void *place)
{
    char name[sizeof((struct control_report *)0)->name];
    print_end("", e, name, sizeof name);
    return control_report(kind, name, (int64_t)message, place);
}

/* The message of the end that is under way and has the byte behind so many; 0: none has. */
static uint64_t message_at(const struct end *e, uint64_t byte)
{
    const bool is_sent_before = e->kind == CONTROL_EVENTFD && byte < e->given;
    uint64_t message = e->delivered_count;
    for (uint32_t i = 0; !is_sent_before && i < e->bound_count; i++) {
        if (byte < e->bounds[i].bytes) {
            return message + 1;
        }
        message += e->bounds[i].count;
    }
    return 0;
}

/* The caller knows that the message was sent, and has not received it. A trace has the other side
 * of this order where the message is sent. */
static void see_message(const struct end *e, uint64_t byte, const void *place)
{
    const uint64_t message = task_has_peers() ? message_at(e, byte) : 0;
    if (message != 0) {
        (void)report(EVENT_HAPPENS_AFTER, e, message, place);
    }
}

void end_gives(int fd, uint64_t amount, const void *place)
{
    struct end *e = end_of(fd);
    e->sent = e->given = amount;
    if (amount > 0) {
        (void)report(EVENT_SEM_INIT, e, amount, place);
    }
}

void end_sent(int fd, const struct moved *moved, const void *place)
{
    struct end *e = end_of(fd);
    if (e == NULL || !e->is_inner || moved->amount == 0) {
        return;
    }
    e->sent += moved->amount;
    struct control_report *told = report(EVENT_SEND, e, ++e->message_count, place);
    if (told != NULL) {
        told->content = moved->content;
        told->size = (uint16_t)moved->size;
    }
    if (e->bound_count == END_BOUNDS) { /* the newest two are told together */
        e->bounds[END_BOUNDS - 1].count++;
        e->bounds[END_BOUNDS - 1].bytes = e->sent;
        e->bounds[END_BOUNDS - 1].content = 0;
        return;
    }
    e->bounds[e->bound_count++] = (struct bound){
        .bytes = e->sent, .count = 1, .size = moved->size, .content = moved->content};
}

/* A message that comes out whole, by itself, in a call that would have taken no more. */
static bool is_alone(const struct end *e, const struct moved *moved)
{
    return e->bound_count > 0 && e->bounds[0].count == 1 && moved->content != 0 &&
           e->bounds[0].content == moved->content && e->bounds[0].size == moved->size &&
           e->bounds[0].bytes == e->received;
}

void end_received(int fd, const struct moved *moved, const void *place)
{
    struct end *e = peer_of(end_of(fd));
    if (e == NULL) {
        return;
    }
    if (e->received < e->given) { /* takes what nobody has sent */
        struct control_report *told = report(EVENT_HAPPENS_AFTER, e, 0, place);
        if (told != NULL) {
            told->mode = ANNOTATION_COUNTER;
        }
    }
    e->received += moved->amount;
    uint64_t delivered = 0; /* bytes of messages that are whole */
    const uint64_t content = is_alone(e, moved) ? moved->content : 0;
    uint32_t whole = 0;
    while (whole < e->bound_count && e->bounds[whole].bytes <= e->received) {
        for (uint32_t i = 0; i < e->bounds[whole].count; i++) {
            struct control_report *told = report(EVENT_RECV, e, ++e->delivered_count, place);
            if (told != NULL) {
                told->content = content;
                told->size = (uint16_t)moved->size;
            }
        }
        delivered = e->bounds[whole].bytes;
        whole++;
    }
    memmove(e->bounds, e->bounds + whole, (e->bound_count - whole) * sizeof *e->bounds);
    e->bound_count -= whole;
    if (moved->amount > 0 && delivered < e->received) { /* the beginning of one */
        see_message(e, e->received - 1, place);
    }
}

void end_peeked(int fd, uint64_t amount, const void *place)
{
    const struct end *e = peer_of(end_of(fd));
    if (e != NULL && amount > 0) {
        see_message(e, e->received + amount - 1, place);
    }
}

/* Ends */

/* The end that writes to this one, or reads from it. */
static const struct end *other_of(const struct end *e)
{
    if (e->peer != END_NONE) {
        return &own->ends[e->peer];
    }
    for (uint16_t i = 0; i < own->end_count; i++) {
        if (own->ends[i].peer == number_of(e)) {
            return &own->ends[i];
        }
    }
    return NULL;
}

/* Both ends of a pipe have one name. */
static void report_end(enum event_kind kind, const struct end *e, const void *place)
{
    const bool is_reader = e->kind == CONTROL_PIPE && e->peer != END_NONE;
    report_order(kind, e, is_reader ? "end of reader:" : "end:", place);
}

void end_closes(int fd, const void *place)
{
    report_access(EVENT_WRITE, fd, place);
    end_shuts(fd, place);
}

void end_shuts(int fd, const void *place)
{
    const struct end *e = control_is_on ? end_of(fd) : NULL;
    if (e != NULL && (e->kind == CONTROL_PIPE || e->kind == CONTROL_SOCKET)) {
        report_end(EVENT_HAPPENS_BEFORE, e, place);
    }
}

void end_finished(int fd, const void *place)
{
    const struct end *e = end_of(fd);
    const struct end *other = e == NULL ? NULL : other_of(e);
    if (other != NULL) {
        report_end(EVENT_HAPPENS_AFTER, other, place);
    }
}

void end_sets(int fd, const void *place)
{
    const struct end *e = end_of(fd);
    if (e != NULL) {
        report_order(EVENT_HAPPENS_BEFORE, e, "set:", place);
    }
}

/* Readiness */

/* Whoever asks for a connection is before whoever sees that one is there. */
static void see_knocking(const struct end *e, const void *place)
{
    if (e->knocking_count > 0) {
        report_order(EVENT_HAPPENS_AFTER, &own->ends[e->knocking[0]], "connect:", place);
    }
}

/* Which of its members are ready, is asked. A set may hold sets, though none that holds it. */
static void see_members(const struct end *set, const void *place)
{
    for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
        struct pollfd member = {.fd = fd, .events = POLLIN | POLLOUT};
        if ((set->members[fd / 64] >> fd % 64 & 1) != 0 && sys_poll(&member, 1, 0) > 0) {
            end_seen(fd, member.revents, place);
        }
    }
}

void end_seen(int fd, int events, const void *place)
{
    const struct end *e = control_is_mine() && task_has_peers() ? end_of(fd) : NULL;
    const struct end *from = peer_of(e);
    if (e == NULL || events == 0) {
        return;
    }
    if ((events & POLLIN) != 0 && e->kind == CONTROL_EPOLL) {
        see_members(e, place);
    } else if ((events & POLLIN) != 0 && e->kind == CONTROL_TIMERFD) {
        report_order(EVENT_HAPPENS_AFTER, e, "set:", place);
    } else if ((events & POLLIN) != 0 && from == NULL) {
        see_knocking(e, place);
    } else if ((events & POLLIN) != 0 && message_at(from, from->received) != 0) {
        see_message(from, from->received, place);
    } else if ((events & POLLIN) != 0 && e->kind != CONTROL_EVENTFD) {
        end_finished(fd, place);
    }
    if ((events & (POLLHUP | POLLERR | POLLRDHUP)) != 0) {
        end_finished(fd, place);
    }
}

static uint64_t registered[END_DESCRIPTORS_MAX]; /* data, by descriptor */

void end_registers(int fd, uint64_t data, const void *place)
{
    if (fd >= 0 && fd < END_DESCRIPTORS_MAX) {
        registered[fd] = data;
        report_access(EVENT_HAPPENS_BEFORE, fd, place);
    }
}

void end_returned(int set, struct end_event event, const void *place)
{
    const struct end *e = end_of(set);
    for (int fd = 0; e != NULL && fd < END_DESCRIPTORS_MAX; fd++) {
        if ((e->members[fd / 64] >> fd % 64 & 1) != 0 && registered[fd] == event.data) {
            report_access(EVENT_HAPPENS_AFTER, fd, place);
            end_seen(fd, (int)event.events, place);
        }
    }
}

void end_settle(int fd)
{
    enum { TRIES_MAX = 10000 };
    const struct end *e = end_of(fd);
    const struct end *peer = peer_of(e);
    if (peer == NULL || e->kind != CONTROL_SOCKET) {
        return;
    }
    const int there = end_descriptor(peer);
    const int asked = there >= 0 ? there : fd;
    int family = 0;
    int type = 0;
    socklen_t size = sizeof family;
    if (sys(SYS_getsockopt, asked, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0 ||
        sys(SYS_getsockopt, asked, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || family == AF_UNIX ||
        type != SOCK_STREAM) {
        return;
    }
    int arrived = 0;
    for (int tries = 0; there < 0 && tries < TRIES_MAX &&
                        sys(SYS_ioctl, fd, SIOCOUTQ, &arrived) == 0 && arrived > 0;
         tries++) { /* another process has the other end: it is there once it is acknowledged */
        (void)sys(SYS_sched_yield);
    }
    if (there < 0) {
        return;
    }
    for (int tries = 0; tries < TRIES_MAX && sys(SYS_ioctl, there, FIONREAD, &arrived) == 0 &&
                        (uint64_t)arrived < e->sent - e->received;
         tries++) {
        (void)sys(SYS_sched_yield);
    }
}
