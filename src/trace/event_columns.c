#include "trace/event_columns.h"

#include <string.h>

#include "trace/chunk.h"
#include "trace/kind_table.h"
#include "wire/must.h"

/* A tile of events is decoded at a time, all its columns, so that it stays in the first-level
 * cache. */
enum { TILE = 128, COLUMNS_MAX = 256, HAS_KNOWN = 63 };

static const struct field {
    size_t offset;
    size_t size;
} fields[COLUMN_COUNT] = {
#define COLUMN(field, meaning) {offsetof(struct event, field), sizeof(((struct event *)0)->field)},
    COLUMN_LIST(COLUMN)
#undef COLUMN
};

static struct column_target target(struct event *e, int column)
{
    return (struct column_target){
        .field = (uint8_t *)e + fields[column].offset,
        .field_size = fields[column].size,
        .stride = sizeof *e,
    };
}

/* The modes that a kind allows: a bit each. An unknown kind allows none. */
static const uint64_t modes_known[UINT8_MAX + 1] = {
#define BIT(set, number, id, name) | UINT64_C(1) << (number)
#define BITS_NONE
#define BITS_LOCK LOCK_MODE_LIST(BIT)
#define BITS_SEMAPHORE SEMAPHORE_MODE_LIST(BIT)
#define BITS_MEMORY MEMORY_MODE_LIST(BIT)
#define BITS_TRANSPORT TRANSPORT_MODE_LIST(BIT)
#define BITS_FAULT FAULT_MODE_LIST(BIT)
#define BITS_CHOICE CHOICE_MODE_LIST(BIT)
#define BITS_VERB VERB_MODE_LIST(BIT)
#define BITS_ACCESS ACCESS_MODE_LIST(BIT)
#define BITS_ANNOTATION ANNOTATION_MODE_LIST(BIT)
#define KIND(number, id, name, class, modes, fields, meaning) [number] = UINT64_C(1) BITS_##modes,
    KIND_LIST(KIND)
#undef KIND
};

_Static_assert(KIND_LIMIT <= UINT8_MAX, "the table above has a row for each kind");

static bool is_known(const struct event *e)
{
    return e->kind <= UINT8_MAX && e->mode < 64 && (modes_known[e->kind] >> e->mode & 1) != 0;
}

struct check {
    bool is_wrong;
    bool is_newer;
    bool has_newer_fields;
};

/* Checks the constraints between columns. No branches: one answer for the whole tile. */
static struct check check_tile(struct event *events, size_t count,
                               const struct event_limits *limits)
{
    struct check all = {0};
    for (size_t i = 0; i < count; i++) {
        struct event *e = &events[i];
        const size_t limit = (e->has & HAS_PEER) != 0 ? limits->task_count : limits->name_count;
        all.has_newer_fields |= (e->has & ~HAS_KNOWN) != 0;
        all.is_wrong |= (event_numbers_set(e) & ~(unsigned)e->has) != 0;
        all.is_wrong |= e->message >= limit;
        all.is_newer |= !is_known(e);
    }
    return all;
}

/* Leaves out the events of unknown kinds and modes. */
static void drop_newer(struct event_columns *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (is_known(&c->events[i])) {
            c->events[kept++] = c->events[i];
        }
    }
    c->newer_count = c->count - kept;
    c->count = kept;
}

static void drop_newer_fields(struct event_columns *c)
{
    for (size_t i = 0; i < c->count; i++) {
        c->events[i].has &= HAS_KNOWN;
    }
}

static const char *check_columns(const struct column columns[COLUMN_COUNT], size_t count,
                                 const struct event_limits *limits)
{
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (fields[i].size < 8 &&
            !column_is_below(&columns[i], count, UINT64_C(1) << (8 * fields[i].size))) {
            return "a number is too large for its field";
        }
    }
    if (!column_is_below(&columns[COLUMN_task], count, limits->task_count)) {
        return "an event is of a task that is not in the table";
    }
    static const enum column_id names[] = {COLUMN_object, COLUMN_location, COLUMN_text};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!column_is_below(&columns[names[i]], count, limits->name_count)) {
            return "an event has a name that is not in the table";
        }
    }
    return NULL;
}

/* Parses the columns; missing ones are zeros. */
static const char *parse_columns(struct column columns[COLUMN_COUNT], size_t *count,
                                 const uint8_t *at, const uint8_t *end)
{
    if (end - at < 8) {
        return "the payload is too short";
    }
    const uint32_t event_count = load_u32(at);
    const uint32_t column_count = load_u32(at + 4);
    if (event_count == 0 || event_count > EVENT_COLUMNS_MAX || column_count > COLUMNS_MAX) {
        return "there are too many events or columns, or none";
    }
    at += 8;
    for (uint32_t i = 0; i < column_count; i++) {
        struct column newer;
        if (!column_parse(i < COLUMN_COUNT ? &columns[i] : &newer, event_count, &at, end)) {
            return "a column is too short";
        }
    }
    for (uint32_t i = column_count; i < COLUMN_COUNT; i++) {
        columns[i] = (struct column){0};
    }
    *count = event_count;
    return NULL;
}

const char *event_columns_parse(struct event_columns *c, const uint8_t *payload, size_t size,
                                const struct event_limits *limits)
{
    struct column columns[COLUMN_COUNT];
    c->newer_count = 0;
    const char *wrong = parse_columns(columns, &c->count, payload, payload + size);
    if (wrong != NULL || (wrong = check_columns(columns, c->count, limits)) != NULL) {
        return wrong;
    }
    /* This one event holds the columns of a single value; each event begins as a copy of it. */
    struct event same = {0};
    int varying[COLUMN_COUNT];
    int varying_count = 0;
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (columns[i].width == 0) {
            column_spread(&columns[i], 0, 1, target(&same, i));
        } else {
            varying[varying_count++] = i;
        }
    }
    struct check all = {0};
    for (size_t first = 0; first < c->count; first += TILE) {
        struct event *tile = c->events + first;
        const size_t count = c->count - first < TILE ? c->count - first : TILE;
        for (size_t i = 0; i < count; i++) {
            tile[i] = same;
        }
        for (int i = 0; i < varying_count; i++) {
            column_spread(&columns[varying[i]], first, count, target(tile, varying[i]));
        }
        const struct check check = check_tile(tile, count, limits);
        all.is_wrong |= check.is_wrong;
        all.is_newer |= check.is_newer;
        all.has_newer_fields |= check.has_newer_fields;
    }
    if (all.is_wrong) {
        return "an event has a message that is not in the table, or a number it says it has not";
    }
    c->has_newer_fields = all.has_newer_fields;
    if (all.is_newer) {
        drop_newer(c);
    }
    if (all.has_newer_fields) {
        drop_newer_fields(c);
    }
    return NULL;
}

size_t event_columns_print(uint8_t *to, const struct event *events, size_t count, uint64_t *values)
{
    must(count > 0);
    must(count <= EVENT_COLUMNS_MAX);
    save_u32(to, (uint32_t)count);
    save_u32(to + 4, COLUMN_COUNT);
    uint8_t *at = to + 8;
#define COLUMN(field, meaning)                   \
    for (size_t i = 0; i < count; i++) {         \
        values[i] = (uint64_t)(events[i].field); \
    }                                            \
    at += column_print(at, values, count);
    COLUMN_LIST(COLUMN)
#undef COLUMN
    return (size_t)(at - to);
}
