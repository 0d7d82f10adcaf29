#include "cli/verbs/assumptions.h"

#include <stdio.h>

enum assumption {
    SEQUENTIAL_CONSISTENCY,
    NO_SPURIOUS_WAKEUPS,
    ONE_SEED,
    LIBRARY_STATE,
    ASSUMPTION_COUNT,
};

/* A program whose atomic operations are all seq_cst and that has no data race is sequentially
 * consistent (C17 5.1.2.4). */
static bool is_made(const struct exploration *x, enum assumption a)
{
    if (!exploration_is_program(x)) {
        return false;
    }
    const struct control_told told = control_told(x->world);
    switch (a) {
    case SEQUENTIAL_CONSISTENCY:
        return told.has_weak_order || (x->found.is_complete && x->found.has_data_races);
    case NO_SPURIOUS_WAKEUPS: return told.has_waited;
    case ONE_SEED: return told.has_drawn;
    case LIBRARY_STATE: return told.unmodelled_count > 0;
    case ASSUMPTION_COUNT: break;
    }
    return false;
}

bool assumptions_are_made(const struct exploration *x)
{
    for (int a = 0; a < ASSUMPTION_COUNT; a++) {
        if (is_made(x, (enum assumption)a)) {
            return true;
        }
    }
    return false;
}

/* "hsearch, lsearch and 3 more". */
static const char *functions(const struct exploration *x, char *text, size_t size)
{
    enum { SHOWN = 3 };
    const struct control_told told = control_told(x->world);
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < told.unmodelled_count && i < SHOWN && at < size; i++) {
        at += (size_t)snprintf(text + at, size - at, "%s%.60s", i == 0 ? "" : ", ",
                               told.unmodelled[i]);
    }
    if (told.unmodelled_count > SHOWN && at < size) {
        (void)snprintf(text + at, size - at, " and %u more", told.unmodelled_count - SHOWN);
    }
    return text;
}

static const char *sentence(const struct exploration *x, enum assumption a, struct findings *f)
{
    switch (a) {
    case SEQUENTIAL_CONSISTENCY:
        return control_told(x->world).has_weak_order
                   ? "memory is sequentially consistent, though the program has atomic operations "
                     "weaker than seq_cst"
                   : "memory is sequentially consistent, though the program has data races";
    case NO_SPURIOUS_WAKEUPS:
        return "no wait for a condition ends without a signal (--spurious-wakeups 1 explores that)";
    case ONE_SEED:
        return findings_text(f, "random numbers are those of seed %llu (--seed chooses others)",
                             (unsigned long long)x->options.search.seed);
    case LIBRARY_STATE: {
        char text[256];
        return findings_text(f, "what threads share inside of %s is not seen",
                             functions(x, text, sizeof text));
    }
    case ASSUMPTION_COUNT: break;
    }
    return "";
}

void assumptions_add(const struct exploration *x, struct finding_file *f)
{
    for (int a = 0; a < ASSUMPTION_COUNT; a++) {
        if (is_made(x, (enum assumption)a)) {
            vec_push(&f->assumptions, sentence(x, (enum assumption)a, &f->findings));
        }
    }
}

void assumptions_print(const struct exploration *x, struct out *out)
{
    const char *before = " ";
    if (is_made(x, SEQUENTIAL_CONSISTENCY)) {
        out_format(out, "%sunder sequential consistency", before);
        before = ", ";
    }
    if (is_made(x, NO_SPURIOUS_WAKEUPS)) {
        out_format(out, "%swithout spurious wake-ups (--spurious-wakeups 1 explores them)", before);
        before = ", ";
    }
    if (is_made(x, ONE_SEED)) {
        out_format(out, "%swith the random numbers of seed %llu", before,
                   (unsigned long long)x->options.search.seed);
        before = ", ";
    }
    if (is_made(x, LIBRARY_STATE)) {
        char text[256];
        out_format(out, "%swithout what threads share inside of %s", before,
                   functions(x, text, sizeof text));
    }
}
