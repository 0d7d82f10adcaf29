/* Messages on their way. */
#ifndef CLEW_SIM_NET_H
#define CLEW_SIM_NET_H

#include "sim/sim_state.h"

struct parcel *net_send(struct sim *s, int32_t from, uint32_t to, const struct clew_message *m);
void net_take(struct sim *s, struct parcel *p);    /* off its channel; not freed */
void net_discard(struct sim *s, struct parcel *p); /* and freed */
void net_repeat(struct sim *s, const struct parcel *p);
void net_advance(struct sim *s, struct parcel *p); /* to the head of its channel */
void net_forget(struct sim *s, uint32_t to);       /* all that is on its way in connections */
uint32_t net_channel(const struct sim *s, int32_t from, uint32_t to);
/* From each node and from the client to each node. */
static inline uint32_t net_channel_count(const struct sim *s)
{
    return (s->node_count + 1) * s->node_count;
}
static inline bool net_is_fifo(const struct sim *s, const struct parcel *p)
{
    return s->channels.is_fifo[p->channel];
}
static inline bool net_is_first(const struct sim *s, const struct parcel *p)
{
    return s->core->queues[p->channel].first == p;
}

#endif
