#include "order/event_clock.h"

void clock_at(const struct hb *hb, event_id id, uint32_t *counts)
{
    must(hb->model == HB_OBSERVED);
    for (uint32_t task = 0; task < hb->contexts.task_count; task++) {
        counts[task] = reach_count(&hb->before, id, task);
    }
}
