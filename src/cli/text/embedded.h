/* Files that travel inside the program, made by tools/embed at build time. */
#ifndef CLEW_CLI_TEXT_EMBEDDED_H
#define CLEW_CLI_TEXT_EMBEDDED_H

#include <stddef.h>

struct embedded {
    const char *name; /* NULL ends a table */
    const unsigned char *bytes;
    size_t size;
};

/* The traces of the guided tour, from examples/. */
extern const struct embedded demo_files[];

/* The cluster files of clew cluster init, from examples/cluster/. */
extern const struct embedded cluster_files[];

#endif
