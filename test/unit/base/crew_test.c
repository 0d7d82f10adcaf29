#include "base/fork_pool.h"

#include <signal.h>

#include "base/fault_injection.h"
#include "test.h"

/* Squares, one per part; some parts misbehave. */
struct squares {
    uint32_t fails_at, dies_at; /* parts */
    char taken[200];
};

static int work(void *context, uint32_t part, struct out *result, struct err *e)
{
    const struct squares *s = context;
    out_format(result, "%u ", part * part);
    if (part == s->dies_at) {
        (void)raise(SIGKILL);
    }
    return part == s->fails_at ? err_set(e, "part %u is no good", part) : 0;
}

static int take(void *context, const char *bytes, size_t size, struct err *e)
{
    struct squares *s = context;
    if (strlen(s->taken) + size >= sizeof s->taken) {
        return err_set(e, "too much");
    }
    strncat(s->taken, bytes, size);
    return 0;
}

static int run(struct squares *s, uint32_t count, struct err *e)
{
    return fork_pool_run(
        &(struct fork_pool){.count = count, .work = work, .take = take, .context = s}, e);
}

TEST(results_come_in_the_order_of_the_parts)
{
    struct squares s = {.fails_at = UINT32_MAX, .dies_at = UINT32_MAX};
    struct err e = {0};
    CHECK_INT(run(&s, 5, &e), 0);
    CHECK_TEXT(s.taken, "0 1 4 9 16 ");
}

TEST(a_part_that_fails_fails_the_crew)
{
    struct squares s = {.fails_at = 2, .dies_at = UINT32_MAX};
    struct err e = {0};
    CHECK_INT(run(&s, 4, &e), -1);
    CHECK_TEXT(e.text, "part 2 is no good");
}

TEST(a_part_that_dies_fails_the_crew)
{
    struct squares s = {.fails_at = UINT32_MAX, .dies_at = 1};
    struct err e = {0};
    CHECK_INT(run(&s, 3, &e), -1);
    CHECK_TEXT(e.text, "a worker process died, perhaps for lack of memory; use fewer (-j)");
}

/* More than a pipe holds, from everybody at once. */
static int work_much(void *context, uint32_t part, struct out *result, struct err *e)
{
    (void)context;
    (void)e;
    for (int i = 0; i < 300000; i++) {
        out_char(result, (char)('a' + part));
    }
    return 0;
}

static int take_much(void *context, const char *bytes, size_t size, struct err *e)
{
    (void)e;
    CHECK_INT(size, 300000);
    CHECK_INT(bytes[0], 'a' + *(int *)context);
    CHECK_INT(bytes[size - 1], 'a' + (*(int *)context)++);
    return 0;
}

TEST(results_may_be_long)
{
    int part = 0;
    struct err e = {0};
    const struct fork_pool c = {.count = 3, .work = work_much, .take = take_much, .context = &part};
    CHECK_INT(fork_pool_run(&c, &e), 0);
    CHECK_INT(part, 3);
}

TEST(a_pipe_or_process_that_cannot_be_made_is_an_error)
{
    /* After its own memory the crew makes a pipe and a process. */
    for (uint64_t call = 2; call <= 3; call++) {
        struct squares s = {.fails_at = UINT32_MAX, .dies_at = UINT32_MAX};
        struct err e = {0};
        seam_arm(call);
        CHECK_INT(run(&s, 1, &e), -1);
        CHECK(seam_disarm());
        CHECK(strstr(e.text, call % 2 == 0 ? "cannot start a worker: pipe: "
                                           : "cannot start a worker: fork: ") != NULL);
    }
}
