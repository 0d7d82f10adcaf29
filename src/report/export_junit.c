/* Findings as JUnit XML: the suite is the command, and a finding a test case that fails. A clean
 * command has one test case, which passes; where the answer is unknown that one has an error. */
#include <string.h>

#include "base/utf8.h"
#include "report/exports.h"

/* Text in an element or an attribute. Control characters have no form in XML 1.0; bytes that are no
 * UTF-8 would end a reader, so they are replaced too. */
static void print_xml(struct out *out, const char *text)
{
    const char *end = text + strlen(text);
    while (text < end) {
        const unsigned char c = (unsigned char)*text;
        const char *name = c == '&'    ? "&amp;"
                           : c == '<'  ? "&lt;"
                           : c == '>'  ? "&gt;"
                           : c == '"'  ? "&quot;"
                           : c == '\n' ? "&#10;"
                                       : NULL;
        size_t size = utf8_size(text, (size_t)(end - text));
        must(size <= (size_t)(end - text));
        if (size == 3 && memcmp(text, "\xef\xbf", 2) == 0 && (unsigned char)text[2] >= 0xbe) {
            size = 0; /* U+FFFE and U+FFFF are characters of Unicode and not of XML */
        }
        if (name != NULL) {
            out_text(out, name);
        } else if (size == 0 || (size == 1 && (c < ' ' || c == 0x7f))) {
            out_text(out, "\xef\xbf\xbd"); /* U+FFFD */
        } else {
            out_bytes(out, text, size);
        }
        text += size == 0 ? 1 : size;
    }
}

static void print_attribute(struct out *out, const char *name, const char *text)
{
    out_format(out, " %s=\"", name);
    print_xml(out, text);
    out_char(out, '"');
}

static void print_line(struct out *out, const char *before, const char *text)
{
    if (text != NULL && text[0] != '\0') {
        out_text(out, before);
        print_xml(out, text);
        out_text(out, "\n");
    }
}

static void print_body(struct out *out, const struct finding *f)
{
    print_line(out, "", f->what);
    for (size_t i = 0; i < f->event_count; i++) {
        const struct finding_event *e = &f->events[i];
        const char *texts[] = {e->task, e->access, e->object, e->location};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            out_text(out, k == 0 ? "  " : " ");
            print_xml(out, texts[k]);
        }
        out_char(out, '\n');
    }
    print_line(out, "", f->why);
    print_line(out, "replay: ", f->replay);
}

static void print_case(const struct exports *x, const struct finding *f, struct out *out)
{
    const struct source_place place = source_place_of_finding(f);
    out_text(out, "    <testcase");
    out_format(out, " classname=\"clew.%s.%s\"", x->verb, finding_kind_name(f->kind));
    print_attribute(out, "name", f->key);
    if (place.file_size > 0) {
        struct out file;
        out_open_memory(&file);
        out_bytes(&file, place.file, place.file_size);
        out_char(&file, '\0');
        print_attribute(out, "file", file.buffer);
        out_format(out, " line=\"%u\"", place.line);
        out_abandon(&file);
    }
    const char *element = f->status == STATUS_UNKNOWN    ? "error"
                          : f->severity == SEVERITY_NOTE ? "system-out"
                                                         : "failure";
    out_format(out, ">\n      <%s", element);
    if (strcmp(element, "system-out") != 0) {
        print_attribute(out, "type", finding_kind_name(f->kind));
        print_attribute(out, "message", f->what);
    }
    out_char(out, '>');
    print_body(out, f);
    out_format(out, "</%s>\n    </testcase>\n", element);
}

/* The test case of the command itself. */
static void print_command(const struct exports *x, struct out *out)
{
    out_format(out, "    <testcase classname=\"clew.%s\" name=\"", x->verb);
    for (size_t i = 0; i < x->inputs.count; i++) {
        out_text(out, i == 0 ? "" : " ");
        print_xml(out, x->inputs.at[i]);
    }
    if (x->end == EXPORT_UNKNOWN) {
        out_text(out,
                 "\">\n      <error type=\"unknown\" message=\"the answer is unknown: a budget "
                 "ended before it, or an assumption could not be checked\"/>\n"
                 "    </testcase>\n");
    } else {
        out_text(out, "\"/>\n");
    }
}

void export_junit(const struct exports *x, struct out *out)
{
    size_t failure_count = 0;
    size_t unknown_count = 0;
    vec_each (&x->findings.list, f) {
        unknown_count += f->status == STATUS_UNKNOWN;
        failure_count += f->status != STATUS_UNKNOWN && f->severity != SEVERITY_NOTE;
    }
    must(failure_count + unknown_count <= x->findings.list.count);
    /* An unknown finding is an error of its own; the command has one where no finding says why. */
    const bool has_error = x->end == EXPORT_UNKNOWN && unknown_count == 0;
    const bool is_empty = x->findings.list.count == 0 && x->passed.count == 0;
    const bool has_command = is_empty || has_error;
    const size_t count = x->findings.list.count + x->passed.count + has_command;
    out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    out_format(out,
               "  <testsuite name=\"clew %s\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
               x->verb, count, failure_count, unknown_count + has_error);
    if (has_command) {
        print_command(x, out);
    }
    vec_each (&x->passed, name) {
        out_format(out, "    <testcase classname=\"clew.%s\"", x->verb);
        print_attribute(out, "name", *name);
        out_text(out, "/>\n");
    }
    vec_each (&x->findings.list, f) {
        print_case(x, f, out);
    }
    out_text(out, "  </testsuite>\n</testsuites>\n");
}
