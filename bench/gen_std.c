/* Prints a trace in RAPID's STD format: build/bench/gen_std 12 32 1000 10000000 > big.std */
#include "gen.h"

#include <stddef.h>

static const char *run(struct out *o, const uint64_t *numbers)
{
    const uint64_t threads = numbers[0], locks = numbers[1], variables = numbers[2];
    if (threads < 1 || threads > 10000 || locks > 1000000 || variables < 1 ||
        variables > 100000000) {
        return "1 to 10000 threads, at most 1000000 locks, 1 to 100000000 variables";
    }
    if (numbers[3] < 2 * (threads - 1)) {
        return "too few events to fork and join the threads";
    }
    gen_std(o, &(struct gen_std_options){
                   .thread_count = (uint32_t)threads,
                   .lock_count = (uint32_t)locks,
                   .variable_count = (uint32_t)variables,
                   .event_count = numbers[3],
                   .seed = numbers[4],
               });
    return NULL;
}

int main(int argc, char **argv)
{
    return gen_main(argc, argv, "THREADS LOCKS VARIABLES EVENTS [SEED]", run);
}
