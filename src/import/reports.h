/* Reports of the processes of a system, for `clew monitor`: a value that changed, a message sent or
 * received, each stamped by the process's own clock. One report per line, as a flat JSON object or
 * as a row of CSV under a line of headings:
 *
 *     {"process": "p1", "seq": 7, "pt_us": 4500, "l": 4500, "c": 0, "name": "use", "value": 1}
 *
 *     process,seq,pt_us,event,name,value
 *     p1,7,4500,set,use,1
 *     p1,8,5100,send,m1,
 *
 *     process   the reporting process: a node of the trace
 *     event     set, unset: the variable `name` has this value, or none any more
 *               send, recv: the message `name`, which is unique in the whole run
 *               hello: the process starts or restarts; it has no values yet
 *               alive: nothing happened up to now
 *               (set when the field is absent)
 *     value     a whole number, or true or false
 *     pt        physical time, in ticks of an unknown length; pt_ns, pt_us, pt_ms give the length
 *     l, c      the hybrid logical clock: its time, in the same ticks, and its counter
 *     seq       the number of the report among those of its process, consecutive
 *
 * Only the process and the operands of the event are required; other fields are ignored. Sequence
 * numbers are kept as the event's count (of which 32 bits remain). */
#ifndef CLEW_IMPORT_REPORTS_H
#define CLEW_IMPORT_REPORTS_H

#include "import/text_builder.h"
#include "import/text_memo.h"
#include "trace/format.h"
#include "trace/line_reader.h"

#define REPORT_FIELD_LIST(FIELD) \
    FIELD(PROCESS, "process")    \
    FIELD(EVENT, "event")        \
    FIELD(NAME, "name")          \
    FIELD(VALUE, "value")        \
    FIELD(SEQ, "seq")            \
    FIELD(PT, "pt")              \
    FIELD(PT_NS, "pt_ns")        \
    FIELD(PT_US, "pt_us")        \
    FIELD(PT_MS, "pt_ms")        \
    FIELD(L, "l")                \
    FIELD(C, "c")

enum report_field {
#define FIELD(id, name) REPORT_##id,
    REPORT_FIELD_LIST(FIELD)
#undef FIELD
        REPORT_FIELD_COUNT
};

/* The field of this name, REPORT_FIELD_COUNT when there is none. */
enum report_field report_field_of(struct piece name);

struct reports;

/* A form: how to split a line into fields. */
struct reports_form {
    const char *source;
    /* Sets the fields of r (reports_set) from the line; 1, 0 for a line that is no report, -1. */
    int (*read)(struct reports *r, struct piece line, struct err *e);
    void (*release)(struct reports *r);
};

/* A reader of either form begins with this. */
struct reports {
    struct cursor cursor;
    const struct reports_form *form;
    struct lines lines;
    struct text fields[REPORT_FIELD_COUNT];
    unsigned given; /* a bit per field present */
    uint64_t event_total;
    struct memo names;
    uint32_t task_name;
    struct event events[BATCH_MAX];
    uint64_t offsets[BATCH_MAX];
};

/* A new reader of `size` bytes, all 0, that begins with a struct reports. */
struct cursor *reports_new(size_t size, const struct reports_form *form, struct in *in,
                           struct tables *t, struct notes *n);

/* The first line of the input, which must be in its window, after a byte order mark; *line is valid
 * until the next read. */
MUST_USE int reports_first_line(struct in *in, struct piece *line, struct err *e);

/* Sets this field of the line. */
void reports_set(struct reports *r, enum report_field field, struct piece text);

/* Fails on the current line. */
int reports_fail(const struct reports *r, const char *what, struct err *e);

#endif
