/* What the two halves of the text form share. */
#ifndef CLEW_TRACE_TEXT_PARTS_H
#define CLEW_TRACE_TEXT_PARTS_H

#include "trace/format.h"

enum { TEXT_VERSION = 1 };

/* KEY(ID, key): the fields of a line that are not told by their place. */
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
        TEXT_LOCATION, /* told by its @ */
    TEXT_KEY_COUNT
};

/* A writer of the text form; format_text's `create`. */
struct writer *text_create(struct out *out, const struct tables *t, struct notes *n);

#endif
