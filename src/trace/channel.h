/* The object of a network event is the directed channel it used, written "source>destination" with
 * endpoints "host:port"; the mode says which transport. Either endpoint may be empty when not
 * known. */
#ifndef CLEW_TRACE_CHANNEL_H
#define CLEW_TRACE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"

/* A part of the channel's own text. */
struct channel_part {
    const char *text;
    size_t size;
};

struct channel {
    struct channel_part source, source_host, source_port;
    struct channel_part destination, destination_host, destination_port;
};

/* The number of the channel's name. Ports are text and may be empty. */
uint32_t channel_intern(struct names *n, const struct channel *c);

/* Splits a channel's name; the parts point into it. False when it has no '>'. */
bool channel_parse(struct channel *c, const char *text, size_t size);

#endif
