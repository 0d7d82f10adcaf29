/* Foreign formats of traces. Each is one row of trace/format.h: recognized by content, read as a
 * stream in constant memory plus names, and written with a count of the losses. */
#ifndef CLEW_IMPORT_IMPORT_H
#define CLEW_IMPORT_IMPORT_H

#include "trace/format.h"

/* Row: IMPORT(name); a file defines format_##name. A format is recognized after those before it.
 *
 *     falcon        events as JSON objects: one per line, one behind the other, or in arrays
 *                   (import/json/falcon.h defines its types and fields)
 *     std           RAPID's standard form: a line per event, `thread|operation(operand)|location`
 *                   (import/rapid_std.h)
 *     har ...       captures of HTTP by the rules of import/http/http_rules.h: archives of browsers
 *     http_log      and proxies, spans of OpenTelemetry, columns and lines of logs; only read
 *     reports_...   values and messages that processes report about themselves, with their clocks
 *                   (import/reports.h); only read */
#define IMPORT_LIST(IMPORT) \
    IMPORT(falcon)          \
    IMPORT(std)             \
    IMPORT(har)             \
    IMPORT(otlp)            \
    IMPORT(http_tsv)        \
    IMPORT(http_log)        \
    IMPORT(reports_json)    \
    IMPORT(reports_csv)

#define IMPORT(name) extern const struct format format_##name;
IMPORT_LIST(IMPORT)
#undef IMPORT

/* All of them, ended by NULL. */
extern const struct format *const import_formats[];

#endif
