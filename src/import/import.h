/* Foreign formats of traces. Each is one row of trace/format.h: recognized by content, read as a
 * stream in constant memory plus names, and written with a count of the losses. */
#ifndef CLEW_IMPORT_IMPORT_H
#define CLEW_IMPORT_IMPORT_H

#include "trace/format.h"

/* Events of distributed systems as JSON objects: one per line, one behind the other, or in arrays.
 * import/json/falcon.h defines the meaning of its types and fields. */
extern const struct format format_falcon;

/* RAPID's standard form: a line per event, `thread|operation(operand)|location`. See
 * import/rapid_std.h.
 */
extern const struct format format_std;

/* Captures of HTTP, by the rules of import/http/http_rules.h: HAR archives of browsers and proxies,
 * spans of OpenTelemetry, requests in columns and lines of logs. They are recognized after the
 * others, and only read. */
extern const struct format format_har, format_otlp, format_http_tsv, format_http_log;

/* Values and messages that processes report about themselves, with their clocks: see
 * import/reports.h. Only read. */
extern const struct format format_reports_json, format_reports_csv;

/* All of the above, ended by NULL. */
extern const struct format *const import_formats[];

#endif
