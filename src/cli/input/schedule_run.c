#include "cli/input/schedule_run.h"

#include "base/mem.h"
#include "cli/input/fuzz_option.h"
#include "cli/input/schedule_file.h"
#include "cli/input/schedule_world.h"
#include "cli/input/spec_file.h"
#include "cli/interrupt.h"
#include "hunt/explain_run.h"

static int open_world(struct schedule_run *r, struct err *e)
{
    struct session *s = r->session;
    const struct spec *spec = r->spec == NULL ? NULL : &r->properties;
    if (s->command != NULL) {
        return command_open(&r->world, s, r->program, spec, e);
    }
    must(s->input_count > 1);
    const struct schedule_world of = {.schedule = s->inputs[0],
                                      .system = s->inputs[1],
                                      .program = "put -- before it",
                                      .spec = spec,
                                      .fuzz = r->config == NULL ? NULL : &r->fuzz,
                                      .fuzz_name = r->config};
    return schedule_world_open(&r->world, &r->schedule, &of, e);
}

int schedule_run_open(struct schedule_run *r, struct err *e)
{
    struct session *s = r->session;
    schedule_init(&r->schedule);
    spec_init(&r->properties);
    if (s->command == NULL && s->input_count < 2) {
        return session_misused(e, "which system is the schedule for? clew %s %s %s", s->verb->name,
                               s->inputs[0], "SYSTEM.so, or -- ./program");
    }
    int status = schedule_file_read(&r->schedule, s->inputs[0], e);
    if (status == 0 && r->spec != NULL) {
        status = spec_file_read(&r->properties, r->spec, e);
    }
    if (status == 0 && r->config != NULL) {
        status = fuzz_file_read(&r->fuzz, r->config, e);
    }
    return status == 0 ? open_world(r, e) : status;
}

void schedule_run_close(struct schedule_run *r)
{
    world_close(r->world);
    fuzz_release(&r->fuzz);
    spec_release(&r->properties);
    schedule_release(&r->schedule);
}

const char *schedule_run_command(const struct schedule_run *r, struct arena *a)
{
    const struct session *s = r->session;
    struct out out;
    out_open_memory(&out);
    out_text(&out, "clew replay ");
    command_print_options(&out, r->program, r->spec, r->config);
    command_print_word(&out, s->inputs[0]);
    out_char(&out, ' ');
    if (s->command != NULL) {
        char *command = command_print(s);
        out_text(&out, command);
        mem_free(command);
    } else {
        command_print_word(&out, s->inputs[1]);
    }
    const char *text = arena_text(a, out.buffer, out.used);
    out_abandon(&out);
    return text;
}

struct limit schedule_run_budget(const struct schedule_run *r)
{
    struct limit limit = r->session->budget;
    limit.is_stopped = stopping_wish();
    if (limit.runs == 0 && limit.time_ns == 0) {
        limit.runs = EXPLAIN_RUNS_DEFAULT;
    }
    return limit;
}
