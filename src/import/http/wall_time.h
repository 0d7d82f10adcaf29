/* Dates with a time of day, as RFC 3339, most logs and web servers write them. */
#ifndef CLEW_IMPORT_HTTP_WALL_TIME_H
#define CLEW_IMPORT_HTTP_WALL_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "import/text_builder.h"

/* Reads the time at the front of the text: "2024-05-01T10:00:00.123+02:00", with a 'T' or a blank
 * between, '.' or ',' before the fraction, 'Z', an offset or nothing (UTC) behind; or that of an
 * access log, "18/Nov/2026:03:25:11 +0000". Returns its number of bytes, 0 when there is none; *ns
 * is nanoseconds since 1970. */
size_t wall_time_parse(struct piece text, int64_t *ns);

#endif
