/* Functions of libc and other shared objects that the simulator neither rewinds nor repeats. A
 * system that calls one can be searched, and its violations are real; but a complete search of it
 * is no proof. */
#include "sim/unsupported_calls.h"

#include <stdio.h>

#include "place/undefined_symbols.h"
#include "sim/net.h"
#include "sim/state_hash.h"
#include "world/libc_symbols.h"

/* Sentences beyond these are counted. */
enum { DOUBTS_MAX = 12 };

struct finding_doubts {
    struct sim *sim;
    uint32_t left_out;
    uint32_t unknown_count; /* symbols of shared libraries ... */
    char unknown[100];      /* ... and the first of them */
};

static void note(struct finding_doubts *d, const char *symbol, const char *why, const char *remedy)
{
    struct sim *s = d->sim;
    if (s->kept.doubts.count == DOUBTS_MAX) {
        d->left_out++;
        return;
    }
    char text[300];
    const int size = snprintf(text, sizeof text, "%.100s %s%s", symbol, why, remedy);
    must(size > 0);
    must((size_t)size < sizeof text);
    vec_push(&s->kept.doubts, arena_text(&s->kept.texts, text, (size_t)size));
}

static void judge(void *context, const char *symbol)
{
    struct finding_doubts *d = context;
    const struct libc_symbol found = libc_symbol_find(symbol);
    switch (found.use) {
    case LIBC_HARMLESS: return;
    case LIBC_ROUTED: note(d, symbol, found.why, ": link the system with clew cc --sim"); return;
    case LIBC_REFUSED: note(d, symbol, found.why, ""); return;
    case LIBC_UNKNOWN:
        if (d->unknown_count++ == 0) {
            (void)snprintf(d->unknown, sizeof d->unknown, "%s", symbol);
        }
        return;
    }
}

int doubt_library(struct sim *s, struct err *e)
{
    struct finding_doubts d = {.sim = s};
    if (undefined_symbols(s->library.path, judge, &d, e) < 0) {
        return -1;
    }
    if (d.unknown_count == 1) {
        note(&d, d.unknown, "is of a shared library, whose state is not rewound",
             ": link a static archive of it");
    } else if (d.unknown_count > 1) {
        char why[100];
        (void)snprintf(why, sizeof why,
                       "and %u more are of shared libraries, whose state is not rewound",
                       d.unknown_count - 1);
        note(&d, d.unknown, why, ": link static archives of them");
    }
    if (d.left_out > 0) {
        char text[60];
        const int size = snprintf(text, sizeof text, "%u more like these", d.left_out);
        vec_push(&s->kept.doubts, arena_text(&s->kept.texts, text, (size_t)size));
    }
    s->world.doubts = s->kept.doubts.at;
    s->world.doubt_count = (uint32_t)s->kept.doubts.count;
    return 0;
}

void doubt_close(struct sim *s)
{
    vec_release(&s->kept.doubts);
}
