#include "cli/reading.h"

#include "cli/formats.h"

static const struct format *format_wanted(const struct session *s)
{
    return s->common->from < 0 ? NULL : formats_all()[s->common->from];
}

int reading_open(struct reading *r, struct session *s, struct err *e)
{
    must(s->input_count > 0);
    if (s->input_count > 1) {
        return session_misused(e, "%s reads one trace", s->verb->name);
    }
    *r = (struct reading){.session = s, .name = session_input_name(s->inputs[0])};
    tables_init(&r->tables);
    r->cursor =
        format_open(formats_all(), format_wanted(s), s->inputs[0], &r->tables, &r->notes, e);
    if (r->cursor == NULL) {
        reading_close(r);
        return -1;
    }
    progress_begin(&r->progress, r->name, "events", !s->common->quiet && !s->common->json);
    return 0;
}

int reading_next(struct reading *r, struct batch *b, struct err *e)
{
    if (limit_is_spent(&r->session->budget, 0)) {
        r->is_cut = true;
        return 0;
    }
    const int more = cursor_next(r->cursor, b, e);
    if (more < 0) {
        progress_end(&r->progress);
        return err_wrap(e, "%s", r->name);
    }
    r->event_count += b->count;
    progress_step(&r->progress, r->event_count, r->cursor->in.offset, r->cursor->in.size);
    return more;
}

void reading_warn(const struct reading *r)
{
    session_warn(r->session, r->name, &r->notes);
    if (r->is_cut && !r->session->common->quiet) {
        session_say("%s: the budget ended after %llu events", r->name,
                    (unsigned long long)r->event_count);
    }
}

void reading_close(struct reading *r)
{
    progress_end(&r->progress);
    cursor_close(r->cursor);
    notes_release(&r->notes);
    tables_release(&r->tables);
}
