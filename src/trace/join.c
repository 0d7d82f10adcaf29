#include "trace/join.h"

#include "base/mem.h"

struct join {
    struct cursor cursor;
    struct join_inputs inputs;
    struct cursor *part;  /* the input being read, NULL between two */
    VEC(uint64_t) starts; /* as many as were opened */
    uint64_t event_count;
    uint64_t offset_before; /* bytes of the inputs before this one */
    uint64_t tick_ns;
    bool is_stamped; /* one of them is */
};

/* What the readers say of their inputs alone becomes what holds for all. A tick of 0 says nothing.
 */
static int agree(struct join *j, struct err *e)
{
    struct tables *t = j->cursor.tables;
    if (j->tick_ns != 0 && t->tick_ns != 0 && t->tick_ns != j->tick_ns) {
        return err_set(e,
                       "its unit of time differs from that of the inputs before; convert it first");
    }
    j->tick_ns = t->tick_ns != 0 ? t->tick_ns : j->tick_ns;
    t->tick_ns = j->tick_ns;
    j->is_stamped = j->is_stamped || t->order == ORDER_STAMPED;
    if (j->inputs.count > 1) {
        t->order = j->is_stamped ? ORDER_STAMPED : ORDER_NODE;
    }
    return 0;
}

static int open_part(struct join *j, struct err *e)
{
    struct cursor *c = &j->cursor;
    const char *path = j->inputs.paths[j->starts.count];
    vec_push(&j->starts, j->event_count);
    c->path = format_path_name(path);
    c->tables->tick_ns = 0;
    j->part =
        format_open_unnamed(j->inputs.formats, j->inputs.wanted, path, c->tables, c->notes, e);
    return j->part == NULL ? -1 : agree(j, e);
}

static void close_part(struct join *j)
{
    if (j->part != NULL) {
        j->offset_before += j->part->in.offset;
        cursor_close(j->part);
        j->part = NULL;
    }
}

static int next_batch(struct cursor *c, struct batch *b, struct err *e)
{
    struct join *j = (struct join *)c;
    for (;;) {
        if (j->part == NULL) {
            if (j->starts.count == j->inputs.count) {
                return 0;
            }
            if (open_part(j, e) < 0) {
                return -1;
            }
        }
        const int more = cursor_next(j->part, b, e);
        c->in.offset = j->offset_before + j->part->in.offset;
        if (more != 0) {
            b->input = j->starts.count - 1;
            j->event_count += b->count;
            return more;
        }
        close_part(j);
    }
}

static void close_all(struct cursor *c)
{
    struct join *j = (struct join *)c;
    close_part(j);
    vec_release(&j->starts);
}

static const struct cursor_ops ops = {.next = next_batch, .close = close_all};

struct cursor *join_open(const struct join_inputs *inputs, struct tables *t, struct notes *n,
                         struct err *e)
{
    must(inputs->count > 0);
    struct join *j = mem_zero(1, sizeof *j);
    j->inputs = *inputs;
    j->cursor = (struct cursor){.ops = &ops, .tables = t, .notes = n, .in = {.fd = -1}};
    if (open_part(j, e) < 0) {
        (void)err_wrap(e, "%s", j->cursor.path);
        cursor_close(&j->cursor);
        return NULL;
    }
    return &j->cursor;
}

const uint64_t *join_starts(const struct cursor *c, size_t *count)
{
    must(c->ops == &ops);
    const struct join *j = (const struct join *)c;
    *count = j->starts.count;
    return j->starts.at;
}
