#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "import/lost.h"
#include "import/std.h"
#include "import/task_text.h"

struct std_writer {
    struct writer writer;
    const char *name_of[KIND_LIMIT]; /* NULL: STD has none */
    struct task_text task_text;
    struct lost lost;
};

static void put_coded(struct std_writer *w, char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const unsigned char byte = (unsigned char)c;
    const char coded[] = {'%', digits[byte >> 4], digits[byte & 15]};
    out_bytes(&w->writer.out, coded, sizeof coded);
    lost_add(&w->lost, LOST_BIT(LOST_CODED));
}

/* A field ends at '|' and a line at its end: inside names these are written %XX, like all control
 * characters and what is not UTF-8. */
static void put(struct std_writer *w, const char *text, size_t size)
{
    struct out *out = &w->writer.out;
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
    const struct names *names = &w->writer.tables->names;
    put(w, names_text(names, name), names_size(names, name));
}

static void put_task(struct std_writer *w, uint32_t task)
{
    task_text_set(&w->task_text, w->writer.tables, task, &w->lost);
    put(w, w->task_text.chars.at, w->task_text.chars.count);
}

/* 0 stands for none, so a location of that name needs another. */
static void put_location(struct std_writer *w, uint32_t location)
{
    if (location == 0) {
        out_char(&w->writer.out, '0');
    } else if (strcmp(names_text(&w->writer.tables->names, location), "0") == 0) {
        put_coded(w, '0');
    } else {
        put_name(w, location);
    }
}

static void put_event(struct std_writer *w, const struct event *e)
{
    const bool is_region = e->kind == EVENT_ATOMIC_BEGIN || e->kind == EVENT_ATOMIC_END;
    const bool is_of_task = e->kind == EVENT_THREAD_CREATE || e->kind == EVENT_THREAD_JOIN;
    const bool has_operand = is_of_task ? (e->has & HAS_PEER) != 0 : e->object != 0;
    if (!is_region && !has_operand) {
        lost_add(&w->lost, LOST_BIT(LOST_OPERAND));
        return;
    }
    lost_add(&w->lost, lost_fields_of(e) & ~(LOST_BIT(LOST_LOCATION) |
                                             LOST_BIT(is_of_task ? LOST_PEER : LOST_OBJECT)));
    struct out *out = &w->writer.out;
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
}

static int write_events(struct writer *writer, const struct event *events, size_t count,
                        struct err *e)
{
    struct std_writer *w = (struct std_writer *)writer;
    for (size_t i = 0; i < count; i++) {
        must(events[i].kind < KIND_LIMIT);
        if (w->name_of[events[i].kind] == NULL) {
            w->lost.events[events[i].kind]++;
        } else {
            put_event(w, &events[i]);
        }
    }
    if (writer->out.failed) {
        *e = writer->out.failure;
        return -1;
    }
    return 0;
}

static int finish(struct writer *writer, struct err *e)
{
    (void)e; /* out_close tells */
    struct std_writer *w = (struct std_writer *)writer;
    lost_note(&w->lost, writer->notes, "RAPID STD");
    return 0;
}

static void release(struct writer *writer)
{
    task_text_release(&((struct std_writer *)writer)->task_text);
}

static const struct writer_ops ops = {.write = write_events, .finish = finish, .release = release};

struct writer *std_writer_new(struct out *out, const struct tables *t, struct notes *n)
{
    struct std_writer *w = mem_zero(1, sizeof *w);
    w->writer = (struct writer){.ops = &ops, .tables = t, .notes = n, .out = *out};
#define OPERATION(name, kind) w->name_of[EVENT_##kind] = name;
    STD_OPERATION_LIST(OPERATION)
#undef OPERATION
    return &w->writer;
}
