#include "monitor/monitor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fault_injection.h"
#include "monitor/property_answer.h"
#include "spec/token.h"

void monitor_result_release(struct monitor_result *r)
{
    vec_release(&r->properties);
}

struct monitoring {
    const struct monitor_options *options;
    struct state_history history;
    struct bound bound;
    struct findings *findings;
    uint32_t *taken;
};

/* Makes the folder for the formulas. */
static int make_folder(const char *path, struct err *e)
{
    const int made = seam_fails() ? seam_failure(ENOSPC) : mkdir(path, 0777);
    return made < 0 && errno != EEXIST ? err_set(e, "%s: cannot be made: %s", path, strerror(errno))
                                       : 0;
}

/* The file name of a property: its own name, or its index in the specification when its name cannot
 * be a file name. */
static const char *file_name(const struct spec *s, uint32_t property, struct arena *a)
{
    enum { NAME_SIZE_MAX = 200, PLACE_SIZE = 24 };
    const char *name = names_text(&s->names, s->properties.at[property].name);
    if (token_is_bare(name) && strlen(name) <= NAME_SIZE_MAX) {
        return name;
    }
    char *place = arena_array(a, char, PLACE_SIZE);
    (void)snprintf(place, PLACE_SIZE, "property-%u", property + 1);
    return place;
}

static void tell(struct monitoring *m, uint32_t property, const struct asking *asking,
                 enum method method)
{
    struct overlap_least least;
    const struct answer_source from = {
        .spec = m->options->spec,
        .property = property,
        .input = m->options->input,
        .least = answer_find_least(asking, method, &least) ? &least : NULL,
    };
    answer_tell(asking, &from, m->findings);
}

static int decide_all(struct monitoring *m, struct monitor_result *r, struct err *e)
{
    if (m->options->smtlib != NULL && make_folder(m->options->smtlib, e) < 0) {
        return -1;
    }
    const struct spec *spec = m->options->spec;
    for (uint32_t i = 0; i < spec->properties.count; i++) {
        const struct spec_property *p = &spec->properties.at[i];
        const struct bound_property *b = vec_at(&m->bound.properties, i);
        if (b->is_temporal) {
            vec_push(&r->properties, answer_unknown(MONITOR_TEMPORAL));
            continue;
        }
        const struct asking asking = {&m->history, &m->options->decide,
                                      *vec_at(&m->bound.atoms, b->atom), m->taken};
        const char *name = file_name(spec, i, &m->history.arena);
        if (m->options->smtlib != NULL && answer_write(&asking, m->options->smtlib, name, e) < 0) {
            return -1;
        }
        struct monitor_answer answer = answer_decide(&asking);
        answer.is_violation = answer.verdict == CUT_YES && p->claim != SPEC_CLAIM_POSSIBLY;
        if (answer.verdict == CUT_YES) {
            tell(m, i, &asking, answer.method);
        }
        vec_push(&r->properties, answer);
    }
    return 0;
}

/* The number of messages between processes; a message in pieces counts once. */
static uint64_t count_messages(struct state_history *h)
{
    const struct cuts *c = &h->cuts;
    const uint32_t report_count = cuts_report_count(c);
    const struct arena_mark mark = arena_mark(&h->scratch);
    uint32_t *counted_for = arena_array(&h->scratch, uint32_t, report_count);
    uint64_t count = 0;
    for (uint32_t r = 0; r < report_count; r++) {
        const uint32_t to = c->process[r] + 1;
        for (uint32_t n = c->need_first[r]; n < c->need_first[r + 1]; n++) {
            const uint32_t send = c->needs[n];
            count += counted_for[send] != to && state_history_is_send(h, send);
            counted_for[send] = to;
        }
    }
    arena_reset(&h->scratch, mark);
    return count;
}

int monitor_find(const struct trace *t, const struct monitor_options *o, struct findings *f,
                 struct monitor_result *r, struct notes *n, struct err *e)
{
    struct monitoring m = {.options = o, .findings = f};
    state_history_processes(&m.history, t);
    const struct checker_system system = {m.history.processes.at, m.history.inside_count};
    int result = bind_spec(&m.bound, o->spec, &system, e);
    r->is_misfit = result < 0;
    if (result == 0) {
        const struct state_history_options options = {.skew = o->skew, .is_logical = o->is_paper};
        state_history_build(&m.history, o->spec, &m.bound, &options, n);
        m.taken = arena_array(&m.history.arena, uint32_t, m.history.cuts.process_count);
        r->process_count = m.history.cuts.process_count;
        r->report_count = cuts_report_count(&m.history.cuts);
        r->message_count = count_messages(&m.history);
        r->gap_count = m.history.gaps.count;
        result = decide_all(&m, r, e);
    }
    bound_release(&m.bound);
    state_history_release(&m.history);
    return result;
}
