/* Prints a trace in RAPID's STD format in which every variable is shared:
 * build/bench/gen_mixed 8 1 100 20000 0 20 > mixed.std */
#include "gen.h"

#include <stddef.h>

static const char *run(struct out *o, const uint64_t *numbers)
{
    const uint64_t threads = numbers[0], locks = numbers[1], variables = numbers[2];
    if (threads < 1 || threads > 10000 || locks > 1000000 || variables < 1 ||
        variables > 100000000) {
        return "1 to 10000 threads, at most 1000000 locks, 1 to 100000000 variables";
    }
    if (numbers[3] < 3 * threads) {
        return "too few events to fork and join the threads";
    }
    if (numbers[5] > 100) {
        return "at most 100 percent of the steps are without a lock";
    }
    gen_mixed(o, &(struct gen_mixed_options){
                     .thread_count = (uint32_t)threads,
                     .lock_count = (uint32_t)locks,
                     .variable_count = (uint32_t)variables,
                     .event_count = numbers[3],
                     .place_count = numbers[4],
                     .unlocked_percent = (uint32_t)numbers[5],
                     .seed = numbers[6],
                 });
    return NULL;
}

int main(int argc, char **argv)
{
    return gen_main(argc, argv, "THREADS LOCKS VARIABLES EVENTS PLACES UNLOCKED [SEED]", run);
}
