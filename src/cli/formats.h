/* Every format of traces, joined from the rooms that have them. */
#ifndef CLEW_CLI_FORMATS_H
#define CLEW_CLI_FORMATS_H

#include "trace/format.h"

/* The native one first; ended by NULL. */
format_list formats_all(void);

/* The words of --to and --from: the names of formats_all. */
const char *formats_word(size_t index);

#endif
