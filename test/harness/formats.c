#include "formats.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "trace/kind_table.h"
#include "trace_of.h"

char *format_print(const struct format *format, const struct trace *t, size_t *size)
{
    struct err e;
    struct notes n = {0};
    struct out out;
    out_open_memory(&out);
    struct writer *w = format->create(&out, &t->tables, &n);
    must(writer_write(w, t->events.at, t->events.count, &e) == 0);
    must(w->ops->finish(w, &e) == 0);
    *size = w->out.used;
    char *bytes = mem_resize(NULL, *size + 1);
    memcpy(bytes, w->out.buffer, *size);
    bytes[*size] = '\0';
    writer_abandon(w);
    notes_release(&n);
    return bytes;
}

int format_parse(const struct format *format, const void *bytes, size_t size, struct trace *t,
                 struct notes *n, struct err *e)
{
    struct in in;
    in_open_memory(&in, bytes, size);
    struct cursor *c = format->open(&in, &t->tables, n, e);
    if (c != NULL) {
        c->path = "memory";
    }
    const int result = c == NULL ? -1 : trace_load(t, c, e);
    cursor_close(c);
    trace_seal(t);
    return result;
}

/* Mostly short words, so that names repeat; sometimes characters that formats have to escape. */
static uint32_t random_name(struct trace *t, struct prng *prng)
{
    static const char *const odd[] = {"",        " ",    "a b", "x\ny",     "\"",           "\\",
                                      "#",       "@",    "a@b", "=",        "t=5",          "\xff",
                                      "-",       "main", "\t;", "\xc3\xa9", "\xed\xa0\x80", "@\"",
                                      "value=1", "b="};
    const uint64_t choice = prng_below(prng, 8);
    if (choice == 0) {
        return names_intern_text(&t->tables.names, odd[prng_below(prng, sizeof odd / sizeof *odd)]);
    }
    char text[40];
    size_t size = 0;
    if (choice == 1) {
        size = (size_t)prng_below(prng, sizeof text);
        for (size_t i = 0; i < size; i++) {
            text[i] = (char)prng_below(prng, 256);
        }
    } else {
        size = (size_t)snprintf(text, sizeof text, "n%u", (unsigned)prng_below(prng, 50));
    }
    return names_intern(&t->tables.names, text, size);
}

static uint32_t random_task(struct trace *t, struct prng *prng)
{
    const uint32_t node = random_name(t, prng);
    return tables_task(&t->tables, node, random_name(t, prng));
}

/* Small, large, or at an edge. */
static uint64_t random_number(struct prng *prng)
{
    switch (prng_below(prng, 4)) {
    case 0: return 0;
    case 1: return prng_below(prng, 100);
    case 2: return UINT64_MAX - prng_below(prng, 3);
    default: return prng_next(prng) >> prng_below(prng, 64);
    }
}

static struct event random_event(struct trace *t, struct prng *prng)
{
    struct event e = {0};
    const struct kind *kind = NULL;
    while (kind == NULL) {
        e.kind = (uint16_t)prng_below(prng, KIND_LIMIT);
        kind = kind_of(e.kind);
    }
    const uint8_t mode = (uint8_t)prng_below(prng, 16);
    e.mode = mode_name(kind->modes, mode) != NULL ? mode : MODE_UNSAID;
    e.task = random_task(t, prng);
    const uint64_t rich = prng_below(prng, 4) == 0 ? 0 : UINT64_MAX; /* some events have little */
    const uint64_t fields = prng_next(prng) & rich;
    e.has = fields & (HAS_VALUE | HAS_SIZE | HAS_COUNT | HAS_TIME | HAS_HLC | HAS_PEER);
    e.object = (fields & 64) != 0 ? random_name(t, prng) : 0;
    e.location = (fields & 128) != 0 ? random_name(t, prng) : 0;
    e.text = (fields & 256) != 0 ? random_name(t, prng) : 0;
    if ((e.has & HAS_PEER) != 0) {
        e.peer = random_task(t, prng);
    } else {
        e.message = (fields & 512) != 0 ? random_name(t, prng) : 0;
    }
    e.value = (e.has & HAS_VALUE) != 0 ? (int64_t)random_number(prng) : 0;
    e.size = (e.has & HAS_SIZE) != 0 ? random_number(prng) : 0;
    e.count = (e.has & HAS_COUNT) != 0 ? (uint32_t)random_number(prng) : 0;
    e.time = (e.has & HAS_TIME) != 0 ? (int64_t)random_number(prng) : 0;
    e.hlc_time = (e.has & HAS_HLC) != 0 ? (int64_t)random_number(prng) : 0;
    e.hlc_count = (e.has & HAS_HLC) != 0 ? (uint32_t)random_number(prng) : 0;
    return e;
}

void trace_randomize(struct trace *t, size_t count, struct prng *prng)
{
    t->tables.order = (enum order_kind)prng_below(prng, ORDER_KIND_COUNT);
    t->tables.tick_ns = random_number(prng);
    t->tables.source = random_name(t, prng);
    for (size_t i = 0; i < count; i++) {
        const struct event e = random_event(t, prng);
        trace_append(t, &e);
    }
}

static void check_trip(const struct format *format, const struct trace *t)
{
    size_t size = 0;
    char *bytes = format_print(format, t, &size);
    struct trace again;
    struct notes n = {0};
    struct err e;
    trace_init(&again);
    must(format_parse(format, bytes, size, &again, &n, &e) == 0);
    must(n.list.count == 0);
    must(trace_difference(&again, t) == NULL);
    trace_release(&again);
    mem_free(bytes);
}

void fuzz_format(const struct format *format, const uint8_t *bytes, size_t size)
{
    struct trace t;
    struct notes n = {0};
    struct err e = {.text = ""};
    trace_init(&t);
    if (format_parse(format, bytes, size, &t, &n, &e) < 0) {
        must(e.text[0] != '\0');
        must(strchr(e.text, '\n') == NULL);
    }
    check_trip(&format_native, &t);
    check_trip(&format_text, &t);
    notes_release(&n);
    trace_release(&t);
}
