/* Prints a Cyclon trace: build/bench/gen_cyclon 100 100 > 100N-100C.log */
#include "gen.h"

#include <stddef.h>

static const char *run(struct out *o, const uint64_t *numbers)
{
    if (numbers[0] < 2 || numbers[0] > 60000) {
        return "gossip needs 2 nodes at least, and 60000 at most";
    }
    if (numbers[1] > 100000000) {
        return "100000000 cycles at most";
    }
    gen_cyclon(o, &(struct gen_cyclon_options){
                      .node_count = (uint32_t)numbers[0],
                      .cycle_count = (uint32_t)numbers[1],
                      .seed = numbers[2],
                  });
    return NULL;
}

int main(int argc, char **argv)
{
    return gen_main(argc, argv, "NODES CYCLES [SEED]", run);
}
