#include "trace/cursor.h"

#include "base/mem.h"

int cursor_next(struct cursor *c, struct batch *b, struct err *e)
{
    *b = (struct batch){0};
    const int more = c->ops->next(c, b, e);
    must(more <= 0 || b->count > 0);
    return more;
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
