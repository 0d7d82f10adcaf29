#include "import/http/uri.h"

enum { KEY_SIZE_MIN = 16, HEX_SIZE_MIN = 8, UUID_SIZE = 36 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int hex_value(char c)
{
    if (is_digit(c)) {
        return c - '0';
    }
    const char small = (char)(c | 0x20);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/* RFC 3986, 2.3: characters that mean the same escaped and not. */
static bool is_unreserved(char c)
{
    return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/* Adds a path segment by segment, each with a '/' before it. */
static void add_path(struct text *name, struct piece path)
{
    bool is_start = true;
    for (size_t i = 0; i < path.size; i++) {
        if (path.at[i] == '/') {
            is_start = true;
            continue;
        }
        if (is_start) {
            text_add_char(name, '/');
            is_start = false;
        }
        const bool is_escape = path.at[i] == '%' && i + 2 < path.size &&
                               hex_value(path.at[i + 1]) >= 0 && hex_value(path.at[i + 2]) >= 0;
        const int escaped =
            is_escape ? hex_value(path.at[i + 1]) * 16 + hex_value(path.at[i + 2]) : 0;
        if (is_escape && is_unreserved((char)escaped)) {
            text_add_char(name, (char)escaped);
            i += 2;
        } else {
            text_add_char(name, path.at[i]);
        }
    }
}

static void add_host(struct text *name, struct piece host, struct piece usual_port)
{
    const size_t user = piece_until(host, '@');
    host = user < host.size ? piece_after(host, user + 1) : host;
    if (usual_port.size > 0 && host.size > usual_port.size &&
        memcmp(host.at + host.size - usual_port.size, usual_port.at, usual_port.size) == 0) {
        host.size -= usual_port.size;
    }
    for (size_t i = 0; i < host.size; i++) {
        text_add_char(name, small_letter(host.at[i]));
    }
}

/* The URI without query and fragment. */
static struct piece bare(struct piece uri)
{
    uri.size = piece_until(uri, '#');
    uri.size = piece_until(uri, '?');
    return uri;
}

/* The size of "scheme:" and its slashes, 0 when there is none. A colon behind a host's name is
 * followed by its port. */
static size_t scheme_size(struct piece uri)
{
    const size_t colon = piece_until(uri, ':');
    must(colon <= uri.size);
    if (colon == 0 || colon == uri.size || piece_until(uri, '/') < colon) {
        return 0;
    }
    return colon + 1 < uri.size && is_digit(uri.at[colon + 1]) ? 0 : colon + 1;
}

bool uri_name(struct text *name, struct piece uri)
{
    uri = bare(piece_trimmed(uri));
    const size_t start = name->chars.count;
    const size_t scheme = scheme_size(uri);
    struct piece usual_port = {0};
    if (scheme > 0) {
        const struct piece word = {uri.at, scheme - 1};
        if (!piece_is_like(word, "http") && !piece_is_like(word, "https")) {
            return false;
        }
        usual_port = piece_of(word.size == 4 ? ":80" : ":443");
        uri = piece_after(uri, scheme);
        if (!piece_begins(uri, "//")) {
            return false;
        }
        uri = piece_after(uri, 2);
    }
    const size_t host_size = piece_until(uri, '/');
    add_host(name, (struct piece){uri.at, host_size}, usual_port);
    add_path(name, piece_after(uri, host_size));
    must(name->chars.count >= start);
    return name->chars.count > start;
}

bool uri_resolve(struct text *name, struct piece base, struct piece reference)
{
    if (scheme_size(reference) > 0) {
        return uri_name(name, reference);
    }
    reference = bare(piece_trimmed(reference));
    if (reference.size == 0) {
        return false;
    }
    if (reference.at[0] != '/') {
        const char *last = base.size == 0 ? NULL : memrchr(base.at, '/', base.size);
        text_add(name,
                 (struct piece){base.at, last == NULL ? base.size : (size_t)(last - base.at)});
    } else {
        text_add(name, (struct piece){base.at, piece_until(base, '/')});
    }
    add_path(name, reference);
    return true;
}

/* Whether a UUID in its usual form is at the front. */
static bool begins_uuid(struct piece p)
{
    if (p.size < UUID_SIZE) {
        return false;
    }
    for (size_t i = 0; i < UUID_SIZE; i++) {
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? p.at[i] != '-' : hex_value(p.at[i]) < 0) {
            return false;
        }
    }
    return p.size == UUID_SIZE || !(is_letter(p.at[UUID_SIZE]) || is_digit(p.at[UUID_SIZE]));
}

/* Whether a run of letters and digits is a key rather than a word. */
static bool is_key(struct piece run)
{
    size_t digits = 0;
    size_t hex = 0;
    for (size_t i = 0; i < run.size; i++) {
        digits += is_digit(run.at[i]);
        hex += hex_value(run.at[i]) >= 0;
    }
    return digits == run.size || (digits > 0 && hex == run.size && run.size >= HEX_SIZE_MIN) ||
           (digits > 0 && run.size >= KEY_SIZE_MIN);
}

void uri_template(struct text *template, struct piece name)
{
    const size_t host_size = piece_until(name, '/');
    text_add(template, (struct piece){name.at, host_size});
    for (struct piece rest = piece_after(name, host_size); rest.size > 0;) {
        size_t size = begins_uuid(rest) ? UUID_SIZE : 0;
        while (size < rest.size && (is_letter(rest.at[size]) || is_digit(rest.at[size]))) {
            size++;
        }
        must(size <= rest.size);
        const struct piece run = {rest.at, size};
        if (size == 0) {
            text_add_char(template, *rest.at);
            size = 1;
        } else if (begins_uuid(run) || is_key(run)) {
            text_add(template, piece_of("{id}"));
        } else {
            text_add(template, run);
        }
        rest = piece_after(rest, size);
    }
}

bool uri_query(struct piece uri, struct piece parameter, struct piece *value)
{
    uri.size = piece_until(uri, '#');
    const size_t mark = piece_until(uri, '?');
    struct piece rest = piece_after(uri, mark);
    while (rest.size > 0) {
        rest = piece_after(rest, 1);
        const struct piece pair = {rest.at, piece_until(rest, '&')};
        const size_t name_size = piece_until(pair, '=');
        if (name_size == parameter.size && memcmp(pair.at, parameter.at, name_size) == 0) {
            *value = piece_after(pair, name_size < pair.size ? name_size + 1 : name_size);
            return true;
        }
        rest = piece_after(rest, pair.size);
    }
    return false;
}
