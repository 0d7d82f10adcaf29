#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TESTS_MAX = 400 };

static struct CMUnitTest tests[TESTS_MAX];
static size_t test_total;

void test_register(const char *name, CMUnitTestFunction run)
{
    if (test_total == TESTS_MAX) {
        abort();
    }
    tests[test_total++] = (struct CMUnitTest){.name = name, .test_func = run};
}

int test_is_long(void)
{
    return getenv("CLEW_TEST_LONG") != NULL;
}

uint64_t test_count(uint64_t count, uint64_t count_long)
{
    return test_is_long() ? count_long : count;
}

uint64_t test_seed(void)
{
    const char *text = getenv("CLEW_TEST_SEED");
    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

const char *test_shared_data(void)
{
    const char *path = getenv("CLEW_SHARED_DATA");
    if (path == NULL || access(path, R_OK) != 0) {
        print_message("# skipped: ../shared/data is not beside the project\n");
        skip();
    }
    return path;
}

/* A skipped test is "ok # SKIP" in TAP; cmocka 1.1 writes "not ok # SKIP", which readers count as
 * failed. */
static void copy_lines(FILE *from)
{
    static char line[1 << 16];
    while (fgets(line, sizeof line, from) != NULL) {
        const char *text = line;
        if (strncmp(line, "not ok ", 7) == 0 && strstr(line, " # SKIP") != NULL) {
            text += 4;
        }
        (void)fputs(text, stdout);
        (void)fflush(stdout);
    }
}

/* Runs the tests in a child whose output goes through copy_lines. */
static int run_through(int (*run)(size_t count), size_t count)
{
    int ends[2];
    if (pipe(ends) < 0) {
        return 1;
    }
    const pid_t pid = fork();
    if (pid < 0) {
        return 1;
    }
    if (pid == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        exit(run(count));
    }
    (void)close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    copy_lines(from);
    (void)fclose(from);
    int status = 0;
    (void)waitpid(pid, &status, 0);
    if (WIFSIGNALED(status)) {
        (void)fprintf(stderr, "the tests were ended by signal %d\n", WTERMSIG(status));
        return 1;
    }
    return WEXITSTATUS(status);
}

static int run_kept(size_t count)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}

/* Whether the test belongs to this program's slice (test.h). */
static bool is_in_slice(size_t index)
{
    const char *slice = getenv("CLEW_TEST_SLICE");
    unsigned number = 1;
    unsigned count = 1;
    if (slice != NULL && (sscanf(slice, "%u/%u", &number, &count) != 2 || number - 1 >= count)) {
        (void)fprintf(stderr, "CLEW_TEST_SLICE: \"%s\" is not K/N with 1 <= K <= N\n", slice);
        exit(1);
    }
    return index % count == number - 1;
}

int main(int argc, char **argv)
{
    size_t kept = 0;
    for (size_t i = 0; i < test_total; i++) {
        if (is_in_slice(i) && (argc < 2 || strstr(tests[i].name, argv[1]) != NULL)) {
            tests[kept++] = tests[i];
        }
    }
    return run_through(run_kept, kept);
}
