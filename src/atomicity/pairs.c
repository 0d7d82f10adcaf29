#include "atomicity/pairs.h"

#include <string.h>

#include "base/in.h"
#include "base/quoted_text.h"

enum { FILE_SIZE_MAX = 64 << 20 };

static bool is_gap(char c, bool by_tabs)
{
    return c == '\t' || c == '\r' || (!by_tabs && c == ' ');
}

/* The last field of [begin, *end), which then ends before it; empty when there is none. */
static const char *last_field(struct arena *a, const char *begin, const char **end, bool by_tabs)
{
    const char *to = *end;
    while (to > begin && is_gap(to[-1], by_tabs)) {
        to--;
    }
    const char *from = to;
    while (from > begin && !is_gap(from[-1], by_tabs)) {
        from--;
    }
    *end = from;
    return arena_text(a, from, (size_t)(to - from));
}

static int parse_line(struct pairs *p, const char *begin, const char *end, struct err *e)
{
    while (begin < end && is_gap(*begin, false)) {
        begin++;
    }
    if (begin == end || *begin == '#') {
        return 0;
    }
    const char *line_end = end;
    const bool by_tabs = memchr(begin, '\t', (size_t)(end - begin)) != NULL;
    struct atomicity_pair pair;
    pair.y = last_field(&p->arena, begin, &end, by_tabs);
    pair.x = last_field(&p->arena, begin, &end, by_tabs);
    if (pair.x[0] == '\0' || pair.y[0] == '\0') {
        return err_set(e, "%s: a pair is two names, with a tab or blanks between",
                       shown(begin, (size_t)(line_end - begin)).text);
    }
    vec_push(&p->list, pair);
    return 0;
}

int pairs_parse(struct pairs *p, const char *bytes, size_t size, struct err *e)
{
    const char *end = bytes + size;
    uint32_t number = 1;
    for (const char *at = bytes; at < end; number++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end == NULL ? end : line_end;
        if (memchr(at, '\0', (size_t)(line_end - at)) != NULL) {
            return err_set(e, "line %u: holds a zero byte, not a list of pairs", number);
        }
        if (parse_line(p, at, line_end, e) < 0) {
            return err_wrap(e, "line %u", number);
        }
        at = line_end < end ? line_end + 1 : end;
    }
    return 0;
}

int pairs_read(struct pairs *p, const char *path, struct err *e)
{
    struct in in;
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    int result = in_fill_all(&in, FILE_SIZE_MAX, e);
    if (result == 0) {
        result = pairs_parse(p, in.at, in.available, e);
    }
    in_close(&in);
    return result < 0 ? err_wrap(e, "%s", path) : 0;
}

void pairs_release(struct pairs *p)
{
    vec_release(&p->list);
    arena_release(&p->arena);
}
