/* The disk of a server: term and vote, then a slot for each entry of the log, in order. Term and
 * vote are there when the call returns, as struct raft_io promises. Entries take their time; a
 * truncation queues behind the appends that came before it. */
#include <string.h>

#include "server.h"

struct head {
    raft_term term;
    raft_id vote;
    uint64_t is_bootstrapped;
};

/* Empty while the term is 0. */
struct slot {
    raft_term term;
    uint32_t type;
    uint32_t size;
    unsigned char data[DATA_MAX];
};

_Static_assert(sizeof(struct head) + LOG_MAX * sizeof(struct slot) == STORE_SIZE,
               "the disk holds a head and the slots");

static size_t slot_offset(raft_index index)
{
    return sizeof(struct head) + (size_t)(index - 1) * sizeof(struct slot);
}

static void fill_slot(struct slot *slot, const struct raft_entry *entry)
{
    slot->term = entry->term;
    slot->type = entry->type;
    slot->size = (uint32_t)entry->buf.len;
    if (entry->buf.len > sizeof slot->data) {
        clew_fail("an entry fits into its slot");
    }
    memcpy(slot->data, entry->buf.base, entry->buf.len);
}

int store_set_term(struct raft_io *io, raft_term term)
{
    (void)io;
    const struct head head = {.term = term, .is_bootstrapped = 1};
    clew_disk_save(0, &head, sizeof head);
    return 0;
}

int store_set_vote(struct raft_io *io, raft_id server_id)
{
    (void)io;
    clew_disk_save(offsetof(struct head, vote), &server_id, sizeof server_id);
    return 0;
}

int store_bootstrap(struct raft_io *io, const struct raft_configuration *conf)
{
    struct raft_entry entry = {.term = 1, .type = RAFT_CHANGE};
    struct slot slot = {0};
    struct head head;
    clew_disk_read(0, &head, sizeof head);
    if (head.is_bootstrapped != 0) {
        return RAFT_CANTBOOTSTRAP;
    }
    const int status = raft_configuration_encode(conf, &entry.buf);
    if (status != 0) {
        return status;
    }
    fill_slot(&slot, &entry);
    raft_free(entry.buf.base);
    clew_disk_save(slot_offset(1), &slot, sizeof slot);
    return store_set_term(io, 1);
}

/* How many slots are in use, from the first on; reads them. */
static size_t read_slots(struct slot slots[LOG_MAX])
{
    size_t count = 0;
    clew_disk_read(slot_offset(1), slots, LOG_MAX * sizeof *slots);
    while (count < LOG_MAX && slots[count].term != 0) {
        count++;
    }
    return count;
}

int store_load(struct raft_io *io, raft_term *term, raft_id *voted_for,
               struct raft_snapshot **snapshot, raft_index *start_index,
               struct raft_entry *entries[], size_t *n_entries)
{
    struct server *s = io->impl;
    struct head head;
    struct slot slots[LOG_MAX];
    const size_t count = read_slots(slots);
    clew_disk_read(0, &head, sizeof head);
    *term = head.term;
    *voted_for = head.vote;
    *snapshot = NULL;
    *start_index = 1;
    *n_entries = count;
    *entries = NULL;
    s->stored = count;
    if (count == 0) {
        return 0;
    }
    *entries = raft_calloc(count, sizeof **entries);
    unsigned char *batch = raft_malloc(count * DATA_MAX);
    for (size_t i = 0; i < count; i++) {
        unsigned char *data = batch + i * DATA_MAX;
        memcpy(data, slots[i].data, DATA_MAX);
        (*entries)[i] = (struct raft_entry){.term = slots[i].term,
                                            .type = (unsigned short)slots[i].type,
                                            .buf = {.base = data, .len = slots[i].size},
                                            .batch = batch};
    }
    return 0;
}

static void begin_write(struct server *s, struct raft_io_append *request)
{
    struct store_write *write = clew_alloc(sizeof *write);
    write->request = request;
    *(s->writes_first == NULL ? &s->writes_first : &s->writes_last->next) = write;
    s->writes_last = write;
}

int store_append(struct raft_io *io, struct raft_io_append *req, const struct raft_entry entries[],
                 unsigned n, raft_io_append_cb cb)
{
    struct server *s = io->impl;
    struct slot slots[LOG_MAX] = {0};
    if (n > LOG_MAX - s->stored) {
        return RAFT_NOSPACE;
    }
    for (unsigned i = 0; i < n; i++) {
        fill_slot(&slots[i], &entries[i]);
    }
    req->cb = cb;
    begin_write(s, req);
    (void)clew_disk_write(slot_offset(s->stored + 1), slots, n * sizeof *slots);
    s->stored += n;
    return 0;
}

int store_truncate(struct raft_io *io, raft_index index)
{
    static const struct slot empty[LOG_MAX];
    struct server *s = io->impl;
    if (index > s->stored) {
        return 0;
    }
    begin_write(s, NULL);
    (void)clew_disk_write(slot_offset(index), empty,
                          (size_t)(s->stored - index + 1) * sizeof *empty);
    s->stored = index - 1;
    return 0;
}

void store_written(struct server *s, bool is_failed)
{
    struct store_write *write = s->writes_first;
    struct raft_io_append *request = write->request;
    s->writes_first = write->next;
    clew_free(write);
    if (request != NULL) {
        request->cb(request, is_failed ? RAFT_IOERR : 0);
    }
}
