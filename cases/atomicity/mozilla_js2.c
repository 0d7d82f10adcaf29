/* After a bug of Mozilla's JavaScript engine: the number of strings and the sum of their lengths
 * are counted one after the other, and a reader of both between sees a number that does not belong
 * to the sum.
 *
 * couple: total_strings count, length_sum add
 * pattern: 3 */
#include "kernel.h"

static pthread_mutex_t runtime_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    long total_strings;
    long length_sum;
} runtime;

static void *add_strings(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&runtime_lock);
        runtime.total_strings++; /* count */
        BETWEEN(&runtime_lock);
        runtime.length_sum += 8; /* add */
        pthread_mutex_unlock(&runtime_lock);
    }
    return unused;
}

static long mean_length;

static void *measure(void *unused)
{
    kernel_late();
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&runtime_lock);
        const long strings = runtime.total_strings;
        const long sum = runtime.length_sum;
        pthread_mutex_unlock(&runtime_lock);
        mean_length = strings == 0 ? 0 : sum / strings;
    }
    return unused;
}

static int is_wrong(void)
{
    return mean_length != 8;
}

int main(void)
{
    return kernel_run(add_strings, measure, is_wrong);
}
