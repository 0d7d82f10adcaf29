/* A thread reads from a stream into a buffer that another thread uses.
 *
 * race: buffer fill look */
#include "../race.h"

static char buffer[8];

static void *filler(void *unused)
{
    FILE *zeros = fopen("/dev/zero", "r");
    MUST(zeros != NULL);
    MUST(fread(buffer, 1, sizeof buffer, zeros) == sizeof buffer); /* fill */
    MUST(fclose(zeros) == 0);
    return unused;
}

static void *looker(void *unused)
{
    MUST(buffer[3] == 0); /* look */
    return unused;
}

int main(void)
{
    threads_run(filler, looker);
    return 0;
}
