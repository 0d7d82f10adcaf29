/* Anonymous memory that a parent and its child share. What they do to it at once races, also where
 * one touches a part of what the other does. What a wait for the child orders does not, nor what
 * each has of its own.
 *
 * race: parent_writes child_writes
 * race: child_writes_whole parent_reads_half */
#include <stdint.h>

#include "shared.h"

struct shared {
    long counter;
    union {
        uint64_t whole;
        uint32_t halves[2];
    } word;
    long answer;
};

static struct shared *shared;
static long own;

static void child(void)
{
    own = 2;
    shared->counter = 2;    /* child_writes */
    shared->word.whole = 1; /* child_writes_whole */
    shared->answer = 42;
}

int main(void)
{
    shared = map_shared(-1, sizeof *shared);
    own = 1;
    const pid_t pid = start(child);
    own = 3;
    shared->counter = 1;                          /* parent_writes */
    const uint32_t half = shared->word.halves[1]; /* parent_reads_half */
    wait_for(pid);
    return own == 3 && shared->answer == 42 && half < 2 ? 0 : 1;
}
