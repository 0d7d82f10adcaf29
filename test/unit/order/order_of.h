/* Happens-before of a trace in a line: `before("T1 w x; ...", 0, 1)` asks about events by index. */
#ifndef CLEW_TEST_ORDER_OF_H
#define CLEW_TEST_ORDER_OF_H

#include "order/hb.h"

#include "test.h"
#include "trace_of.h"

/* Builds the relation of the text, with all pairs to ask about. */
static inline void order_of(struct hb *hb, const char *text, enum hb_model model, struct notes *n)
{
    struct err e = {0};
    const struct hb_options options = {.model = model, .scope = REACH_ALL};
    if (hb_build(hb, trace_of(text), &options, n, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

/* "<" when a is before b, ">" when it is after, "|" when neither. */
static inline const char *relation(const char *text, enum hb_model model, event_id a, event_id b)
{
    struct notes n = {0};
    struct hb hb;
    order_of(&hb, text, model, &n);
    const char *result = hb_is_before(&hb, a, b) ? "<" : hb_is_before(&hb, b, a) ? ">" : "|";
    hb_release(&hb);
    notes_release(&n);
    trace_of_release();
    return result;
}

static inline const char *strictly(const char *text, event_id a, event_id b)
{
    return relation(text, HB_STRICT, a, b);
}

static inline const char *observed(const char *text, event_id a, event_id b)
{
    return relation(text, HB_OBSERVED, a, b);
}

/* How often the strict relation notes something that contains these words. */
static inline uint64_t notes_about(const char *text, const char *words)
{
    struct notes n = {0};
    struct hb hb;
    order_of(&hb, text, HB_STRICT, &n);
    uint64_t count = 0;
    vec_each (&n.list, note) {
        count += strstr(note->text, words) != NULL ? note->count : 0;
    }
    hb_release(&hb);
    notes_release(&n);
    trace_of_release();
    return count;
}

#endif
