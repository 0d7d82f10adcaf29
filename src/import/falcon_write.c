#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "import/event_writer.h"
#include "import/falcon.h"
#include "trace/channel.h"
#include "trace/kind.h"

struct falcon_writer {
    struct event_writer base;
    const struct falcon_type *type_of[KIND_LIMIT]; /* NULL: Falcon has none */
    uint32_t kept_of[KIND_LIMIT];                  /* which fields it holds, LOST_BIT of each */
};

/* The fields of an event that Falcon's fields can hold. */
static uint32_t kept_by(uint32_t fields)
{
    static const struct {
        uint32_t fields;
        uint32_t kept;
    } rows[] = {
        {FALCON_BIT(FALCON_TIMESTAMP), LOST_BIT(LOST_TIME)},
        {FALCON_BIT(FALCON_LOC), LOST_BIT(LOST_LOCATION)},
        {FALCON_BIT(FALCON_VARIABLE) | FALCON_ENDPOINTS, LOST_BIT(LOST_OBJECT)},
        {FALCON_BIT(FALCON_COUNTER), LOST_BIT(LOST_COUNT)},
        {FALCON_BIT(FALCON_CHILD), LOST_BIT(LOST_PEER)},
        {FALCON_BIT(FALCON_SIZE), LOST_BIT(LOST_SIZE)},
        {FALCON_BIT(FALCON_SOCKET_TYPE), LOST_BIT(LOST_MODE)},
        {FALCON_BIT(FALCON_SOCKET) | FALCON_BIT(FALCON_DATA), LOST_BIT(LOST_TEXT)},
        {FALCON_BIT(FALCON_MESSAGE), LOST_BIT(LOST_MESSAGE)},
    };
    uint32_t kept = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kept |= (fields & rows[i].fields) != 0 ? rows[i].kept : 0;
    }
    /* A LOG may carry its text as its message, which is no message. */
    return (fields & FALCON_BIT(FALCON_DATA)) != 0 ? kept & ~LOST_BIT(LOST_MESSAGE) : kept;
}

static void put_text(struct falcon_writer *w, const char *key, const char *text, size_t size)
{
    struct out *out = &w->base.writer.out;
    out_text(out, key);
    json_quote(out, text, size);
    if (utf8_valid_size(text, size) != size) {
        lost_add(&w->base.lost, LOST_BIT(LOST_BYTES));
    }
}

static void put_name(struct falcon_writer *w, const char *key, uint32_t name)
{
    const struct names *names = &w->base.writer.tables->names;
    if (name != 0) {
        put_text(w, key, names_text(names, name), names_size(names, name));
    }
}

static void put_task(struct falcon_writer *w, const char *key, uint32_t task)
{
    task_text_set(&w->base.task_text, w->base.writer.tables, task, &w->base.lost);
    put_text(w, key, w->base.task_text.chars.at, w->base.task_text.chars.count);
}

/* Ports are numbers in most logs; what is not spelt like one stays a string. */
static void put_port(struct falcon_writer *w, const char *key, struct channel_part port)
{
    if (port.size == 0) {
        return;
    }
    bool is_number = port.size <= 5 && (port.text[0] != '0' || port.size == 1);
    for (size_t i = 0; i < port.size; i++) {
        is_number = is_number && port.text[i] >= '0' && port.text[i] <= '9';
    }
    if (is_number) {
        out_text(&w->base.writer.out, key);
        out_bytes(&w->base.writer.out, port.text, port.size);
    } else {
        put_text(w, key, port.text, port.size);
    }
}

static void put_channel(struct falcon_writer *w, uint32_t object)
{
    if (object == 0) {
        return;
    }
    const struct names *names = &w->base.writer.tables->names;
    struct channel c;
    if (!channel_parse(&c, names_text(names, object), names_size(names, object))) {
        lost_add(&w->base.lost, LOST_BIT(LOST_OBJECT));
        return;
    }
    put_text(w, ",\"src\":", c.source_host.text, c.source_host.size);
    put_port(w, ",\"src_port\":", c.source_port);
    put_text(w, ",\"dst\":", c.destination_host.text, c.destination_host.size);
    put_port(w, ",\"dst_port\":", c.destination_port);
}

static void put_transport(struct falcon_writer *w, uint8_t mode)
{
    const char *name = mode_name(MODES_TRANSPORT, mode);
    if (name == NULL) {
        lost_add(&w->base.lost, mode != MODE_UNSAID ? LOST_BIT(LOST_MODE) : 0);
        return;
    }
    out_text(&w->base.writer.out, ",\"socket_type\":\"");
    for (; *name != '\0'; name++) {
        out_char(&w->base.writer.out,
                 (char)(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name));
    }
    out_char(&w->base.writer.out, '"');
}

static void put_time(struct falcon_writer *w, int64_t time)
{
    __extension__ typedef __int128 wide;
    const uint64_t tick_ns = w->base.writer.tables->tick_ns;
    int64_t shown = time;
    if (tick_ns != 0 && tick_ns != FALCON_TICK_NS) {
        const wide ns = (wide)time * tick_ns;
        const wide rest = ((ns % FALCON_TICK_NS) + FALCON_TICK_NS) % FALCON_TICK_NS;
        const wide ms = (ns - rest) / FALCON_TICK_NS;
        shown = (int64_t)ms;
        if (shown != ms) {
            lost_add(&w->base.lost, LOST_BIT(LOST_TIME));
            return;
        }
        lost_add(&w->base.lost, rest != 0 ? LOST_BIT(LOST_PRECISION) : 0);
    }
    out_text(&w->base.writer.out, ",\"timestamp\":");
    out_i64(&w->base.writer.out, shown);
}

static bool put_event(struct event_writer *writer, const struct event *e)
{
    struct falcon_writer *w = (struct falcon_writer *)writer;
    const struct falcon_type *type = w->type_of[e->kind];
    if (type == NULL) {
        return false;
    }
    const uint32_t fields = lost_fields_of(e);
    const uint32_t kept = fields & w->kept_of[e->kind];
    struct out *out = &w->base.writer.out;
    lost_add(&w->base.lost, fields & ~kept);

    put_task(w, "{\"thread\":", e->task);
    out_text(out, ",\"type\":\"");
    out_bytes(out, type->name, type->name_size);
    out_char(out, '"');
    if ((kept & LOST_BIT(LOST_TIME)) != 0) {
        put_time(w, e->time);
    }
    put_name(w, ",\"loc\":", e->location);
    if ((kept & LOST_BIT(LOST_COUNT)) != 0) {
        out_text(out, ",\"counter\":");
        out_u64(out, e->count);
    }
    if ((kept & LOST_BIT(LOST_SIZE)) != 0) {
        out_text(out, ",\"size\":");
        out_u64(out, e->size);
    }
    if ((kept & LOST_BIT(LOST_PEER)) != 0) {
        put_task(w, ",\"child\":", e->peer);
    }
    if ((type->fields & FALCON_ENDPOINTS) != 0) {
        put_channel(w, e->object);
        put_transport(w, e->mode);
        put_name(w, ",\"socket\":", e->text);
    } else if ((kept & LOST_BIT(LOST_OBJECT)) != 0) {
        put_name(w, ",\"variable\":", e->object);
    }
    if ((kept & LOST_BIT(LOST_MESSAGE)) != 0) {
        put_name(w, ",\"message\":", e->message);
    }
    if (type->kind == EVENT_LOG) {
        put_name(w, ",\"data\":", e->text);
    }
    out_text(out, "}\n");
    return true;
}

static const struct event_writer_format format = {.name = "Falcon", .put = put_event};

struct writer *falcon_writer_new(struct out *out, const struct tables *t, struct notes *n)
{
    struct falcon_writer *w = mem_zero(1, sizeof *w);
    event_writer_init(&w->base, &format, out, t, n);
    for (const struct falcon_type *type = falcon_types; type->name != NULL; type++) {
        if (w->type_of[type->kind] == NULL) {
            w->type_of[type->kind] = type;
            w->kept_of[type->kind] = kept_by(type->fields);
        }
    }
    return &w->base.writer;
}
