/* A tokenizer remembers where it stopped in a static variable; two threads cut their own texts with
 * it.
 *
 * race: rest keep keep
 * may race: rest keep look */
#include <string.h>

#include "../race.h"

static char *rest;

static char *next_word(char *text)
{
    char *word = text;
    char *space = strchr(word, ' ');
    if (space != NULL) {
        *space = '\0';
        rest = space + 1; /* keep */
    }
    return word;
}

static void *cut(void *argument)
{
    MUST(next_word(argument) == argument);
    MUST(rest != NULL); /* look */
    return NULL;
}

int main(void)
{
    char first[] = "one two";
    char second[] = "three four";
    const pthread_t a = thread_start(cut, first);
    const pthread_t b = thread_start(cut, second);
    thread_join(a);
    thread_join(b);
    return 0;
}
