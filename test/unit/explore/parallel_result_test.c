/* The result of one process of a parallel search, as bytes. */
#include <string.h>

#include "base/mem.h"
#include "explore/parallel.h"
#include "test.h"

static char *text(const char *of)
{
    return mem_text(of, strlen(of));
}

static void tell_one(struct out *bytes)
{
    struct explored x = {.runs = 3, .steps = 12, .is_stopped = true};
    vec_push(&x.violations, (struct violation){.key = text("crash: SIGSEGV"),
                                               .what = text("main: signal SIGSEGV"),
                                               .calls = text(""),
                                               .schedule = text("clew schedule 1\n"),
                                               .outcome = OUTCOME_CRASH,
                                               .run = 2,
                                               .count = 1});
    out_open_memory(bytes);
    parallel_tell(&x, bytes);
    explored_release(&x);
}

TEST(what_one_process_tells_another_takes)
{
    struct out bytes;
    struct explored joined = {.runs = 4};
    struct err e;
    tell_one(&bytes);
    CHECK_INT(parallel_take(&joined, bytes.buffer, bytes.used, &e), 0);
    CHECK_INT(joined.runs, 7);
    CHECK(joined.is_stopped);
    CHECK_INT(joined.violations.count, 1);
    CHECK_TEXT(joined.violations.at[0].schedule, "clew schedule 1\n");
    explored_release(&joined);
    out_abandon(&bytes);
}

TEST(a_result_that_is_cut_anywhere_is_refused)
{
    struct out bytes;
    tell_one(&bytes);
    for (size_t size = 0; size < bytes.used; size++) {
        struct explored joined = {0};
        struct err e;
        char *cut = mem_resize(NULL, size + 1); /* of its own, so that a read past it is found */
        memcpy(cut, bytes.buffer, size);
        cut = mem_resize(cut, size == 0 ? 1 : size);
        CHECK_INT(parallel_take(&joined, cut, size, &e), -1);
        mem_free(cut);
        explored_release(&joined);
    }
    out_abandon(&bytes);
}
