#include "runtime/record/hooks/fd_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define ENTRY __attribute__((visibility("default")))
#include "runtime/instrument/runtime_entry.h"
#include "runtime/record/hooks/unix_peer.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/shadow/access.h"
#include "runtime/shared/raw_text.h"
#include "wire/kind.h"

enum { DESCRIPTORS_MAX = 1 << 16, END_SIZE = 160, PATH_TEXT_MAX = 1000, TRANSPORT_FILE = 0 };

/* The first task that uses the descriptor writes the whole entry. If two tasks do so at once, both
 * write the same identity, and one number stays unused. */
static _Atomic struct descriptor descriptors[DESCRIPTORS_MAX];
static const struct descriptor other = {.class = DESCRIPTOR_OTHER};
static _Atomic uint32_t number_last;
static uint16_t fork_count = 1;

/* The task that closed the number last, from 1; IS_MADE while it is open and was seen being made:
 * programs also close numbers by the thousand that mean nothing. */
static _Atomic uint32_t closers[DESCRIPTORS_MAX];
#define IS_MADE (UINT32_C(1) << 31)
static _Atomic int made_last; /* the greatest number that was seen being made */

/* A descriptor as an object that tasks use and one closes: a use reads it, the close writes it.
 * Only its address is used, by the filter of accesses, which records nothing while a single task
 * uses it. */
enum { INSTANCE_SIZE = 8 };
static _Alignas(INSTANCE_SIZE) char instances[DESCRIPTORS_MAX][INSTANCE_SIZE];

/* The forks so far when the number's opening was seen, from 1; 0: it is closed, or was not seen. A
 * child has its parent's descriptors, and its collector knows none of them. */
static _Atomic uint16_t made_in[DESCRIPTORS_MAX];

/* The open file description of each number: the process and the ordinal of its opening. A child
 * has its parent's. */
static _Atomic uint64_t descriptions[DESCRIPTORS_MAX];

_Static_assert(sizeof(struct descriptor) == 8, "read and written in one piece");

static int socket_option(int fd, int option)
{
    int value = 0;
    socklen_t size = sizeof value;
    return syscall(SYS_getsockopt, fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

static struct descriptor socket_descriptor(int fd)
{
    const int domain = socket_option(fd, SO_DOMAIN);
    const int type = socket_option(fd, SO_TYPE);
    if (domain != AF_INET && domain != AF_INET6 && domain != AF_UNIX) {
        return other;
    }
    const bool is_stream = type == SOCK_STREAM;
    return (struct descriptor){
        .class = is_stream ? DESCRIPTOR_STREAM : DESCRIPTOR_DATAGRAM,
        .transport = domain == AF_UNIX ? TRANSPORT_UNIX
                     : is_stream       ? TRANSPORT_TCP
                                       : TRANSPORT_UDP,
    };
}

/* The path in /proc for this descriptor. */
static void proc_path(char path[static 40], const char *folder, int fd)
{
    char *at = text_append(path, path + 39, folder);
    *text_append_number(at, path + 39, (uint64_t)fd) = 0;
}

/* The kernel's name of a descriptor without a file, such as "anon_inode:[eventfd]". */
static bool is_anonymous(int fd, const char *wanted)
{
    char path[40];
    char text[32];
    const size_t size = strlen(wanted);
    proc_path(path, "/proc/self/fd/", fd);
    return syscall(SYS_readlink, path, text, sizeof text) == (long)size &&
           memcmp(text, wanted, size) == 0;
}

/* The number after a word in the descriptor's fdinfo; 0 if the word is not there. */
static uint64_t info_number(int fd, const char *word)
{
    char path[40] = "";
    char text[512];
    proc_path(path, "/proc/self/fdinfo/", fd);
    const int info = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    const long size = info < 0 ? 0 : syscall(SYS_read, info, text, sizeof text - 1);
    if (info >= 0) {
        (void)syscall(SYS_close, info);
    }
    text[size > 0 ? size : 0] = 0;
    const char *at = strstr(text, word);
    uint64_t number = 0;
    for (at = at == NULL ? "" : at + strlen(word);
         *at == ' ' || *at == '\t' || (*at >= '0' && *at <= '9'); at++) {
        number = *at < '0' ? number : number * 10 + (uint64_t)(*at - '0');
    }
    return number;
}

static struct descriptor look_at(int fd)
{
    struct stat status;
    if (syscall(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) < 0) {
        return other;
    }
    if (S_ISSOCK(status.st_mode)) {
        return socket_descriptor(fd);
    }
    if (S_ISFIFO(status.st_mode)) {
        return (struct descriptor){.class = DESCRIPTOR_STREAM, .transport = TRANSPORT_PIPE};
    }
    if (S_ISREG(status.st_mode)) {
        return (struct descriptor){.class = DESCRIPTOR_FILE};
    }
    if (is_anonymous(fd, "anon_inode:[signalfd]")) {
        return (struct descriptor){.class = DESCRIPTOR_SIGNALS};
    }
    if (is_anonymous(fd, "anon_inode:[timerfd]")) {
        return (struct descriptor){.class = DESCRIPTOR_TIMER};
    }
    if (is_anonymous(fd, "anon_inode:[pidfd]")) {
        return (struct descriptor){.class = DESCRIPTOR_PROCESS};
    }
    if (is_anonymous(fd, "anon_inode:[eventfd]")) {
        const bool is_semaphore = info_number(fd, "eventfd-semaphore:") == 1;
        return (struct descriptor){.class = is_semaphore ? DESCRIPTOR_SEMAPHORE : DESCRIPTOR_EVENT};
    }
    return other;
}

struct descriptor descriptor_of(int fd)
{
    if (fd < 0 || fd >= DESCRIPTORS_MAX) {
        return other;
    }
    struct descriptor d = atomic_load_explicit(&descriptors[fd], memory_order_relaxed);
    if (d.class == DESCRIPTOR_UNKNOWN) {
        d = look_at(fd);
        d.number = atomic_fetch_add_explicit(&number_last, 1, memory_order_relaxed) + 1;
        atomic_store_explicit(&descriptors[fd], d, memory_order_relaxed);
    }
    return d;
}

void descriptor_forget(int fd)
{
    if (fd >= 0 && fd < DESCRIPTORS_MAX) {
        atomic_store_explicit(&descriptors[fd], (struct descriptor){0}, memory_order_relaxed);
    }
}

/* The close of a number is before whatever gets the number next. That is so in this execution; in
 * another one the newcomer gets another number. */
static void record_order(enum event_kind kind, int fd, const void *place)
{
    const int saved = errno;
    (void)rt_record((struct rt_event){
        .kind = kind, .mode = ANNOTATION_OBSERVED, .object = &closers[fd], .place = place});
    errno = saved;
}

static bool has_instance(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS_MAX &&
           atomic_load_explicit(&made_in[fd], memory_order_relaxed) == fork_count;
}

void descriptor_use(int fd, const void *place)
{
    if (has_instance(fd) && rt_is_recording()) {
        const int saved = errno;
        clew_rt_read(instances[fd], INSTANCE_SIZE, place);
        errno = saved;
    }
}

void clew_rt_use(int fd, const void *place)
{
    descriptor_use(fd, place);
}

const void *descriptor_instance(int fd)
{
    return has_instance(fd) ? instances[fd] : NULL;
}

void descriptor_closes(int fd, const void *place)
{
    if (has_instance(fd) && rt_is_recording()) {
        const int saved = errno;
        clew_rt_write(instances[fd], INSTANCE_SIZE, place);
        atomic_store_explicit(&made_in[fd], 0, memory_order_relaxed);
        errno = saved;
    }
    if (fd >= 0 && fd < DESCRIPTORS_MAX &&
        (atomic_load_explicit(&closers[fd], memory_order_relaxed) & IS_MADE) != 0) {
        record_order(EVENT_HAPPENS_BEFORE, fd, place);
        atomic_store_explicit(&closers[fd], rt_self.number + 1, memory_order_relaxed);
    }
    if (fd >= 0 && fd < DESCRIPTORS_MAX) {
        atomic_store_explicit(&descriptions[fd], 0, memory_order_relaxed);
    }
    descriptor_forget(fd);
}

/* The number means another descriptor from now on. */
static void record_instance(int fd, const void *place)
{
    const int saved = errno;
    access_clear(instances[fd], INSTANCE_SIZE);
    (void)rt_record((struct rt_event){.kind = EVENT_ALLOC,
                                      .mode = RECORD_OF_DESCRIPTOR,
                                      .has_size = true,
                                      .size = INSTANCE_SIZE,
                                      .object = instances[fd],
                                      .place = place});
    atomic_store_explicit(&made_in[fd], fork_count, memory_order_relaxed);
    errno = saved;
}

static uint64_t describe(int fd)
{
    static _Atomic uint32_t last;
    const uint64_t number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    const uint64_t description = (uint64_t)rt_process_number() << 32 | number;
    atomic_store_explicit(&descriptions[fd], description, memory_order_relaxed);
    return description;
}

/* One whose opening was not seen (mkstemp) is described when it is first asked for. */
uint64_t descriptor_description(int fd)
{
    if (fd < 0 || fd >= DESCRIPTORS_MAX) {
        return 0;
    }
    const uint64_t known = atomic_load_explicit(&descriptions[fd], memory_order_relaxed);
    return known != 0 ? known : describe(fd);
}

void descriptor_shares(int fd, int from)
{
    if (fd >= 0 && fd < DESCRIPTORS_MAX) {
        atomic_store_explicit(&descriptions[fd], descriptor_description(from),
                              memory_order_relaxed);
    }
}

void descriptor_made(int fd, const void *place)
{
    descriptor_forget(fd);
    if (fd >= 0 && fd < DESCRIPTORS_MAX && rt_is_recording()) {
        (void)describe(fd);
    }
    if (fd >= 0 && fd < DESCRIPTORS_MAX && access_is_told() && rt_is_recording()) {
        record_instance(fd, place);
        if (fd > atomic_load_explicit(&made_last, memory_order_relaxed)) {
            atomic_store_explicit(&made_last, fd, memory_order_relaxed);
        }
        const uint32_t closer = atomic_load_explicit(&closers[fd], memory_order_relaxed) & ~IS_MADE;
        atomic_store_explicit(&closers[fd], closer | IS_MADE, memory_order_relaxed);
        if (closer != 0 && closer != rt_self.number + 1) {
            record_order(EVENT_HAPPENS_AFTER, fd, place);
        }
    }
}

void descriptor_forget_range(unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last && i < DESCRIPTORS_MAX; i++) {
        descriptor_forget((int)i);
    }
}

void descriptor_forget_names(void)
{
    fork_count++;
}

void descriptor_bind(int fd)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    if (syscall(SYS_getsockname, fd, &address, &size) == 0 &&
        (address.ss_family == AF_INET || address.ss_family == AF_INET6)) {
        in_port_t port = 0; /* at the same place in both families */
        memcpy(&port, (const char *)&address + offsetof(struct sockaddr_in, sin_port), sizeof port);
        if (port == 0) {
            (void)syscall(SYS_bind, fd, &address, size);
        }
    }
}

static char *print_bytes(char *to, const char *end, const unsigned char *bytes, int count,
                         char between)
{
    const char separator[2] = {between, 0};
    for (int i = 0; i < count; i++) {
        to = text_append(to, end, i == 0 ? "" : separator);
        to = text_append_number(to, end, bytes[i]);
    }
    return to;
}

/* Groups of four hexadecimal digits, none left out: the same address always has the same name. An
 * IPv4-mapped address is printed as IPv4, because its peer may see it so. */
static char *print_ipv6(char *to, const char *end, const struct in6_addr *address)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *b = address->s6_addr;
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        return print_bytes(to, end, b + 12, 4, '.');
    }
    to = text_append(to, end, "[");
    for (int i = 0; i < 16; i++) {
        const char pair[3] = {digits[b[i] >> 4], digits[b[i] & 15], 0};
        to = text_append(to, end, i > 0 && i % 2 == 0 ? ":" : "");
        to = text_append(to, end, pair);
    }
    return text_append(to, end, "]");
}

static uint16_t from_network(uint16_t port)
{
    return (uint16_t)(port >> 8 | port << 8);
}

static uint32_t print_address(char *text, uint32_t size, const struct sockaddr *address,
                              socklen_t address_size)
{
    char *to = text;
    const char *end = text + size;
    if (address_size >= sizeof(struct sockaddr_in) && address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        to = print_bytes(to, end, (const unsigned char *)&in.sin_addr, 4, '.');
        to = text_append(to, end, ":");
        to = text_append_number(to, end, from_network(in.sin_port));
    } else if (address_size >= sizeof(struct sockaddr_in6) && address->sa_family == AF_INET6) {
        struct sockaddr_in6 in;
        memcpy(&in, address, sizeof in);
        to = print_ipv6(to, end, &in.sin6_addr);
        to = text_append(to, end, ":");
        to = text_append_number(to, end, from_network(in.sin6_port));
    } else if (address_size > sizeof(sa_family_t) && address->sa_family == AF_UNIX) {
        /* An abstract name begins with a 0 byte and is shown with an @, as elsewhere. */
        const char *name = (const char *)address + sizeof(sa_family_t);
        const size_t name_size = address_size - sizeof(sa_family_t);
        to = text_append(to, end, name[0] == 0 ? "@" : "");
        for (size_t i = name[0] == 0; i < name_size && name[i] != 0 && to < end; i++) {
            *to++ = name[i];
        }
    }
    return (uint32_t)(to - text);
}

static uint32_t inode_of(int fd)
{
    struct stat status;
    return syscall(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) < 0 ? 0
                                                                       : (uint32_t)status.st_ino;
}

/* "unix-INODE", "pipe-INODE": the collector turns the inodes, which no later run has, into
 * ordinals. */
static uint32_t print_inode(char *text, uint32_t size, const char *what, uint32_t inode)
{
    char *at = text_append(text, text + size, what);
    return (uint32_t)(text_append_number(at, text + size, inode) - text);
}

static uint32_t print_end(int fd, long call, char *text, uint32_t size)
{
    struct sockaddr_storage address;
    socklen_t address_size = sizeof address;
    if (syscall(call, fd, &address, &address_size) < 0) {
        return 0;
    }
    return print_address(text, size, (const struct sockaddr *)&address, address_size);
}

/* The two ends, as "own" 0 "peer". */
static uint32_t print_ends(int fd, struct descriptor d, char *text, uint32_t size)
{
    const uint32_t half = size / 2;
    uint32_t own = 0;
    uint32_t peer = 0;
    char other_end[END_SIZE];
    if (d.transport == TRANSPORT_PIPE) {
        own = print_inode(text, half, "pipe-", inode_of(fd));
        peer = print_inode(other_end, sizeof other_end, "pipe-", inode_of(fd));
    } else if (d.transport == TRANSPORT_UNIX) {
        const uint32_t inode = inode_of(fd);
        own = print_inode(text, half, "unix-", inode);
        peer = print_inode(other_end, sizeof other_end, "unix-", unix_peer(inode));
    } else {
        own = print_end(fd, SYS_getsockname, text, half);
        peer = print_end(fd, SYS_getpeername, other_end, sizeof other_end);
    }
    text[own] = 0;
    memcpy(text + own + 1, other_end, peer);
    return own + 1 + peer;
}

/* A Unix socket without a name is known by its inode. */
static uint32_t print_unix(uint32_t printed, const char *text, uint32_t inode, char *to,
                           uint32_t size)
{
    if (printed > 0 || inode == 0) {
        memcpy(to, text, printed);
        return printed;
    }
    return print_inode(to, size, "unix-", inode);
}

uint32_t descriptor_print_ends(int fd, const struct sockaddr *address, socklen_t address_size,
                               char *text, uint32_t size)
{
    const uint32_t half = size / 2;
    char end[END_SIZE];
    const bool is_unix = descriptor_of(fd).transport == TRANSPORT_UNIX;
    const uint32_t inode = is_unix ? inode_of(fd) : 0;
    uint32_t printed = print_end(fd, SYS_getsockname, end, sizeof end);
    const uint32_t own = print_unix(printed, end, inode, text, half - 1);
    text[own] = 0;
    const bool is_connected = address == NULL || address_size == 0;
    printed = is_connected ? print_end(fd, SYS_getpeername, end, sizeof end)
                           : print_address(end, sizeof end, address, address_size);
    const bool wants_inode = is_unix && printed == 0 && is_connected;
    return own + 1 +
           print_unix(printed, end, wants_inode ? unix_peer(inode) : 0, text + own + 1, half);
}

static void tell_ends(int fd, struct descriptor d, const char *text, uint32_t size)
{
    rt_record_note(RECORD_NAME, d.number, text, size);
    d.named_count = fork_count;
    atomic_store_explicit(&descriptors[fd], d, memory_order_relaxed);
}

/* True if both ends are recorded: this process has used the descriptor. */
static bool is_named(struct descriptor d)
{
    return d.named_count == fork_count;
}

/* Before a Unix connection is accepted, its peer has no inode. Then only the own end is recorded:
 * the collector takes the other one from the peer's record. The next use looks for the peer again.
 */
static bool lacks_peer(int fd, struct descriptor d)
{
    return d.transport == TRANSPORT_UNIX && unix_peer(inode_of(fd)) == 0;
}

static void name_file(int fd, struct descriptor d)
{
    char link[40];
    char text[1 + PATH_TEXT_MAX] = {TRANSPORT_FILE};
    proc_path(link, "/proc/self/fd/", fd);
    const long size = syscall(SYS_readlink, link, text + 1, PATH_TEXT_MAX - 1);
    /* These are no regular files: their names contain numbers of this run. */
    if (strncmp(text + 1, "/proc/", 6) == 0 || strncmp(text + 1, "/sys/", 5) == 0) {
        d.class = DESCRIPTOR_OTHER;
        atomic_store_explicit(&descriptors[fd], d, memory_order_relaxed);
        return;
    }
    tell_ends(fd, d, text, 1 + (uint32_t)(size > 0 ? size : 0));
}

static void name_event(int fd, struct descriptor d)
{
    char text[64] = {TRANSPORT_FILE};
    const char *end = text + sizeof text;
    const uint64_t id = info_number(fd, "eventfd-id:"); /* the same in every process */
    char *at = text_append(text + 1, end, "eventfd-");
    at = text_append_number(at, end, id);
    if (id == 0) {
        at = text_append(at, end, ".");
        at = text_append_number(at, end, rt_process_number());
        at = text_append(at, end, ".");
        at = text_append_number(at, end, d.number);
    }
    tell_ends(fd, d, text, (uint32_t)(at - text));
}

void descriptor_name(int fd)
{
    struct descriptor d = descriptor_of(fd);
    const bool is_event = d.class == DESCRIPTOR_EVENT || d.class == DESCRIPTOR_SEMAPHORE;
    if (is_event && !is_named(d)) {
        name_event(fd, d);
    }
    if (d.class == DESCRIPTOR_FILE && !is_named(d)) {
        name_file(fd, d);
    }
    if (d.class != DESCRIPTOR_STREAM || is_named(d)) {
        return;
    }
    const bool is_half = lacks_peer(fd, d);
    if (is_half && d.is_half_named) {
        return;
    }
    char text[1 + 2 * END_SIZE];
    text[0] = (char)d.transport;
    const uint32_t size = print_ends(fd, d, text + 1, sizeof text - 1);
    tell_ends(fd, d, text, 1 + size);
    if (is_half) {
        d.is_half_named = 1;
        atomic_store_explicit(&descriptors[fd], d, memory_order_relaxed);
    }
}

static void name_as(int fd, uint32_t own, uint32_t peer)
{
    const struct descriptor d = descriptor_of(fd);
    char text[64] = {(char)d.transport};
    const uint32_t size = 1 + print_inode(text + 1, 30, "unix-", own);
    text[size] = 0;
    tell_ends(fd, d, text, size + 1 + print_inode(text + size + 1, 30, "unix-", peer));
}

void descriptor_name_pair(int fd, int peer)
{
    if (descriptor_of(fd).class == DESCRIPTOR_STREAM) {
        name_as(fd, inode_of(fd), inode_of(peer));
        name_as(peer, inode_of(peer), inode_of(fd));
    }
}

/* ---- ends and readiness ---- */

/* Objects, by a pipe's inode, that order a pipe's last close for reading before the EPIPE of its
 * writers. Two pipes in the same slot get more order than necessary. */
enum { READERS_MAX = 1024 };
static char pipe_readers[READERS_MAX];

static const void *readers_of(int fd)
{
    return &pipe_readers[inode_of(fd) % READERS_MAX];
}

static bool is_read_end(int fd)
{
    return (syscall(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

static void record_stream(enum event_kind kind, int fd, const void *place)
{
    descriptor_name(fd);
    const struct descriptor d = descriptor_of(fd);
    (void)rt_record((struct rt_event){.kind = kind,
                                      .mode = d.transport,
                                      .object = (const void *)(uintptr_t)d.number,
                                      .has_size = kind == EVENT_RECV,
                                      .place = place});
}

static void record_readers(enum event_kind kind, int fd, const void *place)
{
    (void)rt_record((struct rt_event){.kind = kind, .object = readers_of(fd), .place = place});
}

/* A descriptor that was never used here (a listener, a parent's connection) has no end to record,
 * unless it is a pipe's. */
void descriptor_ends(int fd, const void *place)
{
    if (!rt_is_recording()) {
        return;
    }
    const int saved = errno;
    const struct descriptor d = descriptor_of(fd);
    const bool is_pipe = d.class == DESCRIPTOR_STREAM && d.transport == TRANSPORT_PIPE;
    if (is_pipe && access_is_told() && is_read_end(fd)) {
        record_readers(EVENT_HAPPENS_BEFORE, fd, place);
    } else if (d.class == DESCRIPTOR_STREAM && (is_named(d) || (is_pipe && access_is_told()))) {
        record_stream(EVENT_CLOSE, fd, place);
    }
    errno = saved;
}

void descriptor_all_end(const void *place)
{
    if (!access_is_told() || !rt_is_recording()) {
        return;
    }
    const int last = atomic_load_explicit(&made_last, memory_order_relaxed);
    for (int fd = 0; fd <= last; fd++) {
        if ((atomic_load_explicit(&closers[fd], memory_order_relaxed) & IS_MADE) != 0 &&
            descriptor_of(fd).transport == TRANSPORT_PIPE) {
            descriptor_ends(fd, place);
        }
    }
}

/* Records that a unit was there: takes it and posts it again. */
static void record_unit(int fd, struct descriptor d, const void *place)
{
    static const uint8_t kinds[] = {EVENT_SEM_WAIT, EVENT_SEM_POST};
    descriptor_name(fd);
    for (int i = 0; i < 2; i++) {
        (void)rt_record((struct rt_event){.kind = kinds[i],
                                          .mode = RECORD_OF_DESCRIPTOR,
                                          .object = (const void *)(uintptr_t)d.number,
                                          .place = place});
    }
}

static void record_ready(int fd, bool is_refused, const void *place)
{
    const struct descriptor d = descriptor_of(fd);
    switch (d.class) {
    case DESCRIPTOR_STREAM:
        if (d.transport == TRANSPORT_PIPE && (is_refused || !is_read_end(fd))) {
            record_readers(EVENT_HAPPENS_AFTER, fd, place);
        } else {
            record_stream(EVENT_RECV, fd, place);
        }
        break;
    case DESCRIPTOR_EVENT:
        descriptor_name(fd);
        (void)rt_record((struct rt_event){.kind = EVENT_HAPPENS_AFTER,
                                          .mode = ANNOTATION_LOOK,
                                          .object = (const void *)(uintptr_t)d.number,
                                          .place = place});
        break;
    case DESCRIPTOR_SEMAPHORE: record_unit(fd, d, place); break;
    case DESCRIPTOR_PROCESS:
        (void)rt_record((struct rt_event){.kind = EVENT_THREAD_JOIN,
                                          .mode = RECORD_OF_CHILD,
                                          .has_value = true,
                                          .value = (int64_t)info_number(fd, "Pid:"),
                                          .place = place});
        break;
    default: break;
    }
}

void descriptor_ready(int fd, bool is_refused, const void *place)
{
    if (fd >= 0 && access_is_told() && rt_is_recording()) {
        const int saved = errno;
        record_ready(fd, is_refused, place);
        errno = saved;
    }
}
