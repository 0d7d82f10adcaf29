/* What a library takes from libc and other shared objects that the simulator neither rewinds nor
 * repeats. Such a system can be searched, and what is found in it is found; but a search of it that
 * has ended is no proof. */
#include <stdio.h>

#include "place/undefined_symbols.h"
#include "sim/state.h"
#include "world/libc_symbols.h"

/* Sentences beyond these are counted. */
enum { DOUBTS_MAX = 12 };

struct finding_doubts {
    struct sim *sim;
    uint32_t left_out;
};

static void note(struct finding_doubts *d, const char *symbol, const char *why, const char *remedy)
{
    struct sim *s = d->sim;
    if (s->doubts.count == DOUBTS_MAX) {
        d->left_out++;
        return;
    }
    char text[300];
    const int size = snprintf(text, sizeof text, "%.100s %s%s", symbol, why, remedy);
    must(size > 0);
    must((size_t)size < sizeof text);
    vec_push(&s->doubts, arena_text(&s->texts, text, (size_t)size));
}

static void judge(void *context, const char *symbol)
{
    const struct libc_symbol found = libc_symbol_find(symbol);
    switch (found.use) {
    case LIBC_HARMLESS: return;
    case LIBC_ROUTED:
        note(context, symbol, found.why, ": link the system with clew cc --sim");
        return;
    case LIBC_REFUSED: note(context, symbol, found.why, ""); return;
    case LIBC_UNKNOWN:
        note(context, symbol, "is of a shared library, whose state is not rewound",
             ": link a static archive of it");
        return;
    }
}

int doubt_library(struct sim *s, struct err *e)
{
    struct finding_doubts d = {.sim = s};
    if (undefined_symbols(s->library_path, judge, &d, e) < 0) {
        return -1;
    }
    if (d.left_out > 0) {
        char text[60];
        const int size = snprintf(text, sizeof text, "%u more like these", d.left_out);
        vec_push(&s->doubts, arena_text(&s->texts, text, (size_t)size));
    }
    s->world.doubts = s->doubts.at;
    s->world.doubt_count = (uint32_t)s->doubts.count;
    return 0;
}

void doubt_close(struct sim *s)
{
    vec_release(&s->doubts);
}
