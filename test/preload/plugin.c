/* Loaded by dlopen.c while it runs. */
#include <pthread.h>

static volatile int plugin_count;
static pthread_mutex_t plugin_lock = PTHREAD_MUTEX_INITIALIZER;

void plugin_use(void);

void plugin_use(void)
{
    (void)pthread_mutex_lock(&plugin_lock);
    (void)pthread_mutex_unlock(&plugin_lock);
    plugin_count++;
}
