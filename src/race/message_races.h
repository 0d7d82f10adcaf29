/* Message races: two messages to one task whose receives could have come the other way round, and
 * the conflicting accesses of their handlers. */
#ifndef CLEW_RACE_MESSAGE_RACES_H
#define CLEW_RACE_MESSAGE_RACES_H

#include "order/hb.h"
#include "race/access_classes.h"
#include "race/decider.h"
#include "race/groups.h"
#include "race/message_handlers.h"

/* The messages and accesses to decide. */
struct swap_input {
    const struct hb *hb;
    const struct accesses *accesses;
    const struct inboxes *inboxes;
};

/* Decides every candidate by the judge. */
void swap_judge(struct race_groups *y, const struct swap_input *in, const struct judge *judge);

/* Counts in a plain relation (plain.h): a message can come before those whose receives its send
 * does not know of, which are the last ones before it. Enumerates only when somebody wants to hear
 * of each. */
void swap_count(struct race_groups *y, const struct swap_input *in);

#endif
