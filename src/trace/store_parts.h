/* The internal interface between the reader and the writer of the native form. */
#ifndef CLEW_TRACE_STORE_PARTS_H
#define CLEW_TRACE_STORE_PARTS_H

#include "trace/format.h"

/* A writer of the native form; format_native's `create`. */
struct writer *store_create(struct out *out, const struct tables *t, struct notes *n);

#endif
