/* Every format of traces, joined from the modules that have them. */
#ifndef CLEW_CLI_INPUT_FORMATS_H
#define CLEW_CLI_INPUT_FORMATS_H

#include "trace/format.h"

/* The native one first; ended by NULL. */
format_list formats_all(void);

/* The index-th format that can be read, or written; NULL after the last. Their names are the words
 * of --from and --to. */
const struct format *formats_readable(size_t index);
const struct format *formats_writable(size_t index);
const char *formats_readable_word(size_t index);
const char *formats_writable_word(size_t index);

#endif
