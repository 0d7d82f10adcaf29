#include "fuzz.h"

#include "order/hb.h"
#include "wire/kind.h"

/* A line of events at a few places, for orders to speak of. */
static void make_trace(struct trace *t)
{
    static const char *const places[] = {"Publish.java:17", "Consume.java:9", "queue \"pop\"", ""};
    trace_init(t);
    for (uint32_t i = 0; i < 16; i++) {
        const char task[] = {'T', (char)('0' + i % 3)};
        const struct event e = {
            .kind = i % 2 == 0 ? EVENT_WRITE : EVENT_READ,
            .task = tables_task_text(&t->tables, task, sizeof task),
            .object = names_intern_text(&t->tables.names, "x"),
            .location = names_intern_text(&t->tables.names, places[i % 4]),
        };
        trace_append(t, &e);
    }
    trace_seal(t);
}

FUZZ_ENTRY(given)
{
    struct given g = {0};
    struct err e = {0};
    if (given_parse(&g, (const char *)bytes, size, &e) == 0) {
        struct trace t;
        struct hb hb;
        struct notes n = {0};
        make_trace(&t);
        const struct hb_options options = {.model = HB_STRICT, .scope = REACH_ALL, .given = &g};
        if (hb_build(&hb, &t, &options, &n, &e) == 0) {
            for (event_id id = 0; id < t.events.count; id++) {
                must(!hb_is_before(&hb, id, id));
            }
            hb_release(&hb);
        }
        notes_release(&n);
        trace_release(&t);
    }
    given_release(&g);
}
