/* A semaphore that guards one printer, made for two: counted from zero. */
#include <semaphore.h>
#include <stdatomic.h>

#include "threads.h"

#ifdef FIXED
enum { PRINTERS = 1 };
#else
enum { PRINTERS = 2 };
#endif

static sem_t free_printers;
static atomic_int jobs;

static void *print(void *unused)
{
    sem_wait(&free_printers);
    assert(atomic_fetch_add(&jobs, 1) == 0);
    atomic_fetch_sub(&jobs, 1);
    sem_post(&free_printers);
    return unused;
}

int main(void)
{
    (void)sem_init(&free_printers, 0, PRINTERS);
    RUN(print, print);
    (void)sem_destroy(&free_printers);
    return 0;
}
