#include "trace/channel.h"

#include <string.h>

enum { CHANNEL_SIZE_MAX = 1024 };

static size_t append(char *to, size_t used, struct channel_part part)
{
    const size_t room = CHANNEL_SIZE_MAX - used;
    const size_t size = part.size < room ? part.size : room;
    if (size > 0) {
        memcpy(to + used, part.text, size);
    }
    return used + size;
}

uint32_t channel_intern(struct names *n, const struct channel *c)
{
    const struct channel_part colon = {":", 1};
    const struct channel_part arrow = {">", 1};
    char text[CHANNEL_SIZE_MAX];
    size_t used = append(text, 0, c->source_host);
    if (c->source_port.size > 0) {
        used = append(text, used, colon);
        used = append(text, used, c->source_port);
    }
    used = append(text, used, arrow);
    used = append(text, used, c->destination_host);
    if (c->destination_port.size > 0) {
        used = append(text, used, colon);
        used = append(text, used, c->destination_port);
    }
    return names_intern(n, text, used);
}

static void split_endpoint(struct channel_part whole, struct channel_part *host,
                           struct channel_part *port)
{
    *host = whole;
    *port = (struct channel_part){whole.text + whole.size, 0};
    const char *colon = whole.size == 0 ? NULL : memrchr(whole.text, ':', whole.size);
    if (colon != NULL) {
        host->size = (size_t)(colon - whole.text);
        port->text = colon + 1;
        port->size = whole.size - host->size - 1;
    }
}

bool channel_parse(struct channel *c, const char *text, size_t size)
{
    const char *arrow = memchr(text, '>', size);
    if (arrow == NULL) {
        return false;
    }
    c->source = (struct channel_part){text, (size_t)(arrow - text)};
    c->destination = (struct channel_part){arrow + 1, size - c->source.size - 1};
    split_endpoint(c->source, &c->source_host, &c->source_port);
    split_endpoint(c->destination, &c->destination_host, &c->destination_port);
    return true;
}
