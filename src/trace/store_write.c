#include "trace/store.h"

#include <string.h>

#include "base/mem.h"
#include "trace/chunk.h"
#include "trace/event_columns.h"
#include "trace/kind_table.h"
#include "trace/store_parts.h"
#include "trace/zstd_mem.h"

enum {
    PACK_LEVEL = -5,     /* unpacks half as fast again as level 1, for a third more bytes */
    PACK_SIZE_MIN = 128, /* below, zstd's own header costs more than packing saves */
};

_Static_assert((int)EVENT_COLUMNS_SIZE_MAX <= (int)CHUNK_SIZE_MAX, "what is written can be read");
_Static_assert(64 + 8 * STORE_NAMES_MAX + STORE_NAME_SIZE_MAX <= CHUNK_SIZE_MAX, "and names too");

struct store_writer {
    struct writer writer;
    ZSTD_CCtx *packer;
    uint64_t header_hash; /* of the last chunk */
    bool has_meta;
    size_t name_count; /* the number already written, of ... */
    size_t task_count;
    uint64_t event_count;

    VEC(struct event) events; /* added, not yet written */
    VEC(uint64_t) values;     /* of the current column */
    VEC(uint8_t) payload;     /* of the current chunk */
    VEC(uint8_t) packed;
};

/* Packing pays when it saves a quarter: unpacking takes longer than all the rest of reading. Names
 * that unpack to more than a reader allows stay unpacked, so that a small file never takes much
 * memory. */
static bool pays(enum chunk_type type, size_t packed_size, size_t size)
{
    return packed_size < size - size / 4 &&
           (type == CHUNK_EVENTS || size / STORE_UNPACK_MAX < packed_size);
}

/* Writes the payload as a chunk. */
static void put_chunk(struct store_writer *w, enum chunk_type type)
{
    struct chunk c = {
        .version = CHUNK_VERSION, .type = (uint8_t)type, .header_hash = w->header_hash};
    const size_t size_plain = w->payload.count;
    must(size_plain <= CHUNK_SIZE_MAX);
    c.size_unpacked = (uint32_t)size_plain;
    c.size = c.size_unpacked;
    const uint8_t *bytes = w->payload.at;
    if (size_plain >= PACK_SIZE_MIN) {
        const size_t room = ZSTD_compressBound(size_plain);
        vec_reserve(&w->packed, room);
        const size_t size =
            ZSTD_compressCCtx(w->packer, w->packed.at, room, bytes, size_plain, PACK_LEVEL);
        if (!ZSTD_isError(size) && pays(type, size, size_plain)) {
            c.packing = PACKING_ZSTD;
            c.size = (uint32_t)size;
            bytes = w->packed.at;
        }
    }
    uint8_t header[CHUNK_HEADER_SIZE];
    chunk_seal(&c, bytes, header);
    w->header_hash = c.header_hash;
    out_bytes(&w->writer.out, header, sizeof header);
    out_bytes(&w->writer.out, bytes, c.size);
}

/* Grows the payload by `size` bytes. */
static uint8_t *more(struct store_writer *w, size_t size)
{
    vec_reserve(&w->payload, w->payload.count + size);
    return w->payload.at + w->payload.count;
}

static void add_bytes(struct store_writer *w, const void *bytes, size_t size)
{
    if (size > 0) {
        memcpy(more(w, size), bytes, size);
    }
    w->payload.count += size;
}

static void add_u32(struct store_writer *w, uint32_t number)
{
    add_bytes(w, &number, sizeof number);
}

static void add_u64(struct store_writer *w, uint64_t number)
{
    add_bytes(w, &number, sizeof number);
}

/* The values as a column. */
static void add_column(struct store_writer *w)
{
    uint8_t *to = more(w, column_size_max(w->values.count));
    w->payload.count += column_print(to, w->values.at, w->values.count);
}

static int check_name(const struct name *name, struct err *e)
{
    if (name->size > STORE_NAME_SIZE_MAX) {
        return err_set(e, "a name of %u bytes does not fit into a trace (at most %d)", name->size,
                       STORE_NAME_SIZE_MAX);
    }
    return 0;
}

static int put_meta(struct store_writer *w, struct err *e)
{
    const struct tables *t = w->writer.tables;
    const struct name *source = &t->names.list.at[t->source];
    if (w->has_meta) {
        return 0;
    }
    if (check_name(source, e) < 0) {
        return -1;
    }
    vec_clear(&w->payload);
    add_u32(w, t->order);
    add_u64(w, t->tick_ns);
    add_u32(w, source->size);
    add_bytes(w, source->text, source->size);
    put_chunk(w, CHUNK_META);
    w->has_meta = true;
    return 0;
}

/* One chunk of the names not yet written: as many as fit, and one at least. */
static int put_some_names(struct store_writer *w, struct err *e)
{
    const struct name *names = w->writer.tables->names.list.at + w->name_count;
    const size_t available = w->writer.tables->names.list.count - w->name_count;
    size_t count = 0;
    size_t size = 0;
    vec_clear(&w->values);
    for (; count < available && count < STORE_NAMES_MAX; count++) {
        if (check_name(&names[count], e) < 0) {
            return -1;
        }
        if (size + names[count].size > STORE_NAME_SIZE_MAX) {
            break;
        }
        vec_push(&w->values, names[count].size);
        size += names[count].size;
    }
    vec_clear(&w->payload);
    add_u32(w, (uint32_t)count);
    add_column(w);
    for (size_t i = 0; i < count; i++) {
        add_bytes(w, names[i].text, names[i].size);
    }
    put_chunk(w, CHUNK_NAMES);
    w->name_count += count;
    return 0;
}

static void put_some_tasks(struct store_writer *w)
{
    const struct task *tasks = w->writer.tables->tasks.at + w->task_count;
    size_t count = w->writer.tables->tasks.count - w->task_count;
    count = count < STORE_NAMES_MAX ? count : STORE_NAMES_MAX;
    vec_clear(&w->payload);
    add_u32(w, (uint32_t)count);
    vec_clear(&w->values);
    for (size_t i = 0; i < count; i++) {
        vec_push(&w->values, tasks[i].node);
    }
    add_column(w);
    vec_clear(&w->values);
    for (size_t i = 0; i < count; i++) {
        vec_push(&w->values, tasks[i].name);
    }
    add_column(w);
    put_chunk(w, CHUNK_TASKS);
    w->task_count += count;
}

static void check_event(const struct tables *t, const struct event *e)
{
    must(kind_of(e->kind) != NULL);
    must((event_numbers_set(e) & ~(unsigned)e->has) == 0);
    must(e->task < t->tasks.count);
    must(e->object < t->names.list.count);
    must(e->location < t->names.list.count);
    must(e->text < t->names.list.count);
    must(e->message < ((e->has & HAS_PEER) != 0 ? t->tasks.count : t->names.list.count));
}

static void put_events(struct store_writer *w)
{
    const size_t count = w->events.count;
    vec_each (&w->events, e) {
        check_event(w->writer.tables, e);
    }
    vec_clear(&w->payload);
    vec_reserve(&w->values, count);
    uint8_t *to = more(w, event_columns_size_max(count));
    w->payload.count = event_columns_print(to, w->events.at, count, w->values.at);
    put_chunk(w, CHUNK_EVENTS);
    w->event_count += count;
    vec_clear(&w->events);
}

/* Writes everything pending, each name and task before the events that use it. */
static int put_pending(struct store_writer *w, struct err *e)
{
    const struct tables *t = w->writer.tables;
    if (put_meta(w, e) < 0) {
        return -1;
    }
    while (w->name_count < t->names.list.count) {
        if (put_some_names(w, e) < 0) {
            return -1;
        }
    }
    while (w->task_count < t->tasks.count) {
        put_some_tasks(w);
    }
    if (w->events.count > 0) {
        put_events(w);
    }
    return 0;
}

static int write_events(struct writer *writer, const struct event *events, size_t count,
                        struct err *e)
{
    struct store_writer *w = (struct store_writer *)writer;
    while (count > 0) {
        const size_t room = EVENT_COLUMNS_MAX - w->events.count;
        const size_t some = count < room ? count : room;
        vec_reserve(&w->events, w->events.count + some);
        memcpy(w->events.at + w->events.count, events, some * sizeof *events);
        w->events.count += some;
        events += some;
        count -= some;
        if (w->events.count == EVENT_COLUMNS_MAX && put_pending(w, e) < 0) {
            return -1;
        }
    }
    return 0;
}

static int finish(struct writer *writer, struct err *e)
{
    struct store_writer *w = (struct store_writer *)writer;
    if (put_pending(w, e) < 0) {
        return -1;
    }
    vec_clear(&w->payload);
    add_u64(w, w->event_count);
    add_u64(w, w->name_count);
    add_u64(w, w->task_count);
    put_chunk(w, CHUNK_END);
    return 0;
}

static void release(struct writer *writer)
{
    struct store_writer *w = (struct store_writer *)writer;
    (void)ZSTD_freeCCtx(w->packer);
    vec_release(&w->events);
    vec_release(&w->values);
    vec_release(&w->payload);
    vec_release(&w->packed);
}

static const struct writer_ops ops = {write_events, finish, release};

int store_flush(struct writer *writer, struct err *e)
{
    must(writer->ops == &ops);
    return put_pending((struct store_writer *)writer, e) < 0 ? -1 : out_flush(&writer->out, e);
}

struct writer *store_create(struct out *out, const struct tables *t, struct notes *n)
{
    struct store_writer *w = mem_zero(1, sizeof *w);
    w->writer = (struct writer){.ops = &ops, .tables = t, .notes = n, .out = *out};
    w->packer = ZSTD_createCCtx_advanced(zstd_mem());
    must(w->packer != NULL);
    w->name_count = 1; /* the empty name is every trace's first and is not written */
    return (struct writer *)w;
}
