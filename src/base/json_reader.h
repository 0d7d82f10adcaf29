/* A JSON reader: yajl, a parser with callbacks, on the project's own heap, so that out-of-memory is
 * handled as everywhere.
 *
 *     yajl_handle parser = json_reader_new(&callbacks, context);
 *     if (json_reader_feed(parser, bytes, size) < 0) {
 *         return json_reader_fail(parser, offset, e);
 *     }
 *     yajl_free(parser);
 */
#ifndef CLEW_BASE_JSON_READER_H
#define CLEW_BASE_JSON_READER_H

#include <stddef.h>
#include <stdint.h>
#include <yajl/yajl_parse.h>

#include "base/err.h"

/* A new parser, which yajl_free releases. The callbacks must outlive it; NULL: none. */
yajl_handle json_reader_new(const yajl_callbacks *callbacks, void *context);

/* Reads more bytes: -1 when they are not JSON, or a callback refused them. */
MUST_USE int json_reader_feed(yajl_handle parser, const char *bytes, size_t size);

/* After a refusal that was not a callback's: sets e to "byte N: not JSON: " and why. Returns -1. */
int json_reader_fail(yajl_handle parser, uint64_t offset, struct err *e);

#endif
