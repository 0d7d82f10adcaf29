#include "cli/input/finding_trace.h"

#include <stdio.h>
#include <string.h>

void finding_trace_init(struct finding_trace *l, const struct session *s,
                        const struct finding_file *from)
{
    *l = (struct finding_trace){.session = *s, .common = *s->common, .input = SIZE_MAX};
    l->session.common = &l->common;
    l->session.inputs = from->inputs.at;
    l->session.input_count = from->inputs.count;
}

void finding_trace_close(struct finding_trace *l)
{
    if (l->input != SIZE_MAX) {
        reading_close(&l->reading);
        l->input = SIZE_MAX;
    }
}

int finding_trace_load(struct finding_trace *l, const struct finding *f, struct err *e)
{
    const struct finding_event *first = &f->events[0];
    if (first->input >= l->session.input_count) {
        return err_set(e, "finding %u names input %u of %zu: the findings file is damaged", f->id,
                       first->input, l->session.input_count);
    }
    if (l->input == first->input || (l->input != SIZE_MAX && l->is_joined)) {
        return 0;
    }
    finding_trace_close(l);
    l->session.common = &l->common; /* where *l lies now */
    l->is_joined = first->is_joined;
    l->common.one_run = first->is_joined;
    const int result = first->is_joined
                           ? reading_open(&l->reading, &l->session, e)
                           : reading_open_one(&l->reading, &l->session, first->input, e);
    if (result < 0) {
        return result;
    }
    l->input = first->input;
    return reading_load(&l->reading, e);
}

bool finding_is_named(const struct finding *f, uint32_t number, const char *name)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", f->id == 0 ? number : f->id);
    return name == NULL || strcmp(name, text) == 0 || strcmp(name, f->key) == 0;
}

int finding_has_no_trace(const struct finding *f, const char *verb, struct err *e)
{
    static const char replay[] = "clew replay ";
    const bool has_replay = f->replay != NULL && strncmp(f->replay, replay, sizeof replay - 1) == 0;
    return has_replay ? err_set(e,
                                "finding %u is of a run, not of a trace: %s its schedule: "
                                "clew %s %s",
                                f->id, verb, verb, f->replay + sizeof replay - 1)
                      : err_set(e, "finding %u has neither events nor a schedule", f->id);
}
