/* After bug 2011 of MySQL: one thread reads the name of the log and then its file, another rotates
 * the log between. An old name is used with a new file.
 *
 * couple: name read_name, file read_file
 * pattern: 2 */
#include "kernel.h"

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
        const long name = binlog.name; /* read_name */
        BETWEEN(&log_lock);
        const long file = binlog.file; /* read_file */
        pthread_mutex_unlock(&log_lock);
        mismatches += name != file;
    }
    return unused;
}

static void *rotate(void *unused)
{
    kernel_late();
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
    return kernel_run(show, rotate, is_wrong);
}
