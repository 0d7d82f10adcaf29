/* One thread copies a message into a shared buffer while another clears the buffer.
 *
 * race: buffer copy clear */
#include <string.h>

#include "../race.h"

static char buffer[64];

static void *copier(void *argument)
{
    const char *message = argument;
    memcpy(buffer, message, strlen(message)); /* copy */
    return NULL;
}

static void *cleaner(void *argument)
{
    const size_t *size = argument;
    memset(buffer, 0, *size); /* clear */
    return NULL;
}

int main(void)
{
    char message[] = "a message";
    size_t size = 8;
    const pthread_t a = thread_start(copier, message);
    const pthread_t b = thread_start(cleaner, &size);
    thread_join(a);
    thread_join(b);
    MUST(buffer[8] == 'e');
    return 0;
}
