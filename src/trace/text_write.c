#include "base/mem.h"
#include "trace/kind_table.h"
#include "trace/quoted_word.h"
#include "trace/text_parts.h"

struct text_writer {
    struct writer writer;
    bool has_header;
};

static void print_name(struct text_writer *w, uint32_t name)
{
    const struct names *names = &w->writer.tables->names;
    word_print(&w->writer.out, names_text(names, name), names_size(names, name));
}

static void print_task(struct text_writer *w, uint32_t number)
{
    must(number < w->writer.tables->tasks.count);
    const struct task *task = &w->writer.tables->tasks.at[number];
    print_name(w, task->name);
    if (task->node != 0) {
        out_char(&w->writer.out, '@');
        print_name(w, task->node);
    }
}

static void print_key(struct text_writer *w, enum text_key key)
{
    static const char *const keys[] = {
#define KEY(id, key) " " key "=",
        TEXT_KEY_LIST(KEY)
#undef KEY
    };
    out_text(&w->writer.out, keys[key]);
}

static void print_named(struct text_writer *w, enum text_key key, uint32_t name)
{
    if (name != 0) {
        print_key(w, key);
        print_name(w, name);
    }
}

/* Prints the operand without a key: the peer for kinds that have one, else the object. */
static void print_operands(struct text_writer *w, const struct event *e, const struct kind *kind)
{
    const bool has_peer = (e->has & HAS_PEER) != 0;
    const bool is_peer_bare = (kind->fields & F_PEER) != 0;
    if (has_peer) {
        if (is_peer_bare) {
            out_char(&w->writer.out, ' ');
        } else {
            print_key(w, TEXT_PEER);
        }
        print_task(w, e->peer);
    }
    if (e->object != 0) {
        if (is_peer_bare) {
            print_key(w, TEXT_OBJECT);
        } else {
            out_char(&w->writer.out, ' ');
        }
        print_name(w, e->object);
    }
    if (e->location != 0) {
        out_text(&w->writer.out, " @");
        print_name(w, e->location);
    }
}

static void print_numbers(struct text_writer *w, const struct event *e)
{
    struct out *out = &w->writer.out;
    if ((e->has & HAS_VALUE) != 0) {
        print_key(w, TEXT_VALUE);
        out_i64(out, e->value);
    }
    if ((e->has & HAS_SIZE) != 0) {
        print_key(w, TEXT_SIZE);
        out_u64(out, e->size);
    }
    if ((e->has & HAS_COUNT) != 0) {
        print_key(w, TEXT_COUNT);
        out_u64(out, e->count);
    }
    print_named(w, TEXT_TEXT, e->text);
    if ((e->has & HAS_TIME) != 0) {
        print_key(w, TEXT_TIME);
        out_i64(out, e->time);
    }
    if ((e->has & HAS_HLC) != 0) {
        print_key(w, TEXT_HLC);
        out_i64(out, e->hlc_time);
        out_char(out, ',');
        out_u64(out, e->hlc_count);
    }
}

static void print_event(struct text_writer *w, const struct event *e)
{
    struct out *out = &w->writer.out;
    const struct kind *kind = kind_of(e->kind);
    must(kind != NULL);
    print_task(w, e->task);
    out_char(out, ' ');
    out_text(out, kind->name);
    print_operands(w, e, kind);
    if (e->mode != MODE_UNSAID) {
        const char *mode = mode_name(kind->modes, e->mode);
        must(mode != NULL);
        print_key(w, TEXT_MODE);
        out_text(out, mode);
    }
    if ((e->has & HAS_PEER) == 0) {
        print_named(w, TEXT_MESSAGE, e->message);
    }
    print_numbers(w, e);
    out_char(out, '\n');
}

static void print_header(struct text_writer *w)
{
    const struct tables *t = w->writer.tables;
    struct out *out = &w->writer.out;
    if (w->has_header) {
        return;
    }
    out_format(out, "clew-text %d order=%s", TEXT_VERSION, order_kind_name(t->order));
    if (t->tick_ns != 0) {
        out_text(out, " tick=");
        out_u64(out, t->tick_ns);
    }
    if (t->source != 0) {
        out_text(out, " source=");
        print_name(w, t->source);
    }
    out_char(out, '\n');
    w->has_header = true;
}

static int write_events(struct writer *writer, const struct event *events, size_t count,
                        struct err *e)
{
    (void)e;
    struct text_writer *w = (struct text_writer *)writer;
    print_header(w);
    for (size_t i = 0; i < count; i++) {
        print_event(w, &events[i]);
    }
    return 0;
}

static int finish(struct writer *writer, struct err *e)
{
    (void)e;
    print_header((struct text_writer *)writer);
    return 0;
}

static void release(struct writer *writer)
{
    (void)writer;
}

static const struct writer_ops ops = {write_events, finish, release};

struct writer *text_create(struct out *out, const struct tables *t, struct notes *n)
{
    struct text_writer *w = mem_zero(1, sizeof *w);
    w->writer = (struct writer){.ops = &ops, .tables = t, .notes = n, .out = *out};
    return &w->writer;
}
