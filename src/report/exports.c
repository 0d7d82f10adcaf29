#include "report/exports.h"

#include <stdlib.h>
#include <string.h>

const export_writer export_writers[EXPORT_FORMAT_COUNT] = {
    [EXPORT_SARIF] = export_sarif,
    [EXPORT_JUNIT] = export_junit,
};

void exports_release(struct exports *x)
{
    findings_release(&x->findings);
    vec_release(&x->inputs);
    vec_release(&x->passed);
}

static const char *copy(struct exports *x, const char *text)
{
    return text == NULL ? NULL : arena_text(&x->findings.arena, text, strlen(text));
}

void exports_add(struct exports *x, const struct finding *f)
{
    if (!x->is_wanted) {
        return;
    }
    struct finding own = *f;
    own.what = copy(x, f->what);
    own.why = copy(x, f->why);
    own.key = copy(x, f->key);
    own.replay = copy(x, f->replay);
    own.witness = NULL;
    own.witness_count = 0;
    own.moment = NULL;
    struct finding_event *events =
        arena_array(&x->findings.arena, struct finding_event, f->event_count);
    for (size_t i = 0; i < f->event_count; i++) {
        events[i] = f->events[i];
        events[i].node = copy(x, f->events[i].node);
        events[i].task = copy(x, f->events[i].task);
        events[i].access = copy(x, f->events[i].access);
        events[i].object = copy(x, f->events[i].object);
        events[i].location = copy(x, f->events[i].location);
        events[i].stack = copy(x, f->events[i].stack);
    }
    own.events = events;
    findings_add(&x->findings, &own);
}

void exports_add_passed(struct exports *x, const char *name)
{
    if (x->is_wanted) {
        vec_push(&x->passed, arena_text(&x->findings.arena, name, strlen(name)));
    }
}

void exports_add_all(struct exports *x, const struct findings *f)
{
    vec_each (&f->list, finding) {
        exports_add(x, finding);
    }
}

/* Places */

/* The place at the end of these bytes: "account.c:11". */
static struct source_place place_in(const char *text, size_t size)
{
    size_t digits = size;
    while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') {
        digits--;
    }
    const size_t count = size - digits;
    if (count == 0 || count > 9 || digits < 2 || text[digits - 1] != ':') {
        return (struct source_place){0};
    }
    const uint32_t line = (uint32_t)strtoul(text + digits, NULL, 10);
    must(line <= 999999999); /* nine digits */
    return line == 0 ? (struct source_place){0} : (struct source_place){text, digits - 1, line};
}

struct source_place source_place_of(const char *location)
{
    return place_in(location, strlen(location));
}

struct source_place source_place_of_finding(const struct finding *f)
{
    struct source_place place = {0};
    for (size_t i = 0; i < f->event_count && place.file_size == 0; i++) {
        place = source_place_of(f->events[i].location);
    }
    const char *at = f->what;
    while (place.file_size == 0 && *at != '\0') {
        const size_t size = strcspn(at, " ,;()");
        const size_t end = size > 0 && at[size - 1] == ':' ? size - 1 : size;
        place = memchr(at, '.', end) == NULL ? place : place_in(at, end);
        at += size + (at[size] != '\0');
    }
    return place;
}

/* GitHub */

/* Text of an annotation; of a property, ',' and ':' would end it. */
static void print_annotation_text(struct out *out, const char *text, size_t size, bool is_property)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '%' || c < ' ' || (is_property && (c == ':' || c == ','))) {
            out_format(out, "%%%02X", c);
        } else {
            out_char(out, text[i]);
        }
    }
}

static const char *command_of(enum finding_severity severity)
{
    switch (severity) {
    case SEVERITY_ERROR: return "error";
    case SEVERITY_WARNING: return "warning";
    case SEVERITY_NOTE: return "notice";
    }
    bug("a severity has a command");
}

void exports_annotate(const struct exports *x, struct out *out)
{
    vec_each (&x->findings.list, f) {
        const struct source_place place = source_place_of_finding(f);
        out_format(out, "::%s ", command_of(f->severity));
        if (place.file_size > 0) {
            out_text(out, "file=");
            must(place.line > 0);
            print_annotation_text(out, place.file, place.file_size, true);
            out_format(out, ",line=%u,", place.line);
        }
        out_format(out, "title=clew %s%%3A %s::", x->verb, finding_kind_name(f->kind));
        print_annotation_text(out, f->what, strlen(f->what), false);
        if (f->replay != NULL) {
            out_text(out, "%0A");
            print_annotation_text(out, f->replay, strlen(f->replay), false);
        }
        out_char(out, '\n');
    }
}
