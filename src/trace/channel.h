/* The channel: the object of a network event is the directed channel it used; the mode is the
 * transport. Its name is "source>destination" with endpoints "host:port", or "host" where the port
 * is unknown. A host that holds a colon (IPv6) keeps one behind it even without a port:
 * "::1:>b:80".
 *
 * Parts that hold the separators themselves follow their sizes, those of source host, source port
 * and destination host: "#3.1.1#a>b:5>c:80". So every channel has exactly one name, and its name
 * returns exactly its parts. */
#ifndef CLEW_TRACE_CHANNEL_H
#define CLEW_TRACE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"

/* A part of the channel's own text; need not end in a 0 byte. */
struct channel_part {
    const char *text;
    size_t size;
};

struct channel {
    struct channel_part source, source_host, source_port;
    struct channel_part destination, destination_host, destination_port;
};

/* The number of the channel's name. Hosts and ports may be any text, and empty when unknown. */
uint32_t channel_intern(struct names *n, const struct channel *c);

/* Splits a channel's name; the parts point into it. False when it is no channel: it has no '>'. */
bool channel_parse(struct channel *c, const char *text, size_t size);

/* True for a byte stream, which keeps the order of bytes but not message boundaries; the other
 * transports carry messages. */
bool transport_is_stream(uint8_t mode);

#endif
