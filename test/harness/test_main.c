#include "test.h"

#include <stdlib.h>
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

const char *test_shared_data(void)
{
    const char *path = getenv("CLEW_SHARED_DATA");
    if (path == NULL || access(path, R_OK) != 0) {
        print_message("# skipped: ../shared/data is not beside the project\n");
        skip();
    }
    return path;
}

int main(int argc, char **argv)
{
    size_t kept = 0;
    for (size_t i = 0; i < test_total; i++) {
        if (argc < 2 || strstr(tests[i].name, argv[1]) != NULL) {
            tests[kept++] = tests[i];
        }
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return _cmocka_run_group_tests("tests", tests, kept, NULL, NULL);
}
