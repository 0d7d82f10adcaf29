/* A stream of the events of a trace from memory with one property, for the benches of the monitor.
 *
 *     struct following f;
 *     following_begin(&f, t, property, skew);
 *     ... stream_take(f.stream, ...) ...
 *     following_end(&f);                          f.result
 *     following_release(&f);
 */
#ifndef CLEW_BENCH_MONITOR_FOLLOWING_H
#define CLEW_BENCH_MONITOR_FOLLOWING_H

#include "monitor/online/stream.h"

struct following {
    struct spec spec;
    struct notes notes;
    struct findings findings;
    struct stream *stream;
    struct monitor_result result;
};

/* All processes are known and waited for; it decides each time the skew has passed. */
void following_begin(struct following *f, const struct trace *t, const char *property,
                     int64_t skew);
void following_end(struct following *f);
void following_release(struct following *f);

#endif
