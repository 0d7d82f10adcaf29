/* Turns a recording's folder into a trace: merges the segments of all tasks (wire/segment.h) by
 * stamp into one list of events, and turns addresses into names.
 *
 * The list is a linear extension of happens-before in the execution: stamped events in the order of
 * their stamps, plain accesses right after the stamped event they follow in their task. Its order
 * is `stamped`.
 */
#ifndef CLEW_PROC_RECORD_COLLECT_H
#define CLEW_PROC_RECORD_COLLECT_H

#include <stdint.h>

#include "base/err.h"
#include "base/notes.h"
#include "trace/format.h"

/* Counts for the summary of `clew record`. */
struct collect_stats {
    uint64_t processes, threads, events, dropped, bytes;
    uint64_t unfinished; /* tasks whose row has no end: killed, or still running */
    uint64_t messages_matched, messages_unmatched, messages_external; /* receipts (traffic.h) */
    uint64_t handlers;                                                /* begun */
    uint64_t accesses, filtered; /* to memory, made; and left out of the trace */
    uint64_t blocks;             /* places in the code that were reached */
    uint64_t uncontrolled;       /* programs that a recorded one became and that recorded nothing */
};

/* Merges the rows in `folder` and writes their events to *w, whose tables are *t. Fails if the
 * folder or a segment cannot be read; a torn or foreign file in the folder is left out and noted.
 */
MUST_USE int collect(const char *folder, struct tables *t, struct writer *w,
                     struct collect_stats *stats, struct notes *n, struct err *e);

#endif
