#include "import/http/access_line.h"

#include <ctype.h>

#include "import/http/wall_time.h"

enum { TRACEPARENT_SIZE = 55 };

/* Takes the text before the next blank. */
static struct piece take_word(struct piece *rest)
{
    *rest = piece_trimmed(*rest);
    const struct piece word = {rest->at, piece_until(*rest, ' ')};
    *rest = piece_after(*rest, word.size);
    return word;
}

/* Takes the text between quotes; a backslash escapes a quote. */
static bool take_quoted(struct piece *rest, struct piece *text)
{
    *rest = piece_trimmed(*rest);
    if (rest->size == 0 || rest->at[0] != '"') {
        return false;
    }
    size_t size = 1;
    while (size < rest->size && rest->at[size] != '"') {
        size += rest->at[size] == '\\' ? 2 : 1;
    }
    if (size >= rest->size) {
        return false;
    }
    *text = (struct piece){rest->at + 1, size - 1};
    *rest = piece_after(*rest, size + 1);
    return true;
}

/* "[18/Nov/2026:03:25:11 +0000]" */
static bool take_time(struct piece *rest, struct line_fields *f)
{
    *rest = piece_trimmed(*rest);
    if (rest->size == 0 || rest->at[0] != '[') {
        return false;
    }
    const struct piece time = {rest->at + 1, piece_until(*rest, ']') - 1};
    f->has_time = wall_time_parse(time, &f->time_ns) == time.size && time.size > 0;
    f->values[LINE_TIME] = time;
    *rest = piece_after(*rest, time.size + 1 < rest->size ? time.size + 2 : rest->size);
    return f->has_time;
}

/* "GET /a/7 HTTP/1.1"; HTTP/0.9 has no protocol. */
static bool split_request(struct piece request, struct line_fields *f)
{
    f->values[LINE_VERB] = take_word(&request);
    f->values[LINE_RES] = take_word(&request);
    const struct piece protocol = take_word(&request);
    return f->values[LINE_VERB].size > 0 && f->values[LINE_RES].size > 0 &&
           (protocol.size == 0 || piece_begins(protocol, "HTTP/")) &&
           piece_trimmed(request).size == 0;
}

/* "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" at the front of the text. */
static bool is_traceparent(struct piece text)
{
    if (text.size < TRACEPARENT_SIZE) {
        return false;
    }
    for (size_t i = 0; i < TRACEPARENT_SIZE; i++) {
        const bool is_dash = i == 2 || i == 35 || i == 52;
        if (is_dash ? text.at[i] != '-' : !isxdigit((unsigned char)text.at[i])) {
            return false;
        }
    }
    return text.size == TRACEPARENT_SIZE || !isxdigit((unsigned char)text.at[TRACEPARENT_SIZE]);
}

static struct piece find_traceparent(struct piece rest)
{
    for (size_t i = 0; i + TRACEPARENT_SIZE <= rest.size; i++) {
        const bool may_begin = i == 0 || !isxdigit((unsigned char)rest.at[i - 1]);
        if (may_begin && is_traceparent(piece_after(rest, i))) {
            return (struct piece){rest.at + i, TRACEPARENT_SIZE};
        }
    }
    return (struct piece){0};
}

/* The address and two names of the client, the first nearly always "-"; in logs for several hosts,
 * the host before them. The last name may contain blanks. */
static bool take_client(struct piece *rest, struct access_line *a)
{
    struct piece address = take_word(rest);
    struct piece identity = take_word(rest);
    struct piece behind = *rest;
    const struct piece third = take_word(&behind);
    if (!piece_is(identity, "-") && piece_is(third, "-")) {
        behind = piece_trimmed(behind);
        const bool has_user = behind.size > 0 && behind.at[0] != '[';
        if (has_user) {
            a->host = address;
            address = identity;
            identity = third;
            *rest = behind;
        }
    }
    const size_t size = piece_until(*rest, '[');
    const struct piece user = piece_trimmed((struct piece){rest->at, size});
    *rest = piece_after(*rest, size);
    a->fields.values[LINE_TASK] = piece_is(user, "-") ? address : user;
    return address.size > 0 && identity.size > 0 && user.size > 0;
}

bool access_line_parse(struct piece line, struct access_line *a)
{
    struct piece request;
    *a = (struct access_line){0};
    if (!take_client(&line, a) || !take_time(&line, &a->fields) || !take_quoted(&line, &request) ||
        !split_request(request, &a->fields)) {
        return false;
    }
    a->fields.values[LINE_STATUS] = take_word(&line);
    const struct piece size = take_word(&line);
    a->traceparent = find_traceparent(line);
    return a->fields.values[LINE_STATUS].size == 3 &&
           (piece_is(size, "-") || (size.size > 0 && isdigit((unsigned char)size.at[0])));
}
