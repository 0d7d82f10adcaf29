/* An operator: changes the configuration and transfers leadership, as the requests of the fuzz file
 * say. A server that does not lead keeps a request until it does, as an operator who has asked the
 * wrong server asks again. A refusal of the library ends the request. */
#include <stdio.h>
#include <string.h>

#include "server.h"

void operator_ask(struct server *s, const struct clew_message *m)
{
    struct wish wish = {0};
    if (m->size != sizeof wish || s->wish_count == WISHES_MAX) {
        return;
    }
    memcpy(&wish, m->bytes, sizeof wish);
    if (wish.operation < OPERATION_COUNT && wish.server >= 1 && wish.server <= SERVERS_MAX) {
        s->wishes[s->wish_count++] = wish;
    }
}

static struct server *owner(void *data)
{
    return data;
}

static void changed(struct raft_change *req, int status)
{
    owner(req->data)->change = NULL;
    clew_log_line(status == 0 ? "changed" : "not changed");
    raft_free(req);
}

static void transferred(struct raft_transfer *req)
{
    owner(req->data)->transfer = NULL;
    clew_log_line("transferred");
    raft_free(req);
}

static int change(struct server *s, const struct wish *wish)
{
    const char address[4] = {(char)('0' + wish->server)};
    struct raft_change *req = raft_calloc(1, sizeof *req);
    req->data = s;
    s->change = req;
    int status = RAFT_INVALID;
    switch ((enum operation)wish->operation) {
    case ADD: status = raft_add(&s->raft, req, wish->server, address, changed); break;
    case ASSIGN: status = raft_assign(&s->raft, req, wish->server, wish->role % 3, changed); break;
    case REMOVE: status = raft_remove(&s->raft, req, wish->server, changed); break;
    case TRANSFER:
    case OPERATION_COUNT: break;
    }
    if (status != 0) {
        s->change = NULL;
        raft_free(req);
    }
    return status;
}

static int transfer(struct server *s, const struct wish *wish)
{
    struct raft_transfer *req = raft_calloc(1, sizeof *req);
    req->data = s;
    s->transfer = req;
    const int status = raft_transfer(&s->raft, req, wish->server, transferred);
    if (status != 0) {
        s->transfer = NULL;
        raft_free(req);
    }
    return status;
}

/* A leader that changes the configuration before it has committed an entry of its term may do so
 * beside a leader of an older term. Repaired, the operator waits until it has. */
static bool is_settled(const struct server *s)
{
    const raft_index index = s->raft.commit_index;
    return net_repairs < 9 ||
           (index > s->raft.log.offset && server_entry(s, index)->term == s->raft.current_term);
}

/* One at a time: the library refuses a second change, and a change during a transfer. */
void operator_act(struct server *s)
{
    if (s->wish_count == 0 || s->raft.state != RAFT_LEADER || s->change != NULL ||
        s->transfer != NULL || !is_settled(s)) {
        return;
    }
    const struct wish wish = s->wishes[0];
    s->wish_count--;
    memmove(s->wishes, s->wishes + 1, s->wish_count * sizeof wish);
    static const char *const names[] = {"add", "assign", "remove", "transfer"};
    static const char *const roles[] = {" stand-by", " voter", " spare"};
    char text[60];
    const int status = wish.operation == TRANSFER ? transfer(s, &wish) : change(s, &wish);
    (void)snprintf(text, sizeof text, "%s %u%s%s", names[wish.operation], wish.server,
                   wish.operation == ASSIGN ? roles[wish.role % 3] : "",
                   status == 0 ? "" : ": refused");
    clew_log_line(text);
}
