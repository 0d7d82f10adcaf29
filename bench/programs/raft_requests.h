/* The requests of clients and of an operator to a cluster of raft_library.c. With CHANGES clients
 * send commands twice, to two members, and members lose their vote, leave and come back. */
#ifndef RAFT_REQUESTS_H
#define RAFT_REQUESTS_H

#include "raft_library.h"

enum request_type {
    REQUEST_MESSAGE,
    REQUEST_PROPOSE,
    REQUEST_TRANSFER,
    REQUEST_READ,
    REQUEST_CHANGE
};

/* Calls `make` for each, in order. */
void requests_make(int members, void (*make)(int member, enum request_type type, const void *bytes,
                                             size_t size));
/* Who does not lead refuses. `reads` counts the reads of this member. */
void request_serve(struct raft *r, enum request_type type, const void *bytes, size_t size,
                   uint64_t *reads);

#endif
