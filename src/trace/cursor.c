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
