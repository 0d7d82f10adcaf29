/* A library's constructor uses every kind of interposed call before the program begins. All of it
 * is recorded, and the program goes on with what the constructor made.
 *
 * expect: 2 sem-init
 * expect: 2 thread-create
 * expect: 3 thread-join
 * expect: 1 connect
 * expect: 1 accept
 * expect: 1 process-fork
 * order: main@n process-start
 * order: main@n lock table
 * order: main@n sem-init early value=2
 * order: main@n send pipe#1>pipe#1
 * order: main@n connect
 * order: main@n process-fork
 * order: main@n thread-create
 * order: lock early_mutex
 * order: main@n thread-join
 * order: main@n sem-wait
 * order: main@n recv pipe#1>pipe#1 */
#include "early/early.h"
#include "program.h"

int main(void)
{
    CLAIM(sem_wait(&early.units) == 0);
    *early.shared = 1;
    read_all(early.pipe_ends[0], 1);
    return 0;
}
