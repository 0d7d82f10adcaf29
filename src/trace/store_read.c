#include "trace/store.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "trace/chunk.h"
#include "trace/event_columns.h"
#include "trace/store_parts.h"
#include "trace/zstd_mem.h"

_Static_assert((int)EVENT_COLUMNS_MAX <= (int)BATCH_MAX, "a chunk of events is a batch");

/* The map from the file's numbers to those of the tables. It is the identity unless the tables were
 * in use before; it is injective. */
struct numbers {
    VEC(uint32_t) at;
    size_t same_count; /* this many of the first are their own index */
    struct map others; /* the rest, to detect repeated ones */
};

struct store_reader {
    struct cursor cursor;
    uint64_t header_hash; /* of the last chunk */
    bool has_meta;
    bool is_ended;
    uint64_t event_count; /* in the file so far, including those left out */
    struct numbers names;
    struct numbers tasks;
    struct arena arena; /* of the batch */
    struct event_columns batch;
    uint64_t *offsets;
    ZSTD_DCtx *unpacker;
    VEC(uint8_t) unpacked;
};

/* The payload under decoding. */
struct payload {
    uint64_t offset; /* of its chunk in the file */
    const uint8_t *at;
    const uint8_t *end;
};

static void numbers_release(struct numbers *n)
{
    vec_release(&n->at);
    map_release(&n->others);
}

/* Adds the next number of the file; false when it is a duplicate. */
static bool numbers_add(struct numbers *n, uint32_t number)
{
    if (n->same_count == n->at.count && number == n->same_count) {
        n->same_count++;
    } else {
        bool is_new = false;
        (void)map_slot(&n->others, number, 0, &is_new);
        if (!is_new || number < n->same_count) {
            return false;
        }
    }
    vec_push(&n->at, number);
    return true;
}

static bool numbers_are_same(const struct numbers *n)
{
    return n->same_count == n->at.count;
}

static int malformed(const struct payload *p, const char *what, struct err *e)
{
    return err_set(e, "byte %llu: %s (the chunk is whole but was written wrong)",
                   (unsigned long long)p->offset, what);
}

static bool take(struct payload *p, void *to, size_t size)
{
    if ((size_t)(p->end - p->at) < size) {
        return false;
    }
    memcpy(to, p->at, size);
    p->at += size;
    return true;
}

static void note(struct store_reader *r, uint64_t count, uint64_t offset, const char *what)
{
    char place[160];
    (void)snprintf(place, sizeof place, "%s: byte %llu", r->cursor.path,
                   (unsigned long long)offset);
    notes_add_many(r->cursor.notes, count, place, what);
}

static int decode_meta(struct store_reader *r, struct payload *p, struct err *e)
{
    struct tables *t = r->cursor.tables;
    uint32_t order = 0;
    uint32_t size = 0;
    if (r->has_meta) {
        return malformed(p, "the header is there twice", e);
    }
    if (!take(p, &order, sizeof order) || !take(p, &t->tick_ns, sizeof t->tick_ns) ||
        !take(p, &size, sizeof size) || size > STORE_NAME_SIZE_MAX ||
        size > (size_t)(p->end - p->at)) {
        return malformed(p, "the header is too short, or its source too long", e);
    }
    if (order >= ORDER_KIND_COUNT) {
        return err_set(e, "byte %llu: order of kind %u is not known (written by a newer clew)",
                       (unsigned long long)p->offset, order);
    }
    t->order = (enum order_kind)order;
    t->source = names_intern(&t->names, (const char *)p->at, size);
    r->has_meta = true;
    return 0;
}

static int decode_names(struct store_reader *r, struct payload *p, struct err *e)
{
    uint32_t count = 0;
    struct column sizes;
    if (!take(p, &count, sizeof count) || count > STORE_NAMES_MAX ||
        !column_parse(&sizes, count, &p->at, p->end)) {
        return malformed(p, "the list of names is too short or too long", e);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t size = column_at(&sizes, i);
        if (size > STORE_NAME_SIZE_MAX || size > (size_t)(p->end - p->at)) {
            return malformed(p, "a name is too long", e);
        }
        const uint32_t name =
            names_intern(&r->cursor.tables->names, (const char *)p->at, (size_t)size);
        if (!numbers_add(&r->names, name)) {
            return malformed(p, "a name is there twice", e);
        }
        p->at += size;
    }
    return 0;
}

static int decode_tasks(struct store_reader *r, struct payload *p, struct err *e)
{
    uint32_t count = 0;
    struct column nodes;
    struct column names;
    if (!take(p, &count, sizeof count) || count > STORE_NAMES_MAX ||
        !column_parse(&nodes, count, &p->at, p->end) ||
        !column_parse(&names, count, &p->at, p->end)) {
        return malformed(p, "the list of tasks is too short or too long", e);
    }
    if (!column_is_below(&nodes, count, r->names.at.count) ||
        !column_is_below(&names, count, r->names.at.count)) {
        return malformed(p, "a task has a name that is not in the table", e);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = r->names.at.at[column_at(&nodes, i)];
        const uint32_t name = r->names.at.at[column_at(&names, i)];
        if (!numbers_add(&r->tasks, tables_task(r->cursor.tables, node, name))) {
            return malformed(p, "a task is there twice", e);
        }
    }
    return 0;
}

/* Maps the file's numbers to those of the tables. */
static void renumber(struct store_reader *r)
{
    const uint32_t *names = r->names.at.at;
    const uint32_t *tasks = r->tasks.at.at;
    for (size_t i = 0; i < r->batch.count; i++) {
        struct event *e = &r->batch.events[i];
        e->task = tasks[e->task];
        e->object = names[e->object];
        e->location = names[e->location];
        e->text = names[e->text];
        e->message = (e->has & HAS_PEER) != 0 ? tasks[e->message] : names[e->message];
    }
}

static int decode_events(struct store_reader *r, const struct payload *p, struct err *e)
{
    const struct event_limits limits = {r->names.at.count, r->tasks.at.count};
    const char *wrong = event_columns_parse(&r->batch, p->at, (size_t)(p->end - p->at), &limits);
    if (wrong != NULL) {
        return malformed(p, wrong, e);
    }
    r->event_count += r->batch.count + r->batch.newer_count;
    note(r, r->batch.newer_count, p->offset,
         "events of a kind that this clew does not know were left out");
    note(r, r->batch.has_newer_fields, p->offset,
         "chunks of events have fields that this clew does not know");
    if (!numbers_are_same(&r->names) || !numbers_are_same(&r->tasks)) {
        renumber(r);
    }
    for (size_t i = 0; i < r->batch.count; i++) {
        r->offsets[i] = p->offset;
    }
    return 0;
}

static int decode_end(struct store_reader *r, struct payload *p, struct err *e)
{
    uint64_t totals[3];
    if (!take(p, totals, sizeof totals)) {
        return malformed(p, "the end is too short", e);
    }
    if (totals[0] != r->event_count || totals[1] != r->names.at.count ||
        totals[2] != r->tasks.at.count) {
        return malformed(p, "the totals at the end are not those of the trace", e);
    }
    r->is_ended = true;
    return 0;
}

static int decode(struct store_reader *r, uint8_t type, struct payload *p, struct err *e)
{
    switch (type) {
    case CHUNK_META: return decode_meta(r, p, e);
    case CHUNK_NAMES: return decode_names(r, p, e);
    case CHUNK_TASKS: return decode_tasks(r, p, e);
    case CHUNK_EVENTS: return decode_events(r, p, e);
    case CHUNK_END: return decode_end(r, p, e);
    default: bug("a chunk of a type that is not known is not decoded");
    }
}

/* Points p at the unpacked payload. */
static int unpack(struct store_reader *r, const struct chunk *c, struct payload *p, struct err *e)
{
    if (c->packing == PACKING_NONE) {
        return c->size == c->size_unpacked ? 0 : malformed(p, "the sizes do not agree", e);
    }
    if (c->packing != PACKING_ZSTD) {
        return err_set(e, "byte %llu: packed in a way that is not known (written by a newer clew)",
                       (unsigned long long)p->offset);
    }
    if (c->type != CHUNK_EVENTS && c->size_unpacked / STORE_UNPACK_MAX > c->size) {
        return malformed(p, "the chunk unpacks to more than it may", e);
    }
    if (r->unpacker == NULL) {
        r->unpacker = ZSTD_createDCtx_advanced(zstd_mem());
        must(r->unpacker != NULL);
    }
    vec_reserve(&r->unpacked, c->size_unpacked);
    const size_t size =
        ZSTD_decompressDCtx(r->unpacker, r->unpacked.at, c->size_unpacked, p->at, c->size);
    if (ZSTD_isError(size) || size != c->size_unpacked) {
        return malformed(p, "the chunk does not unpack", e);
    }
    p->at = r->unpacked.at;
    p->end = p->at + size;
    return 0;
}

static bool is_known(uint8_t type)
{
    return type >= CHUNK_META && type <= CHUNK_END;
}

/* Reads the header of the next chunk: 1 when all of the chunk is in the window, 0 when the file
 * ends before. */
static int look(struct store_reader *r, struct chunk *c, struct err *e)
{
    struct in *in = &r->cursor.in;
    const unsigned long long offset = in->offset;
    const ssize_t available = in_fill(in, CHUNK_HEADER_SIZE, e);
    if (available > 0 && r->is_ended) {
        return err_set(e, "byte %llu: something follows the end of the trace", offset);
    }
    if (available < CHUNK_HEADER_SIZE) {
        return available < 0 ? -1 : 0;
    }
    if (!chunk_open(c, (const uint8_t *)in->at, r->header_hash)) {
        return err_set(e, "byte %llu: chunk checksum does not match (damaged after writing)",
                       offset);
    }
    if (c->version > CHUNK_VERSION) {
        return err_set(e,
                       "byte %llu: version %u of the format; this clew reads up to %d (use a "
                       "newer one)",
                       offset, c->version, CHUNK_VERSION);
    }
    if (c->size > CHUNK_SIZE_MAX || c->size_unpacked > CHUNK_SIZE_MAX) {
        return err_set(e, "byte %llu: a chunk of %u bytes, more than the format allows", offset,
                       c->size > c->size_unpacked ? c->size : c->size_unpacked);
    }
    const ssize_t whole = in_fill(in, CHUNK_HEADER_SIZE + c->size, e);
    return whole < 0 ? -1 : whole >= (ssize_t)(CHUNK_HEADER_SIZE + c->size);
}

/* Reads one chunk: 1, or 0 when there is no whole one left. */
static int read_chunk(struct store_reader *r, struct err *e)
{
    struct chunk c = {0};
    const int more = look(r, &c, e);
    if (more <= 0) {
        return more;
    }
    struct in *in = &r->cursor.in;
    const uint8_t *bytes = (const uint8_t *)in->at + CHUNK_HEADER_SIZE;
    struct payload p = {.offset = in->offset, .at = bytes, .end = bytes + c.size};
    if (!chunk_has_payload(&c, bytes)) {
        return err_set(e, "byte %llu: chunk checksum does not match (damaged after writing)",
                       (unsigned long long)p.offset);
    }
    r->header_hash = c.header_hash;
    if (!r->has_meta && c.type != CHUNK_META) {
        return malformed(&p, "the first chunk is not the header", e);
    }
    if (!is_known(c.type)) {
        note(r, 1, p.offset, "chunks of a type that this clew does not know were left out");
    } else if (unpack(r, &c, &p, e) < 0 || decode(r, c.type, &p, e) < 0) {
        return -1;
    }
    in_skip(in, CHUNK_HEADER_SIZE + c.size);
    return 1;
}

/* Notes the missing parts of the file, after its last whole chunk. */
static void note_end(struct store_reader *r)
{
    const struct in *in = &r->cursor.in;
    r->cursor.is_cut_short = !r->is_ended;
    if (in->available > 0) {
        char what[100];
        (void)snprintf(what, sizeof what,
                       "the file is cut short: %zu bytes after the last whole "
                       "chunk were left",
                       in->available);
        note(r, 1, in->offset, what);
    } else if (!r->is_ended) {
        note(r, 1, in->offset, "the recording was not finished: the trace has no end");
    }
}

static int next(struct cursor *c, struct batch *b, struct err *e)
{
    struct store_reader *r = (struct store_reader *)c;
    int more = 0;
    do {
        r->batch.count = 0;
        more = read_chunk(r, e);
    } while (more > 0 && r->batch.count == 0);
    if (more > 0) {
        *b = (struct batch){
            .events = r->batch.events, .offsets = r->offsets, .count = r->batch.count};
    } else if (more == 0) {
        note_end(r);
    }
    return more;
}

static void close_reader(struct cursor *c)
{
    struct store_reader *r = (struct store_reader *)c;
    (void)ZSTD_freeDCtx(r->unpacker);
    numbers_release(&r->names);
    numbers_release(&r->tasks);
    vec_release(&r->unpacked);
    arena_release(&r->arena);
}

static const struct cursor_ops ops = {.next = next, .close = close_reader};

static int sniff(const char *bytes, size_t size)
{
    return chunk_has_magic(bytes, size) ? 100 : 0;
}

static struct cursor *open_reader(struct in *in, struct tables *t, struct notes *n, struct err *e)
{
    struct store_reader *r = mem_zero(1, sizeof *r);
    r->cursor = (struct cursor){.ops = &ops, .tables = t, .notes = n, .path = "", .in = *in};
    r->batch.events = arena_take(&r->arena, EVENT_COLUMNS_MAX * sizeof(struct event), 64);
    r->offsets = arena_array(&r->arena, uint64_t, EVENT_COLUMNS_MAX);
    const bool is_first = numbers_add(&r->names, 0); /* the empty name is every trace's first */
    must(is_first);
    int more = read_chunk(r, e);
    if (more == 0) {
        more = err_set(e, "byte 0: the file is cut short in its header: none of its trace is left");
    }
    if (more < 0) {
        cursor_close(&r->cursor);
        return NULL;
    }
    return &r->cursor;
}

const struct format format_native = {
    .name = "native",
    .ending = ".clew",
    .meaning = "clew's own format: compact, checksummed, readable after a crash of its writer",
    .sniff = sniff,
    .open = open_reader,
    .create = store_create,
};
