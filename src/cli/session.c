#include "cli/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"

void session_paint(struct session *s, enum paint paint, const char *text)
{
    static const char *const codes[] = {
        [PAINT_ERROR] = "\x1b[1;31m", [PAINT_WARNING] = "\x1b[1;33m", [PAINT_STRONG] = "\x1b[1m"};
    if (s->is_colored) {
        out_text(&s->out, codes[paint]);
    }
    out_text(&s->out, text);
    if (s->is_colored) {
        out_text(&s->out, "\x1b[0m");
    }
}

int session_misused(struct err *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(e->text, sizeof e->text, format, arguments);
    va_end(arguments);
    return MISUSED;
}

/* The next byte or two of a text as they can be shown: a terminal acts on the control characters of
 * ASCII and on those that UTF-8 adds behind 0xc2. Returns how many bytes were taken. */
static size_t show(char piece[9], const char *text, size_t size)
{
    must(size > 0);
    const unsigned char first = (unsigned char)text[0];
    const unsigned char second = size > 1 ? (unsigned char)text[1] : 0;
    if (first < 0x20 || first == 0x7f) {
        (void)snprintf(piece, 9, "\\x%02x", first);
        return 1;
    }
    if (first == 0xc2 && second >= 0x80 && second < 0xa0) {
        (void)snprintf(piece, 9, "\\x%02x\\x%02x", first, second);
        return 2;
    }
    piece[0] = text[0];
    piece[1] = '\0';
    return 1;
}

void session_say(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char line[4 * sizeof text] = "";
    char *end = line;
    for (size_t i = 0; text[i] != '\0'; end += strlen(end)) {
        i += show(end, text + i, strlen(text + i));
    }
    must((size_t)(end - line) < sizeof line);
    (void)fprintf(stderr, "clew: %s\n", line);
}

void session_text(struct session *s, const char *text)
{
    session_bytes(s, text, strlen(text));
}

static void print_harmless(struct session *s, const char *bytes, size_t size)
{
    char piece[9];
    for (size_t i = 0; i < size;) {
        i += show(piece, bytes + i, size - i);
        out_text(&s->out, piece);
    }
}

/* Whether a mangled name may begin there: an underscore that begins a word. */
static bool begins_name(const char *bytes, size_t at)
{
    return bytes[at] == '_' && (at == 0 || !demangle_is_of_name(bytes[at - 1]));
}

static size_t name_from(const char *bytes, size_t at, size_t size)
{
    while (at < size && !begins_name(bytes, at)) {
        at++;
    }
    return at;
}

void session_bytes(struct session *s, const char *bytes, size_t size)
{
    char name[1000];
    for (size_t i = 0; i < size;) {
        const size_t taken =
            begins_name(bytes, i) ? demangle(bytes + i, size - i, name, sizeof name) : 0;
        if (taken > 0) {
            must(taken <= size - i);
            print_harmless(s, name, strlen(name));
            i += taken;
        } else {
            const size_t next = name_from(bytes, i + 1, size);
            must(next > i);
            print_harmless(s, bytes + i, next - i);
            i = next;
        }
    }
}

void session_warn(const struct session *s, const char *subject, const struct notes *notes)
{
    if (s->common->quiet) {
        return;
    }
    const size_t size = strlen(subject);
    vec_each (&notes->list, note) {
        /* A place in the subject itself need not name it again. */
        const bool names_subject =
            strncmp(note->place, subject, size) == 0 && strncmp(note->place + size, ": ", 2) == 0;
        const char *place = note->place + (names_subject ? size + 2 : 0);
        const unsigned long long count = note->count;
        if (count > 1 && place[0] != '\0') {
            session_say("%s: %s (%llu times, first at %s)", subject, note->text, count, place);
        } else if (count > 1) {
            session_say("%s: %s (%llu times)", subject, note->text, count);
        } else if (place[0] != '\0') {
            session_say("%s: %s (at %s)", subject, note->text, place);
        } else {
            session_say("%s: %s", subject, note->text);
        }
    }
}
