#include "cli/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* Copies text, cut to fit, with control bytes made visible. */
static void make_visible(char *to, size_t size, const char *text)
{
    size_t used = 0;
    for (; *text != '\0' && used + 5 < size; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f) {
            used += (size_t)snprintf(to + used, size - used, "\\x%02x", c);
        } else {
            to[used++] = (char)c;
        }
    }
    to[used] = '\0';
}

void session_say(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char line[2 * sizeof text];
    make_visible(line, sizeof line, text);
    (void)fprintf(stderr, "clew: %s\n", line);
}

void session_text(struct session *s, const char *text)
{
    session_bytes(s, text, strlen(text));
}

void session_bytes(struct session *s, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c < 0x20 || c == 0x7f) {
            out_format(&s->out, "\\x%02x", c);
        } else {
            out_char(&s->out, (char)c);
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
