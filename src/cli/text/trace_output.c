#include "cli/text/trace_output.h"

#include <string.h>
#include <unistd.h>

#include "cli/input/formats.h"
#include "cli/text/findings_output.h"

int writing_choose(struct writing *w, struct session *s, struct err *e)
{
    *w = (struct writing){.session = s};
    const char *path = s->common->output;
    if (path == NULL) {
        return session_misused(e, "where to? say -o OUT, or -o - for standard output");
    }
    const bool is_stdout = strcmp(path, "-") == 0;
    if (is_stdout && s->common->json) {
        return session_misused(e, "--json and -o - cannot both have standard output");
    }
    w->format = s->common->to >= 0 ? formats_writable((size_t)s->common->to)
                                   : format_of_path(formats_all(), path);
    if (w->format == NULL && is_stdout) {
        return session_misused(
            e, "standard output has no ending to tell the format by: say --to FORMAT");
    }
    if (w->format == NULL) {
        return session_misused(e, "%s: no format has this ending: say --to FORMAT", path);
    }
    if (w->format->create == NULL) {
        return err_set(e, "traces in %s form can only be read, not written", w->format->name);
    }
    if (is_stdout && w->format == &format_native && isatty(STDOUT_FILENO) == 1) {
        return err_set(e, "the native form is not for terminals: say -o FILE, or --to text");
    }
    return 0;
}

int writing_open(struct writing *w, const struct tables *tables, struct err *e)
{
    struct out out;
    if (out_open(&out, w->session->common->output, e) < 0) {
        return -1;
    }
    w->writer = w->format->create(&out, tables, &w->lost);
    return 0;
}

int writing_write(struct writing *w, const struct event *events, size_t count, struct err *e)
{
    w->event_count += count;
    return writer_write(w->writer, events, count, e);
}

static void print_json(const struct writing *w)
{
    struct session *s = w->session;
    struct finding_file f;
    report_begin(&f, s);
    f.event_count = w->event_count;
    f.verdict = VERDICT_CLEAN;
    finding_file_count(&f, "events", w->event_count);
    finding_file_text(&f, "format", w->format->name);
    finding_file_text(&f, "output", s->common->output);
    report_print(&f, s);
    finding_file_release(&f);
}

int writing_close(struct writing *w, struct err *e)
{
    struct writer *writer = w->writer;
    w->writer = NULL;
    const int result = writer_close(writer, e);
    if (result == 0) {
        session_warn(w->session, w->session->common->output, &w->lost);
        if (w->session->common->json) {
            print_json(w);
        }
    }
    notes_release(&w->lost);
    return result;
}

void writing_abandon(struct writing *w)
{
    writer_abandon(w->writer);
    w->writer = NULL;
    notes_release(&w->lost);
}
