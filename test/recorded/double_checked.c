/* Double-checked locking: the first look at the pointer is not ordered after what it points to.
 * ThreadSanitizer counts an allocation as a write.
 * race: look publish
 * may race: fill use */
#include "program.h"

struct table {
    long size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table *table;

static struct table *table_get(void)
{
    if (table == NULL) { /* look */
        pthread_mutex_lock(&lock);
        if (table == NULL) {
            struct table *made = malloc(sizeof *made); /* fill */
            CLAIM(made != NULL);
            made->size = 7; /* fill */
            table = made;   /* publish */
        }
        pthread_mutex_unlock(&lock);
    }
    return table; /* look */
}

static void *use(void *unused)
{
    CLAIM(table_get()->size == 7); /* use */
    return unused;
}

int main(void)
{
    run_both(use, use);
    free(table);
    return 0;
}
