/* After a bug of Mozilla's JavaScript engine: a property cache and the flag that says whether it is
 * empty are both guarded by the runtime's lock, but one at a time. A flush between the two writes
 * of a fill leaves an empty table that is said not to be empty.
 *
 * couple: table fill_table, empty fill_empty
 * couple: table flush_table, empty flush_empty
 * pattern: 3 */
#include "kernel.h"

static pthread_mutex_t runtime_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    long table; /* entries */
    long empty;
} cache;

static void *fill(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&runtime_lock);
        cache.table = 7; /* fill_table */
        BETWEEN(&runtime_lock);
        cache.empty = 0; /* fill_empty */
        pthread_mutex_unlock(&runtime_lock);
    }
    return unused;
}

static void *flush(void *unused)
{
    kernel_late();
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&runtime_lock);
        cache.table = 0; /* flush_table */
        BETWEEN(&runtime_lock);
        cache.empty = 1; /* flush_empty */
        pthread_mutex_unlock(&runtime_lock);
    }
    return unused;
}

static int is_wrong(void)
{
    return (cache.table == 0) != (cache.empty == 1);
}

int main(void)
{
    cache.empty = 1;
    return kernel_run(fill, flush, is_wrong);
}
