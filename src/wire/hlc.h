/* Hybrid logical clocks (Kulkarni et al., OPODIS 2014, figure 5): timestamps close to physical time
 * that respect causality. If an event happens before another, its timestamp is smaller. */
#ifndef CLEW_WIRE_HLC_H
#define CLEW_WIRE_HLC_H

#include <stdint.h>

/* Timestamps compare by time, then by count. {0} belongs to a process before its first event. */
struct hlc {
    int64_t time;   /* l: the largest physical time that this process has seen or received */
    uint32_t count; /* c: events since l last grew */
};

/* A local event, or a send, at this physical time. */
static inline void hlc_advance(struct hlc *clock, int64_t physical)
{
    clock->count = physical > clock->time ? 0 : clock->count + 1;
    clock->time = physical > clock->time ? physical : clock->time;
}

/* The receive, at this physical time, of a message with this timestamp. */
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
