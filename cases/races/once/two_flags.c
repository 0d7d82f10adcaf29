/* Two modules initialize one table by call_once, each with a flag of its own.
 *
 * race: table fill fill
 * may race: table fill use */
#include <threads.h>

#include "../race.h"

static once_flag reader_flag = ONCE_FLAG_INIT;
static once_flag writer_flag = ONCE_FLAG_INIT;
static int table[2];

static void fill(void)
{
    table[0] = 10; /* fill */
    table[1] = 20; /* fill */
}

static void *reader(void *unused)
{
    call_once(&reader_flag, fill);
    MUST(table[0] == 10); /* use */
    return unused;
}

static void *writer(void *unused)
{
    call_once(&writer_flag, fill);
    MUST(table[1] == 20); /* use */
    return unused;
}

int main(void)
{
    threads_run(reader, writer);
    return 0;
}
