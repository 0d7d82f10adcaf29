/* Double-checked locking with a plain pointer: the first look is ordered with nothing.
 *
 * race: table look publish
 * may race: - fill use */
#include "../race.h"

struct table {
    long size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table *table;

static struct table *table_get(void)
{
    if (table == NULL) { /* look */
        MUST(pthread_mutex_lock(&lock) == 0);
        if (table == NULL) {
            struct table *made = malloc(sizeof *made); /* fill */
            MUST(made != NULL);
            made->size = 7; /* fill */
            table = made;   /* publish */
        }
        MUST(pthread_mutex_unlock(&lock) == 0);
    }
    return table; /* look */
}

static void *user(void *unused)
{
    MUST(table_get()->size == 7); /* use */
    return unused;
}

int main(void)
{
    threads_run(user, user);
    free(table);
    return 0;
}
