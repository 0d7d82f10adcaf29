#include "cli/interrupt.h"

#include <stddef.h>
#include <sys/mman.h>

static const int signals[] = {SIGINT, SIGTERM};

static volatile sig_atomic_t own_wish;
static volatile sig_atomic_t *wish = &own_wish;

static void on_signal(int signal_number)
{
    *wish = signal_number;
}

/* Workers see an interrupt of their parent. Without shared memory, each sees its own signals only.
 */
static void share_wish(void)
{
    void *page =
        mmap(NULL, sizeof *wish, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) {
        wish = page;
    }
}

void stopping_begin(struct stopping *s)
{
    if (wish == &own_wish) {
        share_wish();
    }
    *wish = 0;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_flags = SA_RESTART | (int)SA_RESETHAND};
        action.sa_handler = on_signal;
        (void)sigaction(signals[i], &action, &s->before[i]);
    }
}

void stopping_end(struct stopping *s)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        (void)sigaction(signals[i], &s->before[i], NULL);
    }
}

const volatile sig_atomic_t *stopping_wish(void)
{
    return wish;
}
