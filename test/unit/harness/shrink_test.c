#include "shrink.h"

#include "test.h"
#include "trace_of.h"
#include "wire/kind.h"

struct wanted {
    uint32_t reads, writes;
    uint32_t calls;
};

/* Fails as long as it has that many reads and writes. */
static bool has_enough(const struct trace *t, void *context)
{
    struct wanted *wanted = context;
    uint32_t reads = 0;
    uint32_t writes = 0;
    wanted->calls++;
    trace_each (t, e) {
        reads += e->kind == EVENT_READ;
        writes += e->kind == EVENT_WRITE;
    }
    return reads >= wanted->reads && writes >= wanted->writes;
}

TEST(only_what_fails_is_left)
{
    struct trace small;
    struct wanted wanted = {.reads = 1, .writes = 2};
    trace_shrink(&small, trace_of("A w x; A acq m; A r x; B r x; B w x; B w x; A rel m"),
                 has_enough, &wanted);
    check_same_trace(&small, trace_of("A w x; A r x; B w x"));
    trace_release(&small);
}

TEST(what_cannot_shrink_stays)
{
    struct trace small;
    struct wanted wanted = {.reads = 1, .writes = 1};
    const struct trace *t = trace_of("A w x; B r x");
    trace_shrink(&small, t, has_enough, &wanted);
    check_same_trace(&small, t);
    CHECK_INT(wanted.calls, 2);
    trace_release(&small);
}
