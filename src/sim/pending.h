/* The list of operations that could be next: fills s->pending. Ends the run where there is no room
 * for more. */
#ifndef CLEW_SIM_PENDING_H
#define CLEW_SIM_PENDING_H

#include "sim/sim_state.h"
#include "sim/state_hash.h"

void pending_list(struct sim *s);
/* The same after a step that was at this place of the list: entries that the step did not change
 * stay. */
void pending_follow(struct sim *s, uint32_t choice);
/* After a change that `listing` does not note: the next list is made from scratch. */
static inline void pending_forget(struct sim *s)
{
    s->pending.listing.is_kept = false;
}
/* A message is in a channel that was empty. */
static inline void pending_note_filled(struct sim *s, uint32_t channel)
{
    struct listing *l = &s->pending.listing;
    if (l->filled_count == SIM_FILLED_MAX) {
        pending_forget(s);
    } else {
        l->filled[l->filled_count++] = channel;
    }
}
void pending_add(struct sim *s, const struct pick_operation *o, const struct origin *from);
void pending_parcel(struct sim *s, struct parcel *p);              /* adds it, if it can come */
void pending_timer(struct sim *s, uint32_t node, uint32_t number); /* likewise */
void pending_make_delivery(const struct sim *s, struct parcel *p); /* which has its name */
uint32_t pending_task_count(const struct sim *s);
uint32_t pending_help_task(const struct sim *s, uint32_t node);

#endif
