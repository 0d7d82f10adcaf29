/* The disk of a server: term and vote, the snapshot, then a slot for each entry of the log, in
 * order. Term and vote are there when the call returns, as struct raft_io promises. Everything else
 * takes its time and happens in the order of the calls, one write after the other: a crash finds
 * the first of them on the disk or not, and none behind it. After a write that fails the disk takes
 * no more, as the library's own backend has it. */
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

/* A write that is under way or waits. */
struct store_write {
    struct store_write *next;
    void *request; /* NULL for truncations, of which nobody is told */
    void (*end)(struct server *s, void *request, int status);
    size_t offset;
    size_t size;
    unsigned char bytes[];
};

/* A new snapshot, and the slots of entries that it replaces. */
struct snapshot_write {
    struct packed_snapshot snapshot;
    struct slot slots[LOG_MAX];
};

enum { SNAPSHOT_OFFSET = sizeof(struct head) };

_Static_assert(sizeof(struct head) + sizeof(struct snapshot_write) == STORE_SIZE,
               "the disk holds a head, a snapshot and the slots");

static size_t slot_offset(raft_index index)
{
    return SNAPSHOT_OFFSET + sizeof(struct packed_snapshot) +
           (size_t)(index - 1) * sizeof(struct slot);
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

static struct raft_snapshot *unpack_snapshot(const struct packed_snapshot *packed)
{
    struct raft_snapshot *snapshot = raft_calloc(1, sizeof *snapshot);
    snapshot->index = packed->index;
    snapshot->term = packed->term;
    snapshot->configuration_index = packed->configuration_index;
    unpack_configuration(&snapshot->configuration, &packed->configuration);
    snapshot->n_bufs = 1;
    snapshot->bufs = raft_malloc(sizeof *snapshot->bufs);
    snapshot->bufs[0] =
        (struct raft_buffer){.base = pack_machine(&packed->machine), .len = sizeof packed->machine};
    return snapshot;
}

/* The entries in slots, which follow each other. */
static struct raft_entry *unpack_slots(const struct slot *slots, size_t count)
{
    if (count == 0) {
        return NULL;
    }
    struct raft_entry *entries = raft_calloc(count, sizeof *entries);
    unsigned char *batch = raft_malloc(count * DATA_MAX);
    for (size_t i = 0; i < count; i++) {
        unsigned char *data = batch + i * DATA_MAX;
        memcpy(data, slots[i].data, DATA_MAX);
        entries[i] = (struct raft_entry){.term = slots[i].term,
                                         .type = (unsigned short)slots[i].type,
                                         .buf = {.base = data, .len = slots[i].size},
                                         .batch = batch};
    }
    return entries;
}

/* A server that starts as the only voter leads at once, in the term it was in. Repaired (see
 * libraft.c), it begins a term. */
static void begin_term(struct server *s, struct head *head, const struct snapshot_write *disk,
                       size_t end)
{
    struct packed_configuration last = disk->snapshot.configuration;
    size_t i = end;
    while (i > 0 && disk->slots[i - 1].term != 0 && disk->slots[i - 1].type != RAFT_CHANGE) {
        i--;
    }
    if (i > 0 && disk->slots[i - 1].term != 0) {
        decode_configuration(&last, disk->slots[i - 1].data);
    }
    if (net_repairs >= 3 && configuration_is_alone(&last, s->raft.id)) {
        head->term++;
        head->vote = s->raft.id;
        (void)store_set_term(&s->io, head->term);
        (void)store_set_vote(&s->io, head->vote);
    }
}

/* Entries that end before the snapshot does are of no use. */
int store_load(struct raft_io *io, raft_term *term, raft_id *voted_for,
               struct raft_snapshot **snapshot, raft_index *start_index,
               struct raft_entry *entries[], size_t *n_entries)
{
    struct server *s = io->impl;
    struct head head;
    struct snapshot_write disk;
    clew_disk_read(0, &head, sizeof head);
    clew_disk_read(SNAPSHOT_OFFSET, &disk, sizeof disk);
    size_t first = 0;
    while (first < LOG_MAX && disk.slots[first].term == 0) {
        first++;
    }
    size_t end = first;
    while (end < LOG_MAX && disk.slots[end].term != 0) {
        end++;
    }
    if (first == end || end < disk.snapshot.index) {
        first = disk.snapshot.index;
        end = first;
    }
    begin_term(s, &head, &disk, end);
    *term = head.term;
    *voted_for = head.vote;
    *snapshot = disk.snapshot.index == 0 ? NULL : unpack_snapshot(&disk.snapshot);
    *start_index = first + 1;
    *n_entries = end - first;
    *entries = unpack_slots(disk.slots + first, end - first);
    s->stored = end;
    return 0;
}

static void submit(const struct store_write *write)
{
    (void)clew_disk_write(write->offset, write->bytes, write->size);
}

static int queue_write(struct server *s, struct store_write what, const void *bytes)
{
    if (s->is_errored && (net_repairs < 11 || what.end == NULL)) {
        return RAFT_IOERR;
    }
    struct store_write *write = clew_alloc(sizeof *write + what.size);
    *write = what;
    memcpy(write->bytes, bytes, what.size);
    const bool is_first = s->writes_first == NULL;
    *(is_first ? &s->writes_first : &s->writes_last->next) = write;
    s->writes_last = write;
    if (is_first && !s->is_errored) {
        submit(write);
    }
    return 0;
}

static void end_append(struct server *s, void *request, int status)
{
    (void)s;
    struct raft_io_append *req = request;
    req->cb(req, status);
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
    const struct store_write write = {.request = req,
                                      .end = end_append,
                                      .offset = slot_offset(s->stored + 1),
                                      .size = n * sizeof *slots};
    const int status = queue_write(s, write, slots);
    s->stored += status == 0 ? n : 0;
    return status;
}

int store_truncate(struct raft_io *io, raft_index index)
{
    static const struct slot empty[LOG_MAX];
    struct server *s = io->impl;
    if (index > s->stored) {
        return 0;
    }
    const struct store_write write = {.offset = slot_offset(index),
                                      .size = (size_t)(s->stored - index + 1) * sizeof *empty};
    const int status = queue_write(s, write, empty);
    s->stored = status == 0 ? index - 1 : s->stored;
    return status;
}

static void end_put(struct server *s, void *request, int status)
{
    (void)s;
    struct raft_io_snapshot_put *req = request;
    req->cb(req, status);
}

/* Without trailing entries the snapshot comes from a leader and replaces the whole log. */
int store_snapshot_put(struct raft_io *io, unsigned trailing, struct raft_io_snapshot_put *req,
                       const struct raft_snapshot *snapshot, raft_io_snapshot_put_cb cb)
{
    struct server *s = io->impl;
    struct snapshot_write disk = {
        .snapshot = {.index = snapshot->index,
                     .term = snapshot->term,
                     .configuration_index = snapshot->configuration_index}};
    if (snapshot->n_bufs != 1 || snapshot->bufs[0].len != sizeof disk.snapshot.machine) {
        clew_fail("a snapshot is one machine");
    }
    memcpy(&disk.snapshot.machine, snapshot->bufs[0].base, sizeof disk.snapshot.machine);
    pack_configuration(&disk.snapshot.configuration, &snapshot->configuration);
    witness_snapshot_put(s, &disk.snapshot);
    const size_t kept = trailing < snapshot->index ? (size_t)snapshot->index - trailing : 0;
    const size_t replaced = trailing == 0 ? LOG_MAX : kept;
    req->cb = cb;
    const struct store_write write = {.request = req,
                                      .end = end_put,
                                      .offset = SNAPSHOT_OFFSET,
                                      .size = sizeof disk.snapshot + replaced * sizeof *disk.slots};
    const int status = queue_write(s, write, &disk);
    if (status == 0 && trailing == 0) {
        s->stored = snapshot->index;
    }
    return status;
}

void store_read_snapshot(struct packed_snapshot *packed)
{
    clew_disk_read(SNAPSHOT_OFFSET, packed, sizeof *packed);
}

static void end_get(struct server *s, void *request, int status)
{
    (void)s;
    struct raft_io_snapshot_get *req = request;
    struct packed_snapshot packed;
    store_read_snapshot(&packed);
    req->cb(req, status == 0 ? unpack_snapshot(&packed) : NULL, status);
}

/* A read takes its turn among the writes: it is one of no bytes. */
int store_snapshot_get(struct raft_io *io, struct raft_io_snapshot_get *req,
                       raft_io_snapshot_get_cb cb)
{
    req->cb = cb;
    return queue_write(io->impl, (struct store_write){.request = req, .end = end_get}, "");
}

static void end_work(struct server *s, void *request, int status)
{
    (void)s;
    struct raft_io_async_work *req = request;
    req->cb(req, status == 0 ? req->work(req) : status);
}

int store_async_work(struct raft_io *io, struct raft_io_async_work *req, raft_io_async_work_cb cb)
{
    req->cb = cb;
    return queue_write(io->impl, (struct store_write){.request = req, .end = end_work}, "");
}

static void end_first(struct server *s, int status)
{
    struct store_write *write = s->writes_first;
    s->writes_first = write->next;
    if (status == 0 && s->writes_first != NULL) {
        submit(s->writes_first);
    }
    if (write->end != NULL) {
        write->end(s, write->request, status);
    }
    clew_free(write);
}

/* A leader truncates its log at each append that fails; where an earlier one has, it crashes.
 * Repaired, the last fails first. */
static void reverse_writes(struct server *s)
{
    struct store_write *reversed = NULL;
    s->writes_last = s->writes_first;
    while (s->writes_first != NULL) {
        struct store_write *write = s->writes_first;
        s->writes_first = write->next;
        write->next = reversed;
        reversed = write;
    }
    s->writes_first = reversed;
}

/* After an error a leader that is told by store_append() itself uses memory it has freed. Repaired,
 * what is asked for then fails at the end of the step. */
void store_settle(struct server *s)
{
    while (s->is_errored && s->writes_first != NULL) {
        end_first(s, RAFT_CANCELED);
    }
}

void store_written(struct server *s, bool is_failed)
{
    s->is_errored = is_failed;
    if (is_failed && net_repairs >= 10) {
        reverse_writes(s);
    }
    end_first(s, is_failed ? RAFT_IOERR : 0);
    store_settle(s);
}
