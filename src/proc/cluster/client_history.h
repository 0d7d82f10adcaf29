/* Histories of clients of a key-value store, and whether they are linearizable.
 *
 * A client writes a line of JSON when it begins an operation and one when it knows how that ended:
 *
 *     {"process": "c1", "type": "invoke", "f": "write", "key": "x", "value": 1}
 *     {"process": "c1", "type": "ok", "f": "write", "key": "x", "value": 1}
 *
 * "type" is invoke, ok, fail (it had no effect) or info (nobody knows); "f" is read, write or cas,
 * whose value is [old, new]. The order of the lines is the order of time. A key that nobody has
 * written reads as null.
 *
 *     struct client_history h;
 *     client_history_init(&h);
 *     if (client_history_read(&h, &in, e) < 0) { ... "line 3: ..." ... }
 *     struct client_history_fault fault;
 *     enum client_history_verdict verdict = client_history_check(&h, HISTORY_BUDGET, &fault);
 *     client_history_release(&h); */
#ifndef CLEW_PROC_CLUSTER_CLIENT_HISTORY_H
#define CLEW_PROC_CLUSTER_CLIENT_HISTORY_H

#include <stdint.h>

#include "base/err.h"
#include "base/in.h"
#include "base/names.h"
#include "base/out.h"
#include "base/vec.h"

enum client_history_action { HISTORY_READ, HISTORY_WRITE, HISTORY_CAS };

/* Names are those of struct client_history; 0 is null. */
struct client_history_operation {
    enum client_history_action action;
    uint32_t process, key;
    uint32_t value;    /* read, or written */
    uint32_t expected; /* of a cas: the old value */
    uint32_t line;     /* of its beginning */
    uint64_t begin;    /* when it began, and ended, as lines count */
    uint64_t end;      /* UINT64_MAX: nobody knows whether it has an effect */
};

struct client_history {
    struct names names;
    VEC(struct client_history_operation) operations; /* in the order of their beginnings */
};

void client_history_init(struct client_history *h);
void client_history_release(struct client_history *h);

/* Reads all of the input. Fails (-1, e set with the line) on what is no such history. */
MUST_USE int client_history_read(struct client_history *h, struct in *in, struct err *e);

/* Why a history is not linearizable. */
struct client_history_fault {
    char key[80];   /* what is wrong and with which key, the same for like faults */
    char what[360]; /* the same with the operations that show it */
};

enum client_history_verdict { HISTORY_GOOD, HISTORY_BAD, HISTORY_UNKNOWN };

/* Configurations that are looked at for a key before the answer is HISTORY_UNKNOWN. */
enum { HISTORY_BUDGET = 1 << 18 };

/* Decides each key by itself (linearizability is local). Exponential in the operations of a key
 * that overlap. */
enum client_history_verdict client_history_check(const struct client_history *h, uint32_t budget,
                                                 struct client_history_fault *fault);

/* Writes it as Jepsen does: one map in EDN a line. */
void client_history_print_edn(const struct client_history *h, struct out *out);

#endif
