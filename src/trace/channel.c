#include "trace/channel.h"

#include <stdio.h>
#include <string.h>

#include "wire/kind.h"

#include "base/mem.h"

enum { NAME_SIZE_USUAL = 512, SIZES_SIZE_MAX = 72 };

static bool has(struct channel_part part, char separator)
{
    return part.size > 0 && memchr(part.text, separator, part.size) != NULL;
}

/* Whether the separators alone return the parts. The first '>' splits the endpoints and the last
 * ':' each of them, so only the destination's host may hold '>', and only hosts may hold ':'. */
static bool is_plain(const struct channel *c)
{
    return !has(c->source_host, '>') && !has(c->source_port, '>') && !has(c->source_port, ':') &&
           !has(c->destination_port, ':') &&
           (c->source_host.size == 0 || c->source_host.text[0] != '#');
}

static char *append(char *to, struct channel_part part)
{
    if (part.size > 0) {
        memcpy(to, part.text, part.size);
    }
    return to + part.size;
}

static char *append_endpoint(char *to, struct channel_part host, struct channel_part port,
                             bool is_sized)
{
    to = append(to, host);
    if (is_sized || port.size > 0 || has(host, ':')) {
        *to++ = ':';
        to = append(to, port);
    }
    return to;
}

uint32_t channel_intern(struct names *n, const struct channel *c)
{
    const size_t size_max = c->source_host.size + c->source_port.size + c->destination_host.size +
                            c->destination_port.size + SIZES_SIZE_MAX;
    char usual[NAME_SIZE_USUAL];
    char *text = size_max <= sizeof usual ? usual : mem_resize(NULL, size_max);
    char *end = text;
    const bool is_sized = !is_plain(c);
    if (is_sized) {
        const int size = snprintf(text, size_max, "#%zu.%zu.%zu#", c->source_host.size,
                                  c->source_port.size, c->destination_host.size);
        must(size > 0);
        end += size;
    }
    end = append_endpoint(end, c->source_host, c->source_port, is_sized);
    *end++ = '>';
    end = append_endpoint(end, c->destination_host, c->destination_port, is_sized);
    const uint32_t name = names_intern(n, text, (size_t)(end - text));
    if (text != usual) {
        mem_free(text);
    }
    return name;
}

/* Takes `size` bytes and the separator behind them from the front of rest. */
static bool take_sized(struct channel_part *rest, struct channel_part *part, size_t size,
                       char separator)
{
    if (size >= rest->size || rest->text[size] != separator) {
        return false;
    }
    *part = (struct channel_part){rest->text, size};
    rest->text += size + 1;
    rest->size -= size + 1;
    return true;
}

/* Takes a number and the separator behind it. */
static bool take_number(struct channel_part *rest, size_t *number, char separator)
{
    size_t digits = 0;
    *number = 0;
    while (digits < rest->size && digits < 18 && rest->text[digits] >= '0' &&
           rest->text[digits] <= '9') {
        *number = *number * 10 + (size_t)(rest->text[digits++] - '0');
    }
    struct channel_part skipped;
    return digits > 0 && take_sized(rest, &skipped, digits, separator);
}

static bool parse_sized(struct channel *c, struct channel_part rest)
{
    struct channel_part mark;
    size_t source_host_size = 0;
    size_t source_port_size = 0;
    size_t destination_host_size = 0;
    if (!take_sized(&rest, &mark, 0, '#') || !take_number(&rest, &source_host_size, '.') ||
        !take_number(&rest, &source_port_size, '.') ||
        !take_number(&rest, &destination_host_size, '#')) {
        return false;
    }
    c->source = (struct channel_part){rest.text, source_host_size + 1 + source_port_size};
    if (!take_sized(&rest, &c->source_host, source_host_size, ':') ||
        !take_sized(&rest, &c->source_port, source_port_size, '>')) {
        return false;
    }
    c->destination = rest;
    if (!take_sized(&rest, &c->destination_host, destination_host_size, ':')) {
        return false;
    }
    c->destination_port = rest;
    return true;
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
    if (size > 0 && text[0] == '#' && parse_sized(c, (struct channel_part){text, size})) {
        return true;
    }
    const char *arrow = size == 0 ? NULL : memchr(text, '>', size);
    if (arrow == NULL) {
        return false;
    }
    c->source = (struct channel_part){text, (size_t)(arrow - text)};
    c->destination = (struct channel_part){arrow + 1, size - c->source.size - 1};
    split_endpoint(c->source, &c->source_host, &c->source_port);
    split_endpoint(c->destination, &c->destination_host, &c->destination_port);
    return true;
}

bool transport_is_stream(uint8_t mode)
{
    return mode == TRANSPORT_TCP || mode == TRANSPORT_UNIX || mode == TRANSPORT_PIPE;
}
