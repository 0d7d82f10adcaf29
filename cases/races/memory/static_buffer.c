/* A function returns its result in a static buffer and is called by two threads.
 *
 * race: decimal::buffer store store
 * may race: decimal::buffer store use */
#include "../race.h"

static const char *decimal(unsigned number)
{
    static char buffer[12];
    char *end = &buffer[11];
    do {
        *--end = (char)('0' + number % 10); /* store */
        number /= 10;
    } while (number > 0);
    return end;
}

static void *print(void *argument)
{
    const unsigned *number = argument;
    MUST(decimal(*number)[0] != '\0'); /* use */
    return NULL;
}

int main(void)
{
    unsigned numbers[2] = {123, 456};
    const pthread_t a = thread_start(print, &numbers[0]);
    const pthread_t b = thread_start(print, &numbers[1]);
    thread_join(a);
    thread_join(b);
    return 0;
}
