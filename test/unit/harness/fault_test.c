#include "fault.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out.h"
#include "scratch.h"
#include "test.h"

static const char *path;

static int write_a_file(void *context)
{
    (void)context;
    struct err e;
    struct out o;
    if (out_open(&o, path, &e) < 0) {
        return fault_told(&e);
    }
    out_text(&o, "whole");
    return out_close(&o, &e) < 0 ? fault_told(&e) : 0;
}

static bool is_whole_or_absent(void *context, int status)
{
    (void)context;
    char *bytes = scratch_read(path, NULL);
    const bool is_right =
        status == 0 ? bytes != NULL && strcmp(bytes, "whole") == 0 : bytes == NULL;
    mem_free(bytes);
    (void)unlink(path);
    return is_right;
}

TEST(every_call_of_a_writer_fails_once)
{
    path = scratch_path("file");
    const uint64_t calls =
        fault_sweep(&(struct fault_sweep){write_a_file, NULL, is_whole_or_absent});
    CHECK_INT(calls, 7); /* two names, open, buffer, write, close, rename */
}

/* Whether a sweep over this work fails the test it is in: asked in a child, which prints nothing.
 */
static bool sweep_fails(int (*run)(void *context))
{
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        must(freopen("/dev/null", "w", stdout) != NULL);
        must(freopen("/dev/null", "w", stderr) != NULL);
        (void)fault_sweep(&(struct fault_sweep){.run = run});
        _exit(0);
    }
    int status = 0;
    must(waitpid(child, &status, 0) == child);
    return status != 0;
}

static int dies(void *context)
{
    (void)context;
    struct err e;
    struct out o;
    if (out_open(&o, path, &e) < 0) {
        abort();
    }
    out_abandon(&o);
    return 0;
}

static int says_nothing(void *context)
{
    (void)context;
    struct err e;
    struct out o;
    if (out_open(&o, path, &e) < 0) {
        return 2;
    }
    out_abandon(&o);
    return 0;
}

static int leaves_a_part(void *context)
{
    (void)context;
    void *block = mem_zero(1, 1);
    mem_free(block);
    (void)scratch_write("left.part", "x", 1);
    return 0;
}

static void *volatile lost;

static int leaks(void *context)
{
    (void)context;
    for (int i = 0; i < 100; i++) {
        lost = mem_zero(1000, 1);
    }
    lost = NULL;
    return 0;
}

TEST(a_sweep_sees_leaks_where_the_sanitizer_can)
{
#ifdef __SANITIZE_ADDRESS__
    CHECK(sweep_fails(leaks));
#else
    CHECK(!sweep_fails(leaks));
#endif
}

TEST(a_sweep_sees_what_is_not_handled)
{
    path = scratch_path("file");
    CHECK(sweep_fails(dies));
    CHECK(sweep_fails(says_nothing));
    CHECK(sweep_fails(leaves_a_part));
    (void)unlink(scratch_path("left.part"));
}
