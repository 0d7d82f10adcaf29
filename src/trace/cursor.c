#include "trace/cursor.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"

int cursor_next(struct cursor *c, struct batch *b, struct err *e)
{
    *b = (struct batch){0};
    const int more = c->ops->next(c, b, e);
    must(more <= 0 || b->count > 0);
    return more;
}

bool cursor_keep_names(struct cursor *c, struct bits is_kept)
{
    if (c->ops->forget == NULL || !c->ops->forget(c)) {
        return false;
    }
    bits_add(is_kept, c->tables->source);
    vec_each (&c->tables->tasks, task) {
        bits_add(is_kept, task->node);
        bits_add(is_kept, task->name);
    }
    names_keep(&c->tables->names, is_kept);
    return true;
}

void cursor_note_unended(struct cursor *c, uint64_t offset)
{
    char place[sizeof((struct note *)NULL)->place];
    (void)snprintf(place, sizeof place, "%s: byte %" PRIu64, c->path, offset);
    notes_add(c->notes, place, "the last line has no end: the file may be cut short");
}

void cursor_close(struct cursor *c)
{
    if (c == NULL) {
        return;
    }
    c->ops->close(c);
    in_close(&c->in);
    mem_free(c);
}
