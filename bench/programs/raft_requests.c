#include "raft_requests.h"

#include <stdlib.h>
#include <string.h>

#include "raft_store.h"

enum { COMMANDS = 6, SESSIONS = 2 };

typedef void make_request(int member, enum request_type type, const void *bytes, size_t size);

/* Two sessions take turns: each opens, puts and adds. */
static void make_command(uint32_t number, int member, make_request *make)
{
    static const enum store_verb verbs[] = {STORE_OPEN, STORE_PUT, STORE_ADD};
    const struct store_command c = {.verb = verbs[number / SESSIONS],
                                    .session = 1 + number % SESSIONS,
                                    .number = 1 + number / SESSIONS,
                                    .key = number % SESSIONS,
                                    .value = number};
    size_t size = 0;
    char *bytes = store_encode(&c, &size);
    make(member, REQUEST_PROPOSE, bytes, size);
    free(bytes);
}

struct change {
    enum raft_change change;
    int member;
};

#ifdef CHANGES
/* The operator does not know who leads, and asks all. */
static void make_changes(int members, make_request *make)
{
    static const struct change changes[] = {
        {RAFT_DEMOTE, 2}, {RAFT_PROMOTE, 2}, {RAFT_REMOVE, 1}, {RAFT_ADD, 1}, {RAFT_PROMOTE, 1}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        for (int member = 0; member < members; member++) {
            make(member, REQUEST_CHANGE, &changes[i], sizeof changes[i]);
        }
    }
}
#endif

void requests_make(int members, make_request *make)
{
    for (uint32_t i = 0; i < COMMANDS; i++) {
        const int member = (int)i % members;
        make_command(i, member, make);
#ifdef CHANGES
        make_command(i, (member + 1) % members, make);
#endif
        const int target = (member + 1) % members;
        make(member, i % 2 == 0 ? REQUEST_READ : REQUEST_TRANSFER, &target, sizeof target);
    }
#ifdef CHANGES
    make_changes(members, make);
#endif
}

void request_serve(struct raft *r, enum request_type type, const void *bytes, size_t size,
                   uint64_t *reads)
{
    struct change c;
    int target = 0;
    switch (type) {
    case REQUEST_MESSAGE: break; /* of a member */
    case REQUEST_PROPOSE: (void)raft_propose(r, bytes, size); break;
    case REQUEST_TRANSFER:
        memcpy(&target, bytes, sizeof target);
        (void)raft_transfer(r, target);
        break;
    case REQUEST_READ: (void)raft_read(r, ++*reads); break;
    case REQUEST_CHANGE:
        memcpy(&c, bytes, sizeof c);
        (void)raft_change(r, c.change, c.member);
        break;
    }
}
