/* clew doctor: the features of this machine. */
#include "cli/text/findings_output.h"
#include "proc/machine.h"

struct doctor_options {
    struct common common;
};

static void print_json(struct session *s, const bool *is_there)
{
    struct finding_file f = {0};
    report_begin(&f, s);
    for (size_t i = 0; i < ability_count; i++) {
        finding_file_flag(&f, abilities[i].name, is_there[i]);
    }
    report_print(&f, s);
    finding_file_release(&f);
}

static void print_text(struct session *s, const bool *is_there)
{
    for (size_t i = 0; i < ability_count; i++) {
        const struct ability *a = &abilities[i];
        out_format(&s->out, "%-3s  %-13s  %s\n", is_there[i] ? "yes" : "no", a->name, a->use);
        if (!is_there[i]) {
            out_format(&s->out, "%20s  to have it: %s\n", "", a->remedy);
        }
    }
    out_text(
        &s->out,
        "\nWhat a program calls is recorded as it is. Its memory accesses are recorded only when "
        "it\nwas built with clew cc or clew c++. Static and setuid programs are not recorded.\n");
}

static int run(struct session *s, __attribute__((unused)) const void *options,
               __attribute__((unused)) struct err *e)
{
    VEC(bool) is_there = {0};
    for (size_t i = 0; i < ability_count; i++) {
        vec_push(&is_there, abilities[i].is_there());
    }
    if (s->common->json) {
        print_json(s, is_there.at);
    } else {
        print_text(s, is_there.at);
    }
    vec_release(&is_there);
    return EXIT_CLEAN;
}

static const struct option options[] = {COMMON_JSON, COMMON_ALWAYS, {0}};
static const struct doctor_options defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew doctor", "Check which features of clew work on this machine."},
    {0},
};

const struct verb verb_doctor = {
    .name = "doctor",
    .summary = "check which features work on this machine",
    .operands = "",
    .operand_min = 0,
    .operand_max = 0,
    .about = "Tests each facility that clew needs to record and control programs. Prints whether "
             "it is available, what uses it, and how to get a missing one.",
    .exit_statuses = "0 always",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct doctor_options),
    .examples = examples,
    .run = run,
};
