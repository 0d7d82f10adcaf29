/* Functions of libc read and write texts for the program.
 * race: print compare
 * race: append search
 * race: show change
 * race: format edit */
#include <string.h>

#include "program.h"

static char status[32] = "idle";
static char name[32] = "a";
static char title[32] = "title";
static char part[32] = "part";
static volatile int number = 12345;

static void *by_functions(void *sink)
{
    char line[64];
    const char *form = "%-*lld %.1f %% %.*s";
    CLAIM(snprintf(status, sizeof status, "busy %d", number) > 0);                 /* print */
    (void)strncat(name, "bcd", (size_t)number % 4 + 1);                            /* append */
    CLAIM(fputs(title, sink) >= 0);                                                /* show */
    CLAIM(snprintf(line, sizeof line, form, 6, 123LL, 0.5, number % 8, part) > 0); /* format */
    CLAIM(line[0] == '1');
    return NULL;
}

static void *by_itself(void *unused)
{
    const char letter = (char)('a' + number % 2);
    CLAIM(strcmp(status, "ready") != number);  /* compare */
    CLAIM(strchr(name, letter) != (char *)-1); /* search */
    title[1] = letter;                         /* change */
    part[0] = letter;                          /* edit */
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    FILE *sink = fopen("/dev/null", "w");
    CLAIM(sink != NULL);
    CLAIM(pthread_create(&threads[0], NULL, by_functions, sink) == 0);
    CLAIM(pthread_create(&threads[1], NULL, by_itself, NULL) == 0);
    CLAIM(pthread_join(threads[0], NULL) == 0);
    CLAIM(pthread_join(threads[1], NULL) == 0);
    CLAIM(fclose(sink) == 0);
    return 0;
}
