#include "cli/input/trace_input.h"

#include <stdio.h>
#include <sys/stat.h>

#include "cli/input/formats.h"
#include "cli/input/program_file.h"
#include "proc/record/run_recorded.h"

static const struct format *format_wanted(const struct session *s)
{
    return s->common->from < 0 ? NULL : formats_readable((size_t)s->common->from);
}

/* The bytes of all inputs, 0 when one of them does not tell (a pipe). */
static uint64_t total_size(const struct reading *r)
{
    uint64_t total = 0;
    for (size_t i = 0; i < r->input_count; i++) {
        struct stat status;
        if (stat(r->session->inputs[r->input_first + i], &status) < 0 || !S_ISREG(status.st_mode)) {
            return 0;
        }
        total += (uint64_t)status.st_size;
    }
    return total;
}

/* A trace whose recorder was killed is made now, from the rows it left. */
static int reading_fold(const struct session *s, const char *path, struct err *e)
{
    if (!recorder_has_left_rows(path)) {
        return 0;
    }
    struct recorder_result result;
    struct notes notes = {0};
    const int status = recorder_fold(path, &result, &notes, e);
    session_warn(s, path, &notes);
    if (status == 0 && !s->common->quiet) {
        session_say("%s: recovered from an interrupted recording: %llu events", path,
                    (unsigned long long)result.stats.events);
    }
    notes_release(&notes);
    return status;
}

/* Reads the rules of --rules, for every reader from now on. */
static int reading_rules(struct reading *r, struct err *e)
{
    const char *path = r->session->common->rules;
    struct http_faults faults = {0};
    const int status = path == NULL ? 0 : http_rules_read(&r->rules, path, &faults, e);
    http_faults_release(&faults);
    http_rules_use(path == NULL || status < 0 ? NULL : &r->rules);
    return status;
}

static int open_inputs(struct reading *r, struct err *e)
{
    const struct session *s = r->session;
    const char *const *paths = s->inputs + r->input_first;
    (void)snprintf(r->name_joined, sizeof r->name_joined, "%zu inputs", r->input_count);
    r->name = r->input_count == 1 ? format_path_name(paths[0]) : r->name_joined;
    for (size_t i = 0; i < r->input_count; i++) {
        if (reading_fold(s, paths[i], e) < 0) {
            return -1;
        }
    }
    trace_init(&r->trace);
    if (reading_rules(r, e) < 0) {
        reading_close(r);
        return -1;
    }
    const struct join_inputs inputs = {.formats = formats_all(),
                                       .wanted = format_wanted(s),
                                       .paths = paths,
                                       .count = r->input_count};
    r->cursor = join_open(&inputs, &r->trace.tables, &r->notes, e);
    if (r->cursor == NULL) {
        reading_close(r);
        return program_file_is(paths[0]) ? program_file_misused(s, paths[0], e) : -1;
    }
    r->size = total_size(r);
    progress_begin(&r->progress, r->name, "events", !s->common->quiet && !s->common->json);
    return 0;
}

int reading_open(struct reading *r, struct session *s, struct err *e)
{
    must(s->input_count > 0);
    if (s->input_count > 1 && !s->common->one_run) {
        return session_misused(e, "%s reads one trace; --one-run joins parts of one execution",
                               s->verb->name);
    }
    *r = (struct reading){.session = s, .input_count = s->input_count};
    return open_inputs(r, e);
}

int reading_open_one(struct reading *r, struct session *s, size_t index, struct err *e)
{
    must(index < s->input_count);
    *r = (struct reading){.session = s, .input_first = index, .input_count = 1};
    return open_inputs(r, e);
}

/* Where an event stands that is the position-th of all that was read: the session's input, and its
 * index there. */
static struct join_place place_of(const struct reading *r, uint64_t position)
{
    struct join_place place = join_place(r->cursor, position);
    place.input += r->input_first;
    return place;
}

void reading_place_events(const struct reading *r, struct findings *f, struct finding *finding)
{
    struct finding_event *events =
        arena_array(&f->arena, struct finding_event, finding->event_count);
    for (size_t i = 0; i < finding->event_count; i++) {
        const struct join_place place = place_of(r, finding->events[i].index);
        events[i] = finding->events[i];
        events[i].is_joined = r->input_count > 1;
        events[i].number = finding->events[i].index;
        events[i].input = (uint32_t)place.input;
        events[i].index = place.index;
    }
    finding->events = events;
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
        return err_wrap(e, "%s", r->cursor->path);
    }
    r->event_count += b->count;
    progress_step(&r->progress, r->event_count, r->cursor->in.offset, r->size);
    return more;
}

int reading_load(struct reading *r, struct err *e)
{
    struct batch b;
    int more = 0;
    while ((more = reading_next(r, &b, e)) > 0) {
        if (trace_append_batch(&r->trace, &b, e) < 0) {
            return err_wrap(e, "%s", r->name);
        }
    }
    if (more == 0) {
        progress_end(&r->progress);
        trace_seal(&r->trace);
    }
    return more;
}

void reading_warn(const struct reading *r)
{
    session_warn(r->session, r->name, &r->notes);
    if (r->is_cut && !r->session->common->quiet) {
        session_say("%s: %s after %llu events", r->name,
                    limit_is_stopped(&r->session->budget) ? "stopped" : "the budget ended",
                    (unsigned long long)r->event_count);
    }
}

void reading_close(struct reading *r)
{
    progress_end(&r->progress);
    cursor_close(r->cursor);
    if (http_rules_in_use() == &r->rules) {
        http_rules_use(NULL);
    }
    http_rules_release(&r->rules);
    notes_release(&r->notes);
    trace_release(&r->trace);
}
