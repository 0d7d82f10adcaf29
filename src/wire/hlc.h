/* Hybrid logical clocks (Kulkarni et al., 2014): close to physical time, and later for what comes
 * later. */
#ifndef CLEW_WIRE_HLC_H
#define CLEW_WIRE_HLC_H

#include <stdint.h>

/* Stamps compare by time, then by count. {0} is the stamp of a process that has done nothing. */
struct hlc {
    int64_t time;   /* the largest physical time heard of */
    uint32_t count; /* events since then */
};

/* A local event, or a send, at this physical time. */
static inline void hlc_advance(struct hlc *clock, int64_t physical)
{
    clock->count = physical > clock->time ? 0 : clock->count + 1;
    clock->time = physical > clock->time ? physical : clock->time;
}

/* The receive, at this physical time, of a message stamped so. */
static inline void hlc_receive(struct hlc *clock, struct hlc message, int64_t physical)
{
    if (message.time > clock->time) {
        clock->time = message.time;
        clock->count = message.count;
    } else if (message.time == clock->time && message.count > clock->count) {
        clock->count = message.count;
    }
    hlc_advance(clock, physical);
}

#endif
