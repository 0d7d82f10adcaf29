/* A thread closes a stream that another one may still write to: nothing but luck lets the writer be
 * first.
 *
 * race: - use close */
#include <stdatomic.h>
#include <stdbool.h>

#include "../race.h"

static FILE *stream;
static atomic_bool is_written;

static void *writer(void *unused)
{
    MUST(fputs("line\n", stream) >= 0); /* use */
    atomic_store_explicit(&is_written, true, memory_order_relaxed);
    return unused;
}

static void *closer(void *unused)
{
    while (!atomic_load_explicit(&is_written, memory_order_relaxed)) {
        (void)usleep(100);
    }
    MUST(fclose(stream) == 0); /* close */
    return unused;
}

int main(void)
{
    stream = fopen("/dev/null", "w");
    MUST(stream != NULL);
    threads_run(writer, closer);
    return 0;
}
