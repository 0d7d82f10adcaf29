/* For tests of one property: the monitor's answer. */
#ifndef CLEW_TEST_MONITORED_H
#define CLEW_TEST_MONITORED_H

#include "monitor/online/stream.h"

/* The specification in the text; the test fails when it is none. The caller releases it. */
struct spec spec_of(const char *text);

/* The monitor's answer for the first property on the whole trace. There is a finding for a yes,
 * else none. Notes may be NULL. */
struct monitor_answer monitored(const struct trace *t, const struct spec *s,
                                const struct monitor_options *o, struct notes *n);

/* The same, and keeps the finding. */
struct monitor_answer monitored_findings(const struct trace *t, const struct spec *s,
                                         const struct monitor_options *o, struct notes *n,
                                         struct findings *f);

/* The same of a stream of its events, and the witness of its first finding. */
enum { WHY_MAX = 1000 };
struct streamed {
    struct monitor_answer answer;
    struct stream_stats stats;
    uint64_t finding_count;
    char why[WHY_MAX];
};
struct streamed streamed(const struct trace *t, const struct spec *s,
                         const struct stream_options *o, struct notes *n);

#endif
