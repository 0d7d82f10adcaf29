/* Finds the SEND of each received datagram. In the order of the merge a datagram is sent before it
 * is received. It is identified by its destination and the hash of its content; one that was cut to
 * fit the receiver's buffer, by its destination alone. Each datagram gets a name of its own, which
 * both events carry. */
#ifndef CLEW_PROC_RECORD_DATAGRAM_H
#define CLEW_PROC_RECORD_DATAGRAM_H

#include <stdint.h>

#include "base/map.h"
#include "base/names.h"
#include "base/vec.h"

/* One that was sent, or is being received. */
struct datagram {
    uint64_t hash, size;
    uint32_t source, destination; /* names of the ends, as the recording task knows them */
    uint32_t message;             /* its name, once sent */
    uint32_t next;                /* under way to the same port, in order; 0: none */
};

struct datagrams {
    VEC(struct datagram) sent; /* [0] is unused */
    struct map first_to;       /* name of a port to the first that is under way to it */
    struct map last_to;
    struct map count_of; /* low half of a hash to how many had it, for their names */
};

/* d->message becomes the name of the datagram. */
void datagrams_send(struct datagrams *g, struct names *n, struct datagram *d);

/* Removes and returns the sent datagram that was received here; NULL if no recorded process sent
 * it. */
const struct datagram *datagrams_receive(struct datagrams *g, struct names *n,
                                         const struct datagram *d);

void datagrams_release(struct datagrams *g);

#endif
