#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "import/event_writer.h"
#include "import/json/falcon.h"
#include "import/time_fill.h"
#include "trace/channel.h"
#include "trace/kind_table.h"

struct falcon_writer {
    struct event_writer base;
    const struct falcon_type *type_of[KIND_LIMIT]; /* NULL: Falcon has none */
    uint32_t kept_of[KIND_LIMIT];                  /* the fields it holds, LOST_BIT of each */
    bool completes; /* adds the fields of messages that Falcon requires */
    struct time_fill times;
    VEC(char) socket;
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

/* Ports are numbers in most logs; other texts stay strings. */
static void put_port(struct falcon_writer *w, const char *key, struct channel_part port)
{
    if (port.size == 0 && !w->completes) {
        return;
    }
    port = port.size == 0 ? (struct channel_part){"0", 1} : port;
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

static void socket_append(struct falcon_writer *w, struct channel_part part)
{
    vec_reserve(&w->socket, w->socket.count + part.size);
    if (part.size > 0) {
        memcpy(w->socket.at + w->socket.count, part.text, part.size);
    }
    w->socket.count += part.size;
}

static int compare_parts(struct channel_part a, struct channel_part b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size == 0 ? 0 : memcmp(a.text, b.text, size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Falcon names a socket by its two ends, the lesser first, regardless of the sender. */
static void put_socket(struct falcon_writer *w, const struct channel *c)
{
    const bool is_turned = compare_parts(c->source, c->destination) > 0;
    w->socket.count = 0;
    socket_append(w, is_turned ? c->destination : c->source);
    socket_append(w, (struct channel_part){"-", 1});
    socket_append(w, is_turned ? c->source : c->destination);
    put_text(w, ",\"socket\":", w->socket.at, w->socket.count);
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

/* A message of unknown size; in a stream 0 would mean its end. */
static bool lacks_size(const struct falcon_writer *w, const struct event *e)
{
    return w->completes && (e->kind == EVENT_SEND || e->kind == EVENT_RECV) &&
           (e->has & HAS_SIZE) == 0 && !transport_is_stream(e->mode);
}

/* The fields of a network event. An unknown transport carries messages, as UDP does. */
static void put_network(struct falcon_writer *w, const struct event *e)
{
    const struct names *names = &w->base.writer.tables->names;
    struct channel c;
    const bool is_channel = e->object != 0 && channel_parse(&c, names_text(names, e->object),
                                                            names_size(names, e->object));
    if (!is_channel) {
        lost_add(&w->base.lost, e->object != 0 ? LOST_BIT(LOST_OBJECT) : 0);
        put_transport(w, e->mode);
        put_name(w, ",\"socket\":", e->text);
        return;
    }
    put_text(w, ",\"src\":", c.source_host.text, c.source_host.size);
    put_port(w, ",\"src_port\":", c.source_port);
    put_text(w, ",\"dst\":", c.destination_host.text, c.destination_host.size);
    put_port(w, ",\"dst_port\":", c.destination_port);
    const bool is_message = e->kind == EVENT_SEND || e->kind == EVENT_RECV;
    put_transport(w, e->mode != MODE_UNSAID || !w->completes ? e->mode
                     : is_message                            ? TRANSPORT_UDP
                                                             : TRANSPORT_TCP);
    if (e->text == 0 && w->completes) {
        put_socket(w, &c);
    }
    put_name(w, ",\"socket\":", e->text);
}

/* The time in milliseconds; false when there is none, or it is out of range. */
static bool time_of(struct falcon_writer *w, const struct event *e, int64_t *ms)
{
    __extension__ typedef __int128 wide;
    const uint64_t tick_ns = w->base.writer.tables->tick_ns;
    *ms = e->time;
    if ((e->has & HAS_TIME) == 0 || tick_ns == 0 || tick_ns == FALCON_TICK_NS) {
        return (e->has & HAS_TIME) != 0;
    }
    const wide ns = (wide)e->time * tick_ns;
    const wide rest = ((ns % FALCON_TICK_NS) + FALCON_TICK_NS) % FALCON_TICK_NS;
    const wide whole = (ns - rest) / FALCON_TICK_NS;
    *ms = (int64_t)whole;
    if (*ms != whole) {
        lost_add(&w->base.lost, LOST_BIT(LOST_TIME));
        return false;
    }
    lost_add(&w->base.lost, rest != 0 ? LOST_BIT(LOST_PRECISION) : 0);
    return true;
}

static void put_timed(void *context, const struct event *e, int64_t time, bool is_moved)
{
    struct falcon_writer *w = context;
    const struct falcon_type *type = w->type_of[e->kind];
    const uint32_t fields = lost_fields_of(e);
    const uint32_t kept = fields & w->kept_of[e->kind];
    struct out *out = &w->base.writer.out;
    lost_add(&w->base.lost, (fields & ~kept) | (is_moved ? LOST_BIT(LOST_TIME) : 0));

    put_task(w, "{\"thread\":", e->task);
    out_text(out, ",\"type\":\"");
    out_bytes(out, type->name, type->name_size);
    out_text(out, "\",\"timestamp\":");
    out_i64(out, time);
    put_name(w, ",\"loc\":", e->location);
    if ((kept & LOST_BIT(LOST_COUNT)) != 0) {
        out_text(out, ",\"counter\":");
        out_u64(out, e->count);
    }
    if ((kept & LOST_BIT(LOST_SIZE)) != 0 || lacks_size(w, e)) {
        out_text(out, ",\"size\":");
        out_u64(out, lacks_size(w, e) ? 0 : e->size);
    }
    if ((kept & LOST_BIT(LOST_PEER)) != 0) {
        put_task(w, ",\"child\":", e->peer);
    }
    if ((type->fields & FALCON_ENDPOINTS) != 0) {
        put_network(w, e);
    } else if ((kept & LOST_BIT(LOST_OBJECT)) != 0) {
        put_name(w, ",\"variable\":", e->object);
    }
    if ((kept & LOST_BIT(LOST_MESSAGE)) != 0) {
        put_name(w, ",\"message\":", e->message);
    }
    if (type->kind == EVENT_LOG) {
        put_name(w, ",\"message\":", e->text);
    }
    out_text(out, "}\n");
}

static bool put_event(struct event_writer *writer, const struct event *e)
{
    struct falcon_writer *w = (struct falcon_writer *)writer;
    if (w->type_of[e->kind] == NULL) {
        return false;
    }
    int64_t time = 0;
    const struct time_fill_event entry = {.event = *e,
                                          .node = w->base.writer.tables->tasks.at[e->task].node};
    time_fill_add(&w->times, &entry, time_of(w, e, &time) ? &time : NULL, put_timed, w);
    return true;
}

static void put_rest(struct event_writer *writer)
{
    struct falcon_writer *w = (struct falcon_writer *)writer;
    time_fill_end(&w->times, put_timed, w);
}

static void release(struct event_writer *writer)
{
    struct falcon_writer *w = (struct falcon_writer *)writer;
    time_fill_release(&w->times);
    vec_release(&w->socket);
}

static const struct event_writer_format format = {
    .name = "Falcon", .put = put_event, .end = put_rest, .release = release};

struct writer *falcon_writer_new(struct out *out, const struct tables *t, struct notes *n)
{
    struct falcon_writer *w = mem_zero(1, sizeof *w);
    event_writer_init(&w->base, &format, out, t, n);
    w->completes = strcmp(names_text(&t->names, t->source), "falcon") != 0;
    for (const struct falcon_type *type = falcon_types; type->name != NULL; type++) {
        if (w->type_of[type->kind] == NULL) {
            w->type_of[type->kind] = type;
            w->kept_of[type->kind] = kept_by(type->fields);
        }
    }
    return &w->base.writer;
}
