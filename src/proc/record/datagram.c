#include "proc/record/datagram.h"

#include <stdio.h>
#include <string.h>

#include "wire/must.h"

/* Where the port begins in "host:port"; the whole text where it has none. */
static const char *port_of(const char *end)
{
    const char *colon = strrchr(end, ':');
    return colon == NULL ? end : colon + 1;
}

static bool is_any(const char *end)
{
    return strncmp(end, "0.0.0.0:", 8) == 0 ||
           strncmp(end, "[0000:0000:0000:0000:0000:0000:0000:0000]:", 42) == 0;
}

/* Two ends that can be one: the same, or the same port seen with and without its host. An end that
 * its teller does not know can be any. */
static bool is_same_end(const struct names *n, uint32_t a, uint32_t b)
{
    const char *x = names_text(n, a);
    const char *y = names_text(n, b);
    return a == b || x[0] == 0 || y[0] == 0 ||
           ((is_any(x) || is_any(y)) && strcmp(port_of(x), port_of(y)) == 0);
}

static uint32_t port_name(struct names *n, uint32_t end)
{
    return names_intern_text(n, port_of(names_text(n, end)));
}

void datagrams_send(struct datagrams *g, struct names *n, struct datagram *d)
{
    if (g->sent.count == 0) {
        vec_push(&g->sent, (struct datagram){0});
    }
    const uint32_t ordinal = ++*map_slot(&g->count_of, d->hash, 0, NULL);
    char name[40];
    (void)snprintf(name, sizeof name, ordinal == 1 ? "%llx" : "%llx#%u",
                   (unsigned long long)d->hash, ordinal);
    d->message = names_intern_text(n, name);
    d->next = 0;
    const uint32_t index = (uint32_t)g->sent.count;
    const uint32_t port = port_name(n, d->destination);
    uint32_t *first = map_slot(&g->first_to, port, 0, NULL);
    uint32_t *last = map_slot(&g->last_to, port, 0, NULL);
    if (*first == 0) {
        *first = index;
    } else {
        g->sent.at[*last].next = index;
    }
    must(index != 0);
    *last = index;
    vec_push(&g->sent, *d);
}

static bool is_cut(const struct datagram *sent, const struct datagram *received)
{
    return sent->size > received->size;
}

/* The index of the one that precedes the wanted in its list, in *before (0: it is the first). */
static uint32_t find(const struct datagrams *g, const struct names *n, const struct datagram *d,
                     uint32_t first, uint32_t *before)
{
    uint32_t cut = 0;
    uint32_t before_cut = 0;
    uint32_t previous = 0;
    for (uint32_t at = first; at != 0; previous = at, at = g->sent.at[at].next) {
        const struct datagram *s = &g->sent.at[at];
        if (!is_same_end(n, s->destination, d->destination) ||
            !is_same_end(n, s->source, d->source)) {
            continue;
        }
        if (s->hash == d->hash && s->size == d->size) {
            *before = previous;
            return at;
        }
        if (cut == 0 && is_cut(s, d)) {
            cut = at;
            before_cut = previous;
        }
    }
    *before = before_cut;
    return cut;
}

const struct datagram *datagrams_receive(struct datagrams *g, struct names *n,
                                         const struct datagram *d)
{
    const uint32_t port = port_name(n, d->destination);
    uint32_t *first = map_slot(&g->first_to, port, 0, NULL);
    uint32_t *last = map_slot(&g->last_to, port, 0, NULL);
    uint32_t before = 0;
    const uint32_t found = find(g, n, d, *first, &before);
    if (found == 0) {
        return NULL;
    }
    must(found < g->sent.count);
    must(before == 0 || g->sent.at[before].next == found);
    const uint32_t next = g->sent.at[found].next;
    if (before == 0) {
        *first = next;
    } else {
        g->sent.at[before].next = next;
    }
    if (*last == found) {
        *last = before;
    }
    return &g->sent.at[found];
}

void datagrams_release(struct datagrams *g)
{
    vec_release(&g->sent);
    map_release(&g->first_to);
    map_release(&g->last_to);
    map_release(&g->count_of);
}
