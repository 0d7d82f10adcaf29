#include "runtime/control/model/node_network.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "runtime/control/model/fd_table.h"
#include "runtime/control/model/proc_paths.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"
#include "wire/must.h"

/* 127.77.0.0, in which nodes have their addresses by their number. */
static const uint32_t network = 0x7f4d0000u;
static const uint32_t network_mask = 0xffffff00u;
static const uint32_t network_real = 0x7f010000u; /* 127.1.0.0, for the kernel */
static const uint16_t port_first = 32768;         /* of those that nobody asked for */

union address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un local;
};

/* Whose socket a port is, is clear enough by its number. */
static bool is_same(const union address *a, const union address *b, uint32_t size)
{
    if (a->any.sa_family != b->any.sa_family) {
        return false;
    }
    switch (a->any.sa_family) {
    case AF_INET: return a->in.sin_port == b->in.sin_port && a->in.sin_port != 0;
    case AF_INET6: return a->in6.sin6_port == b->in6.sin6_port && a->in6.sin6_port != 0;
    case AF_UNIX:
        return size > sizeof a->any.sa_family &&
               memcmp(a, b, size < sizeof *a ? size : sizeof *a) == 0;
    default: return false;
    }
}

void end_bound(int fd)
{
    struct end *e = control_is_on ? end_of(fd) : NULL;
    socklen_t size = sizeof e->address;
    socklen_t type_size = sizeof e->type;
    if (e == NULL || e->kind != CONTROL_SOCKET ||
        sys(SYS_getsockname, fd, e->address, &size) != 0 ||
        sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &e->type, &type_size) != 0) {
        return;
    }
    e->address_size = size < sizeof e->address ? (uint16_t)size : (uint16_t)sizeof e->address;
}

/* A connection of one that listens is none that listens itself. */
static struct end *end_at_address(const void *address, uint32_t size, int type)
{
    union address wanted;
    memset(&wanted, 0, sizeof wanted);
    memcpy(&wanted, address, size < sizeof wanted ? size : sizeof wanted);
    struct end *e = NULL;
    while ((e = end_next(e)) != NULL) {
        union address there;
        memset(&there, 0, sizeof there);
        memcpy(&there, e->address, e->address_size);
        if (e->address_size > 0 && e->type == type && is_same(&wanted, &there, size)) {
            return e;
        }
    }
    return NULL;
}

enum { NAME_SERVER_PORT = 53, DISCARD_PORT = 9 };

static int fail(int reason)
{
    errno = reason;
    return -1;
}

bool node_is_here(void)
{
    return control_is_mine() && process_self->node != 0;
}

bool node_has_family(int family)
{
    if (!node_is_here() || family == AF_INET || family == AF_UNIX) {
        return true;
    }
    errno = EAFNOSUPPORT;
    return false;
}

/* The address that the kernel has for the sockets of this run: others on each run, so that ports
 * which have just been given up are not in the way. */
static struct sockaddr_in real_address(uint16_t port)
{
    const uint32_t run = (uint32_t)control->plan.number % 0xfffe + 1;
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons(port),
                                .sin_addr = {.s_addr = htonl(network_real | run)}};
}

static bool is_inet(const void *address, socklen_t size)
{
    const struct sockaddr *a = address;
    return a != NULL && size >= sizeof(struct sockaddr_in) && a->sa_family == AF_INET;
}

static bool is_local_path(const void *address, socklen_t size)
{
    const struct sockaddr_un *a = address;
    return a != NULL && size > sizeof a->sun_family && a->sun_family == AF_UNIX &&
           a->sun_path[0] != '\0';
}

/* The address of a local socket with the path as the kernel has it; 0: it is too long. */
static socklen_t translate_local(const void *address, socklen_t size, enum control_path_use use,
                                 struct sockaddr_un *real)
{
    char path[sizeof real->sun_path + 1] = "";
    static char translated[CONTROL_PATH_MAX]; /* one task runs at a time */
    const struct sockaddr_un *a = address;
    const size_t room = size - sizeof a->sun_family;
    memcpy(path, a->sun_path, room < sizeof path - 1 ? room : sizeof path - 1);
    const char *found = path_translate(path, use, translated);
    if (found == NULL || strlen(found) >= sizeof real->sun_path) {
        return 0;
    }
    memset(real, 0, sizeof *real);
    real->sun_family = AF_UNIX;
    text_copy(real->sun_path, sizeof real->sun_path, found);
    return (socklen_t)sizeof *real;
}

static uint32_t own_address(void)
{
    return network | process_self->node;
}

static bool is_loopback(uint32_t address)
{
    return address >> 24 == IN_LOOPBACKNET && (address & network_mask) != network;
}

/* The node that has the address; 0: none has. */
static uint32_t node_of(uint32_t address)
{
    if (address == INADDR_ANY || is_loopback(address)) {
        return process_self->node;
    }
    const uint32_t node = address & ~network_mask;
    return (address & network_mask) == network && node <= control->node_count ? node : 0;
}

static int type_of(int fd)
{
    int type = 0;
    socklen_t size = sizeof type;
    return sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 ? type : -1;
}

static bool is_reusable(int fd)
{
    int value = 0;
    int value_port = 0;
    socklen_t size = sizeof value;
    (void)sys(SYS_getsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &value, &size);
    size = sizeof value_port;
    (void)sys(SYS_getsockopt, fd, SOL_SOCKET, SO_REUSEPORT, &value_port, &size);
    return value != 0 || value_port != 0;
}

/* Whether another socket of the node has the address for itself. */
static bool is_taken(const struct end *e, const struct node_address *wanted, int type)
{
    struct end *other = NULL;
    while ((other = end_next(other)) != NULL) {
        const struct node_address *a = &other->own_address;
        if (other != e && a->node == wanted->node && a->port == wanted->port &&
            other->type == type &&
            (a->address == wanted->address || a->address == 0 || wanted->address == 0) &&
            (a->is_listening || !a->is_reused || !wanted->is_reused)) {
            return true;
        }
    }
    return false;
}

/* Gives the socket an address: the kernel one of its choice. Port 0 is the next that is free. */
static int give_address(int fd, struct end *e, uint32_t address, uint16_t port)
{
    struct sockaddr_in real = real_address(0);
    socklen_t size = sizeof real;
    struct node_address wanted = {
        .node = process_self->node, .address = address, .port = port, .is_reused = is_reusable(fd)};
    const int type = type_of(fd);
    uint16_t *next = &run_state->node_port[process_self->node];
    while (port == 0 && (wanted.port == 0 || is_taken(e, &wanted, type))) {
        wanted.port = (uint16_t)(port_first + (*next)++ % (UINT16_MAX - port_first));
    }
    if (is_taken(e, &wanted, type)) {
        return fail(EADDRINUSE);
    }
    if (sys(SYS_bind, fd, &real, sizeof real) != 0 || sys(SYS_getsockname, fd, &real, &size) != 0) {
        return -1;
    }
    wanted.real_port = ntohs(real.sin_port);
    e->own_address = wanted;
    e->type = type;
    e->is_inner = e->is_inner || type == SOCK_DGRAM;
    return 0;
}

int node_bind(int fd, const void *address, socklen_t size)
{
    struct end *e = node_is_here() ? end_of(fd) : NULL;
    struct sockaddr_un local;
    if (e != NULL && is_local_path(address, size)) {
        const socklen_t room = translate_local(address, size, CONTROL_PATH_MAKE, &local);
        return room == 0 ? -1 : (int)sys(SYS_bind, fd, &local, room);
    }
    if (e == NULL || e->kind != CONTROL_SOCKET || !is_inet(address, size)) {
        return (int)sys(SYS_bind, fd, address, size);
    }
    const struct sockaddr_in *a = address;
    const uint32_t wanted = ntohl(a->sin_addr.s_addr);
    if (e->own_address.node != 0) {
        return fail(EINVAL);
    }
    if (node_of(wanted) != process_self->node) {
        return fail(EADDRNOTAVAIL);
    }
    return give_address(fd, e, wanted, ntohs(a->sin_port));
}

int node_listen(int fd, int most)
{
    struct end *e = node_is_here() ? end_of(fd) : NULL;
    const bool is_mine = e != NULL && e->own_address.node != 0;
    struct end *other = NULL;
    while (is_mine && (other = end_next(other)) != NULL) {
        const struct node_address *a = &other->own_address;
        if (other != e && a->is_listening && a->node == e->own_address.node &&
            a->port == e->own_address.port && a->address == e->own_address.address &&
            !(a->is_reused && e->own_address.is_reused)) {
            return fail(EADDRINUSE);
        }
    }
    const int result = (int)sys(SYS_listen, fd, most);
    if (result == 0 && is_mine) {
        e->own_address.is_listening = true;
    }
    return result;
}

/* The end that has the address and the port; only one that listens, if it is of a stream. */
static struct end *find(uint32_t address, uint16_t port, int type)
{
    const uint32_t node = node_of(address);
    struct end *e = NULL;
    while (node != 0 && port != 0 && (e = end_next(e)) != NULL) {
        const struct node_address *a = &e->own_address;
        const bool is_open = type != SOCK_STREAM ? !a->is_listening : a->is_listening;
        if (a->node == node && a->port == port && e->type == type && is_open &&
            (a->address == 0 || a->address == address ||
             (address == INADDR_ANY && is_loopback(a->address)))) {
            return e;
        }
    }
    return NULL;
}

struct end *node_listener(int fd, const void *address, socklen_t size, int type)
{
    struct sockaddr_un local;
    if (!node_is_here()) {
        return end_at_address(address, size, type);
    }
    if (is_local_path(address, size)) {
        const socklen_t room = translate_local(address, size, CONTROL_PATH_READ, &local);
        return room == 0 ? NULL : end_at_address(&local, room, type);
    }
    if (!is_inet(address, size) || end_of(fd) == NULL) {
        return end_at_address(address, size, type);
    }
    const struct sockaddr_in *a = address;
    return find(ntohl(a->sin_addr.s_addr), ntohs(a->sin_port), type);
}

static int connect_local(int fd, const void *address, socklen_t size, const struct end *to)
{
    struct sockaddr_un local = {0};
    const socklen_t room = translate_local(address, size, CONTROL_PATH_READ, &local);
    struct stat s;
    if (to == NULL) { /* nothing that is not of this run is connected to */
        return fail(room != 0 && sys(SYS_stat, local.sun_path, &s) == 0 ? ECONNREFUSED : ENOENT);
    }
    return room == 0 ? fail(ENAMETOOLONG) : (int)sys(SYS_connect, fd, &local, room);
}

int node_connect(int fd, const void *address, socklen_t size, const struct end *to)
{
    struct end *e = node_is_here() ? end_of(fd) : NULL;
    const struct sockaddr_in *a = address;
    if (e == NULL || e->kind != CONTROL_SOCKET ||
        (size >= sizeof a->sin_family && a->sin_family == AF_UNSPEC)) {
        return (int)sys(SYS_connect, fd, address, size);
    }
    if (is_local_path(address, size)) {
        return connect_local(fd, address, size, to);
    }
    if (!is_inet(address, size)) {
        return to == NULL ? fail(ECONNREFUSED) : (int)sys(SYS_connect, fd, address, size);
    }
    const uint32_t wanted = ntohl(a->sin_addr.s_addr);
    const bool is_name_server = to == NULL && ntohs(a->sin_port) == NAME_SERVER_PORT;
    if (node_of(wanted) == 0 || is_name_server) { /* names are in a file */
        return fail(ENETUNREACH);
    }
    if (e->own_address.node == 0 &&
        give_address(fd, e, is_loopback(wanted) ? wanted : own_address(), 0) < 0) {
        return -1;
    }
    if (to == NULL && type_of(fd) == SOCK_STREAM && e->remote_address.node == 0) {
        return fail(ECONNREFUSED);
    }
    const struct sockaddr_in real =
        real_address(to == NULL ? DISCARD_PORT : to->own_address.real_port);
    const int result = (int)sys(SYS_connect, fd, &real, sizeof real);
    if (result == 0 || errno == EINPROGRESS) {
        e->remote_address =
            (struct node_address){.node = node_of(wanted),
                                  .address = wanted == INADDR_ANY ? INADDR_LOOPBACK : wanted,
                                  .port = ntohs(a->sin_port)};
    }
    return result;
}

static void put(void *address, socklen_t *size, socklen_t room, const struct node_address *a)
{
    const struct sockaddr_in in = {.sin_family = AF_INET,
                                   .sin_port = htons(a->port),
                                   .sin_addr = {.s_addr = htonl(a->address)}};
    if (address != NULL && size != NULL) {
        memcpy(address, &in, room < sizeof in ? room : sizeof in);
        *size = sizeof in;
    }
}

void node_accepted(int fd, int listening, const struct end *from, void *address, socklen_t *size,
                   socklen_t room)
{
    struct end *e = node_is_here() ? end_of(fd) : NULL;
    const struct end *at = end_of(listening);
    if (e == NULL || at == NULL || from == NULL || at->own_address.node == 0) {
        return;
    }
    e->type = SOCK_STREAM;
    e->own_address = from->remote_address;
    e->own_address.is_reused = true;
    e->remote_address = from->own_address;
    e->remote_address.is_listening = false;
    put(address, size, room, &e->remote_address);
}

int node_name(int fd, bool is_peer, void *address, socklen_t *size)
{
    const struct end *e = node_is_here() ? end_of(fd) : NULL;
    const socklen_t room = size == NULL ? 0 : *size;
    const int result = (int)sys(is_peer ? SYS_getpeername : SYS_getsockname, fd, address, size);
    if (result == 0 && e != NULL && e->kind == CONTROL_SOCKET && size != NULL &&
        is_inet(address, *size)) {
        put(address, size, room, is_peer ? &e->remote_address : &e->own_address);
    }
    return result;
}

bool node_destination(int fd, const void **address, socklen_t *size, struct sockaddr_storage *real)
{
    struct end *e = node_is_here() ? end_of(fd) : NULL;
    if (e == NULL || *address == NULL) {
        return true;
    }
    if (is_local_path(*address, *size)) {
        *size = translate_local(*address, *size, CONTROL_PATH_READ, (struct sockaddr_un *)real);
        *address = real;
        return *size != 0;
    }
    if (!is_inet(*address, *size)) {
        return true;
    }
    const struct sockaddr_in *a = *address;
    const struct end *to = find(ntohl(a->sin_addr.s_addr), ntohs(a->sin_port), SOCK_DGRAM);
    if (e->own_address.node == 0 && give_address(fd, e, own_address(), 0) < 0) {
        return false;
    }
    const struct sockaddr_in in = real_address(to == NULL ? 0 : to->own_address.real_port);
    memcpy(real, &in, sizeof in);
    *address = real;
    *size = sizeof in;
    return to != NULL;
}

void node_source(void *address, socklen_t *size, socklen_t room)
{
    struct end *e = NULL;
    if (!node_is_here() || size == NULL || !is_inet(address, *size)) {
        return;
    }
    const uint16_t port = ntohs(((const struct sockaddr_in *)address)->sin_port);
    while ((e = end_next(e)) != NULL) {
        if (e->own_address.node != 0 && e->own_address.real_port == port && e->type == SOCK_DGRAM) {
            struct node_address known = e->own_address;
            known.address = known.address == 0 ? (network | known.node) : known.address;
            put(address, size, room, &known);
            return;
        }
    }
}
