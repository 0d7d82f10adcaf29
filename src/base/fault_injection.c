#include "base/fault_injection.h"

#include "wire/must.h"

uint64_t seam_countdown;
static bool was_reached;

bool seam_hit(void)
{
    seam_countdown--;
    if (seam_countdown > 0) {
        return false;
    }
    was_reached = true;
    return true;
}

void seam_arm(uint64_t call_index)
{
    must(call_index > 0);
    seam_countdown = call_index;
    was_reached = false;
}

bool seam_disarm(void)
{
    seam_countdown = 0;
    return was_reached;
}
