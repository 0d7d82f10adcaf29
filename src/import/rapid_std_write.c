#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "import/event_writer.h"
#include "import/rapid_std.h"

struct std_writer {
    struct event_writer base;
    const char *name_of[KIND_LIMIT]; /* NULL: STD has none */
};

static void put_coded(struct std_writer *w, char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const unsigned char byte = (unsigned char)c;
    const char coded[] = {'%', digits[byte >> 4], digits[byte & 15]};
    out_bytes(&w->base.writer.out, coded, sizeof coded);
    lost_add(&w->base.lost, LOST_BIT(LOST_CODED));
}

/* A field ends at '|' and a line at its end: inside names these are written %XX, like all control
 * characters and invalid UTF-8. */
static void put(struct std_writer *w, const char *text, size_t size)
{
    struct out *out = &w->base.writer.out;
    size_t plain_from = 0;
    for (size_t i = 0; i < size;) {
        const size_t length = utf8_size(text + i, size - i);
        if (length == 0 || text[i] == '|' || (unsigned char)text[i] < ' ') {
            out_bytes(out, text + plain_from, i - plain_from);
            put_coded(w, text[i]);
            plain_from = ++i;
        } else {
            i += length;
        }
    }
    out_bytes(out, text + plain_from, size - plain_from);
}

static void put_name(struct std_writer *w, uint32_t name)
{
    const struct names *names = &w->base.writer.tables->names;
    put(w, names_text(names, name), names_size(names, name));
}

static void put_task(struct std_writer *w, uint32_t task)
{
    task_text_set(&w->base.task_text, w->base.writer.tables, task, &w->base.lost);
    put(w, w->base.task_text.chars.at, w->base.task_text.chars.count);
}

/* 0 stands for none, so a location of that name needs another. */
static void put_location(struct std_writer *w, uint32_t location)
{
    if (location == 0) {
        out_char(&w->base.writer.out, '0');
    } else if (strcmp(names_text(&w->base.writer.tables->names, location), "0") == 0) {
        put_coded(w, '0');
    } else {
        put_name(w, location);
    }
}

static bool put_event(struct event_writer *writer, const struct event *e)
{
    struct std_writer *w = (struct std_writer *)writer;
    if (w->name_of[e->kind] == NULL) {
        return false;
    }
    const bool is_region = e->kind == EVENT_ATOMIC_BEGIN || e->kind == EVENT_ATOMIC_END;
    const bool is_of_task = e->kind == EVENT_THREAD_CREATE || e->kind == EVENT_THREAD_JOIN;
    const bool has_operand = is_of_task ? (e->has & HAS_PEER) != 0 : e->object != 0;
    if (!is_region && !has_operand) {
        lost_add(&w->base.lost, LOST_BIT(LOST_OPERAND));
        return true;
    }
    lost_add(&w->base.lost, lost_fields_of(e) & ~(LOST_BIT(LOST_LOCATION) |
                                                  LOST_BIT(is_of_task ? LOST_PEER : LOST_OBJECT)));
    struct out *out = &w->base.writer.out;
    put_task(w, e->task);
    out_char(out, '|');
    out_text(out, w->name_of[e->kind]);
    if (has_operand) {
        out_char(out, '(');
        if (is_of_task) {
            put_task(w, e->peer);
        } else {
            put_name(w, e->object);
        }
        out_char(out, ')');
    }
    out_char(out, '|');
    put_location(w, e->location);
    out_char(out, '\n');
    return true;
}

static const struct event_writer_format format = {.name = "RAPID STD", .put = put_event};

struct writer *std_writer_new(struct out *out, const struct tables *t, struct notes *n)
{
    struct std_writer *w = mem_zero(1, sizeof *w);
    event_writer_init(&w->base, &format, out, t, n);
#define OPERATION(name, kind) w->name_of[EVENT_##kind] = name;
    STD_OPERATION_LIST(OPERATION)
#undef OPERATION
    return &w->base.writer;
}
