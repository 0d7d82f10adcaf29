/* The internal interface between the reader and the writer of the text form. */
#ifndef CLEW_TRACE_TEXT_PARTS_H
#define CLEW_TRACE_TEXT_PARTS_H

#include "trace/format.h"

enum { TEXT_VERSION = 1 };

/* KEY(ID, key): the fields of a line that have a key instead of a fixed place. */
#define TEXT_KEY_LIST(KEY) \
    KEY(OBJECT, "object")  \
    KEY(PEER, "peer")      \
    KEY(MODE, "mode")      \
    KEY(MESSAGE, "msg")    \
    KEY(VALUE, "value")    \
    KEY(SIZE, "size")      \
    KEY(COUNT, "count")    \
    KEY(TEXT, "text")      \
    KEY(TIME, "t")         \
    KEY(HLC, "hlc")

enum text_key {
#define KEY(id, key) TEXT_##id,
    TEXT_KEY_LIST(KEY)
#undef KEY
        TEXT_LOCATION, /* marked by its @ */
    TEXT_KEY_COUNT
};

/* A writer of the text form; format_text's `create`. */
struct writer *text_create(struct out *out, const struct tables *t, struct notes *n);

#endif
