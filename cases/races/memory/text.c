/* One thread prints into a shared text while another one shows it.
 *
 * race: text print show */
#include <string.h>

#include "../race.h"

static char text[32] = "idle";

static void *worker(void *argument)
{
    const int *percent = argument;
    (void)snprintf(text, sizeof text, "busy %d", *percent); /* print */
    return NULL;
}

static void *display(void *unused)
{
    char shown[sizeof text];
    memcpy(shown, text, sizeof text); /* show */
    MUST(shown[0] != '\0');
    return unused;
}

int main(void)
{
    static int percent = 30;
    const pthread_t a = thread_start(worker, &percent);
    const pthread_t b = thread_start(display, NULL);
    thread_join(a);
    thread_join(b);
    return 0;
}
