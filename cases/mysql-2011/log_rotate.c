/* After bug 2011 of MySQL: one thread reads the name of the log and then its file, another rotates
 * the log between. An old name is used with a new file. Pattern 2. */
#include "../case.h"

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    long name; /* its number: binlog.001 ... */
    long file; /* the file that has this name */
} binlog = {.name = 1, .file = 1};

static int mismatches;

static void *show(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&log_lock);
        const long name = binlog.name;
        BETWEEN(&log_lock);
        const long file = binlog.file;
        pthread_mutex_unlock(&log_lock);
        mismatches += name != file;
    }
    return unused;
}

static void *rotate(void *unused)
{
    case_late();
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&log_lock);
        binlog.name = i + 2;
        binlog.file = i + 2;
        pthread_mutex_unlock(&log_lock);
    }
    return unused;
}

static int is_wrong(void)
{
    return mismatches != 0;
}

int main(void)
{
    return case_run(show, rotate, is_wrong);
}
