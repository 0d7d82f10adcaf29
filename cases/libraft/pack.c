/* Configurations and snapshots as bytes. The address of a server follows from its number. */
#include <string.h>

#include "server.h"

_Static_assert(SERVERS_MAX <= sizeof(struct packed_configuration), "a role for each server");

void pack_configuration(struct packed_configuration *packed, const struct raft_configuration *c)
{
    *packed = (struct packed_configuration){0};
    for (unsigned i = 0; i < c->n; i++) {
        packed->roles[c->servers[i].id - 1] = (uint8_t)(c->servers[i].role + 1);
    }
}

void unpack_configuration(struct raft_configuration *c, const struct packed_configuration *packed)
{
    raft_configuration_init(c);
    for (uint32_t i = 0; i < SERVERS_MAX; i++) {
        const char address[4] = {(char)('1' + i)};
        if (packed->roles[i] != 0) {
            (void)raft_configuration_add(c, i + 1, address, packed->roles[i] - 1);
        }
    }
}

void *pack_machine(const struct machine *m)
{
    return memcpy(raft_malloc(sizeof *m), m, sizeof *m);
}

bool configuration_is_alone(const struct packed_configuration *c, raft_id id)
{
    uint32_t voters = 0;
    for (uint32_t i = 0; i < SERVERS_MAX; i++) {
        voters += c->roles[i] == RAFT_VOTER + 1;
    }
    return voters == 1 && c->roles[id - 1] == RAFT_VOTER + 1;
}

/* Encoded, it is a version, the number of servers, and of each the id, the address and the role. */
void decode_configuration(struct packed_configuration *packed, const void *bytes)
{
    enum { COUNT_OFFSET = 1, FIRST_OFFSET = 9, ID_SIZE = 8, SERVER_SIZE = ID_SIZE + 2 + 1 };
    const unsigned char *at = bytes;
    const unsigned count = at[COUNT_OFFSET];
    *packed = (struct packed_configuration){0};
    at += FIRST_OFFSET;
    for (unsigned i = 0; i < count; i++, at += SERVER_SIZE) {
        packed->roles[at[0] - 1] = (uint8_t)(at[SERVER_SIZE - 1] + 1);
    }
}
