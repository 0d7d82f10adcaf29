/* The property of producer_consumer.spec in C. */
#include "clew/property.h"

#include <stddef.h>

static bool all_delivered(const struct clew_view *view)
{
    const int64_t *sent = clew_value(view, 0, "sent");
    const int64_t *delivered = clew_value(view, 0, "delivered");
    return sent == NULL || delivered == NULL || *sent == *delivered ||
           clew_broken(view, "%d of %d", (int)*delivered, (int)*sent);
}

const struct clew_property clew_properties[] = {
    {.name = "all delivered", .holds = all_delivered},
    {0},
};
