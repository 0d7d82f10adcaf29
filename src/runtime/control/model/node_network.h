/* The addresses of sockets, and those of the nodes of a cluster.
 *
 * A process of a node knows addresses that no machine has: its own is 127.77.0.N, and so are those
 * of the other nodes. The kernel carries the bytes between sockets at ports of its choice, on an
 * address of the loopback network; what the program knows is kept with the end of each socket:
 *
 *     program     bind 0.0.0.0:6379      connect 127.77.0.1:6379      getpeername 127.77.0.1:6379
 *     kernel      bind 127.1.0.9:41023   connect 127.1.0.9:41023      127.1.0.9:41023
 *
 * So nodes may listen at the same port, runs beside each other do not meet, and an address that no
 * node has leads nowhere. Sockets are of IPv4 or local; other families are refused.
 *
 * The functions below make the system call in the translated form; outside of nodes, as it is. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_NODE_NETWORK_H
#define CLEW_RUNTIME_CONTROL_MODEL_NODE_NETWORK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct end;

/* An address as programs know it, and the port that the kernel has for it. */
struct node_address {
    uint32_t node;    /* whose socket it is; 0: the socket has no address */
    uint32_t address; /* in the order of the machine; 0: every address of the node */
    uint16_t port, real_port;
    bool is_reused; /* another socket may have the same address */
    bool is_listening;
};

/* The socket has an address of its own. */
void end_bound(int fd);

/* Whether the calling process belongs to a node. */
bool node_is_here(void);

/* Whether a socket of this family can be had; false: errno says why. */
bool node_has_family(int family);

int node_bind(int fd, const void *address, socklen_t size);
int node_listen(int fd, int most);

/* The end of this run that has the address; NULL: none has. */
struct end *node_listener(int fd, const void *address, socklen_t size, int type);
/* Asks `to` for a connection, or names the destination of datagrams. `to` NULL: refused. */
int node_connect(int fd, const void *address, socklen_t size, const struct end *to);
/* The connection behind fd was accepted from `from`; the kernel's address of it is replaced. */
void node_accepted(int fd, int listening, const struct end *from, void *address, socklen_t *size,
                   socklen_t room);

/* getsockname and getpeername. */
int node_name(int fd, bool is_peer, void *address, socklen_t *size);

/* A datagram's destination: the kernel's, in `real`. False: no node listens there, and the datagram
 * is lost. NULL is no destination. */
bool node_destination(int fd, const void **address, socklen_t *size, struct sockaddr_storage *real);
/* The kernel's address of a datagram's sender becomes the one that programs know. */
void node_source(void *address, socklen_t *size, socklen_t room);

#endif
