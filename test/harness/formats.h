/* Traces to bytes and back in memory, random traces, and the properties that every reader of a
 * format must keep. */
#ifndef CLEW_TEST_FORMATS_H
#define CLEW_TEST_FORMATS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"
#include "trace/trace.h"
#include "wire/prng.h"

/* The trace in this format, with a 0 byte behind; the caller gives it back with mem_free. */
char *format_print(const struct format *format, const struct trace *t, size_t *size);

/* Reads the bytes in this format into t, which must be fresh from trace_init, and seals it. -1 with
 * the error; t then holds the events that came before it. */
int format_parse(const struct format *format, const void *bytes, size_t size, struct trace *t,
                 struct notes *n, struct err *e);

/* Appends count events of all kinds with any fields set, under names made of any bytes. */
void trace_randomize(struct trace *t, size_t count, struct prng *prng);

/* The whole of a fuzz entry: reads the bytes in this format, which may fail. The trace must be well
 * formed, and the same after a trip through the native and the text form. */
void fuzz_format(const struct format *format, const uint8_t *bytes, size_t size);

#endif
