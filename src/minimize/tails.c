/* The beginning of the best, and then anything: what a violation needs at its end may have a
 * shorter way there that none of the best's own steps is on. Chance decides, by one seed. */
#include "minimize/reduce.h"

enum { TAILS_PER_CUT = 40, TAILS_MAX = 4000 };

void tails_stage(struct reducer *r)
{
    const uint32_t size = reducer_size(r);
    const uint32_t cuts = TAILS_MAX / TAILS_PER_CUT;
    const uint32_t stride = size / cuts + 1;
    for (uint32_t cut = size; cut > 0 && reducer_goes_on(r);
         cut = cut > stride ? cut - stride : 0) {
        for (uint32_t i = 0; i < TAILS_PER_CUT; i++) {
            if (reducer_try_tail(r, cut - 1, i % 2 == 0 ? PICK_POS : PICK_RANDOM, i + 1)) {
                return;
            }
        }
    }
}
