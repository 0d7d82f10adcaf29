/* The parts of race_rules.c. */
#ifndef CLEW_TEST_RACE_RULES_PARTS_H
#define CLEW_TEST_RACE_RULES_PARTS_H

#include "race_rules.h"

#include "base/map.h"
#include "base/mem.h"

void rules_edge_add(rules_edges *list, event_id from, event_id to);

/* The event of the same task before this one, EVENT_NONE when it is the first. */
event_id rules_previous(const struct trace *t, event_id id);

/* The task's last event listed before `end`, EVENT_NONE when there is none. */
event_id rules_last_before(const struct trace *t, uint32_t task, event_id end);

void rules_read_threads(struct rules *r);  /* rule 2 */
void rules_read_network(struct rules *r);  /* rules 3 and 6, and which messages there are */
void rules_read_other(struct rules *r);    /* rule 7: atomics, semaphores, barriers ... */
void rules_read_onces(struct rules *r);    /* rule 7: one-time initialization */
void rules_read_sections(struct rules *r); /* rule 5 */
void rules_read_waits(struct rules *r);    /* rule 4 */

#endif
