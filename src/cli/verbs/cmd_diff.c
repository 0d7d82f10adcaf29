/* clew diff: the events that only one of two executions has. */
#include "base/json.h"
#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"
#include "cli/verbs/diff_inputs.h"

struct diff_command {
    struct common common;
};

/* As users count: steps of a run from 1, events of a trace from 0. */
static uint32_t number_of(const struct comparison *c, const struct difference *d)
{
    return c->are_schedules ? c->step_of[d->side].at[d->act.index] : d->act.index;
}

/* Likewise of its cause, if that is known. */
static uint32_t cause_of(const struct comparison *c, const struct difference *d)
{
    const uint32_t index = c->alignment.sides[d->side].list.at[d->act.cause].index;
    return c->are_schedules ? c->step_of[d->side].at[index] : index;
}

static char sign_of(enum align_side side)
{
    return side == ALIGN_FIRST ? '-' : '+';
}

static void print_difference(const struct comparison *c, const struct difference *d)
{
    const struct names *names = &c->alignment.names;
    struct session *s = c->session;
    out_format(&s->out, "%c %u: ", sign_of(d->side), number_of(c, d));
    session_text(s, names_text(names, d->act.strand));
    out_text(&s->out, " ");
    session_text(s, names_text(names, d->act.shown));
    if (d->act.cause != ALIGN_NONE) {
        const struct act *cause = &c->alignment.sides[d->side].list.at[d->act.cause];
        out_format(&s->out, ", caused by %u: ", cause_of(c, d));
        session_text(s, names_text(names, cause->shown));
    }
    out_char(&s->out, '\n');
}

/* Both have these two, and not in the same order. */
static void print_reordering(const struct comparison *c, const struct reordering *r)
{
    const struct names *names = &c->alignment.names;
    struct session *s = c->session;
    out_format(&s->out, "~ %u, %u: ", r->earlier.index, r->earlier_index);
    session_text(s, names_text(names, r->earlier.strand));
    out_text(&s->out, " ");
    session_text(s, names_text(names, r->earlier.shown));
    out_format(&s->out, " is before %u, %u: ", r->later.index, r->later_index);
    session_text(s, names_text(names, r->later.strand));
    out_text(&s->out, " ");
    session_text(s, names_text(names, r->later.shown));
    out_text(&s->out, ", and in the second after it\n");
}

/* Lines of the header that only one has. */
static void print_about(const struct comparison *c)
{
    struct session *s = c->session;
    for (int i = 0; i < ABOUT_COUNT; i++) {
        for (int side = ALIGN_FIRST;
             side <= ALIGN_SECOND && !comparison_is_about_same(c, (enum about)i); side++) {
            if (c->about[i][side] != 0) {
                out_format(&s->out, "%c %s ", sign_of((enum align_side)side),
                           about_name((enum about)i));
                session_text(s, names_text(&c->alignment.names, c->about[i][side]));
                out_char(&s->out, '\n');
            }
        }
    }
}

static void write_place(struct json *j, const char *key, uint32_t first, uint32_t second)
{
    json_array(j, key);
    json_u64(j, NULL, first);
    json_u64(j, NULL, second);
    json_end(j);
}

static void write_meeting(struct json *j, const char *key, const struct meeting *m)
{
    if (m->index[ALIGN_FIRST] == ALIGN_NONE) {
        json_null(j, key);
        return;
    }
    write_place(j, key, m->index[ALIGN_FIRST], m->index[ALIGN_SECOND]);
}

static void write_difference(const struct comparison *c, const struct difference *d, struct json *j)
{
    const struct names *names = &c->alignment.names;
    const bool is_pretty = j->is_pretty; /* a line for each */
    json_object(j, NULL);
    j->is_pretty = false;
    json_text(j, "only", d->side == ALIGN_FIRST ? "first" : "second");
    json_u64(j, "input", d->side);
    json_u64(j, "index", d->act.index);
    if (c->are_schedules) {
        json_u64(j, "step", number_of(c, d));
    }
    json_text(j, "strand", names_text(names, d->act.strand));
    json_text(j, "what", names_text(names, d->act.shown));
    if (d->act.cause != ALIGN_NONE) {
        json_u64(j, "cause", cause_of(c, d));
    }
    write_meeting(j, "after", &d->after);
    write_meeting(j, "before", &d->before);
    json_end(j);
    j->is_pretty = is_pretty;
}

static void write_reordering(const struct comparison *c, const struct reordering *r, struct json *j)
{
    const struct names *names = &c->alignment.names;
    const bool is_pretty = j->is_pretty; /* a line for each */
    json_object(j, NULL);
    j->is_pretty = false;
    json_text(j, "only", "order");
    write_place(j, "earlier", r->earlier.index, r->earlier_index);
    json_text(j, "strand", names_text(names, r->earlier.strand));
    json_text(j, "what", names_text(names, r->earlier.shown));
    write_place(j, "later", r->later.index, r->later_index);
    json_text(j, "later_strand", names_text(names, r->later.strand));
    json_text(j, "later_what", names_text(names, r->later.shown));
    json_end(j);
    j->is_pretty = is_pretty;
}

static void write_about(const struct comparison *c, struct json *j)
{
    const struct names *names = &c->alignment.names;
    json_object(j, "about");
    for (int i = 0; i < ABOUT_COUNT; i++) {
        if (!comparison_is_about_same(c, (enum about)i)) {
            json_array(j, about_name((enum about)i));
            json_text(j, NULL, names_text(names, c->about[i][ALIGN_FIRST]));
            json_text(j, NULL, names_text(names, c->about[i][ALIGN_SECOND]));
            json_end(j);
        }
    }
    json_end(j);
}

/* How many of them the limit leaves room for, behind the differences. */
static size_t reorderings_shown(const struct comparison *c)
{
    const struct alignment *a = &c->alignment;
    const uint64_t limit = c->session->common->limit;
    const uint64_t room = limit > a->differences.count ? limit - a->differences.count : 0;
    return room < a->reorderings.count ? (size_t)room : a->reorderings.count;
}

static void write_more(const void *context, struct json *j)
{
    const struct comparison *c = context;
    write_about(c, j);
    const struct alignment *a = &c->alignment;
    json_array(j, "differences");
    for (size_t i = 0; i < a->differences.count && i < c->session->common->limit; i++) {
        write_difference(c, &a->differences.at[i], j);
    }
    for (size_t i = 0; i < reorderings_shown(c); i++) {
        write_reordering(c, &a->reorderings.at[i], j);
    }
    json_end(j);
}

static bool is_about_same(const struct comparison *c)
{
    for (int i = 0; i < ABOUT_COUNT; i++) {
        if (!comparison_is_about_same(c, (enum about)i)) {
            return false;
        }
    }
    return true;
}

static enum verdict comparison_verdict(const struct comparison *c)
{
    if (c->is_cut) {
        return VERDICT_UNKNOWN; /* events that seem missing may be in the rest */
    }
    const bool is_same = c->alignment.differences.count == 0 &&
                         c->alignment.reorderings.count == 0 && is_about_same(c) &&
                         c->doubt[0] == '\0';
    return is_same ? VERDICT_CLEAN : VERDICT_FOUND;
}

/* Notes for the reader of the differences. */
static void add_notes(const struct comparison *c, struct notes *notes)
{
    const struct alignment *a = &c->alignment;
    if (comparison_is_of_two_systems(c)) {
        notes_add(notes, "",
                  "the two are of different systems: nodes and tasks are matched by name");
    }
    if (!c->is_same_run && !c->is_cut && a->shared == 0 &&
        a->sides[ALIGN_FIRST].strands.count > 0) {
        notes_add(notes, "", "no %s is in both: they may be of different systems",
                  c->are_schedules ? "node" : "task");
    }
    if (c->doubt[0] != '\0' && c->session->common->jsonl) {
        notes_add(notes, "", "the hashes are equal, but the executions differ: %s", c->doubt);
    }
    if (c->is_content_unsaid && c->session->input_count < 3) {
        notes_add(
            notes, "",
            "only one of them has the content of some requests: name the system to compare it");
    }
}

static void count_sides(const struct alignment *a, uint64_t *only)
{
    vec_each (&a->differences, d) {
        only[d->side]++;
    }
}

static void print_json(const struct comparison *c, const struct notes *notes)
{
    struct finding_file f = {0};
    uint64_t only[2] = {0};
    count_sides(&c->alignment, only);
    report_begin(&f, c->session);
    f.event_count = 2 * c->alignment.common + only[ALIGN_FIRST] + only[ALIGN_SECOND];
    f.verdict = comparison_verdict(c);
    if (c->are_schedules) {
        finding_file_flag(&f, "same_run", c->is_same_run);
        finding_file_text(&f, "hash_doubt", c->doubt);
    }
    finding_file_count(&f, "common", c->alignment.common);
    finding_file_count(&f, "reordered", c->alignment.reorderings.count);
    finding_file_count(&f, "only_first", only[ALIGN_FIRST]);
    finding_file_count(&f, "only_second", only[ALIGN_SECOND]);
    f.print_more = write_more;
    f.context = c;
    vec_each (&notes->list, note) {
        vec_push(&f.assumptions, note->text);
    }
    report_print(&f, c->session);
    finding_file_release(&f);
}

static void print_about_lines(const struct comparison *c)
{
    const struct names *names = &c->alignment.names;
    for (int i = 0; i < ABOUT_COUNT; i++) {
        if (!comparison_is_about_same(c, (enum about)i)) {
            struct json j = json_begin(&c->session->out);
            json_object(&j, NULL);
            json_text(&j, "only", "about");
            json_text(&j, "about", about_name((enum about)i));
            json_text(&j, "first", names_text(names, c->about[i][ALIGN_FIRST]));
            json_text(&j, "second", names_text(names, c->about[i][ALIGN_SECOND]));
            json_end(&j);
            out_char(&c->session->out, '\n');
        }
    }
}

static void print_lines(const struct comparison *c)
{
    const struct alignment *a = &c->alignment;
    print_about_lines(c);
    for (size_t i = 0; i < a->differences.count && i < c->session->common->limit; i++) {
        struct json j = json_begin(&c->session->out);
        write_difference(c, &a->differences.at[i], &j);
        out_char(&c->session->out, '\n');
    }
    for (size_t i = 0; i < reorderings_shown(c); i++) {
        struct json j = json_begin(&c->session->out);
        write_reordering(c, &a->reorderings.at[i], &j);
        out_char(&c->session->out, '\n');
    }
}

static void print_report(const struct comparison *c)
{
    const struct alignment *a = &c->alignment;
    struct out *out = &c->session->out;
    uint64_t only[2] = {0};
    count_sides(a, only);
    print_about(c);
    if (c->is_cut) {
        out_text(out, "not compared: the budget ended before both were read\n");
        return;
    }
    if (c->is_same_run) {
        out_format(out, "of one execution (hash %016llx), of which not both name all steps\n",
                   (unsigned long long)c->schedule[ALIGN_FIRST].hash);
        return;
    }
    for (size_t i = 0; i < a->differences.count && i < c->session->common->limit; i++) {
        print_difference(c, &a->differences.at[i]);
    }
    for (size_t i = 0; i < reorderings_shown(c); i++) {
        print_reordering(c, &a->reorderings.at[i]);
    }
    report_count(out, a->common, c->are_schedules ? "step" : "event",
                 c->are_schedules ? "steps" : "events");
    out_format(out, " in both, %llu only in the first, %llu only in the second",
               (unsigned long long)only[ALIGN_FIRST], (unsigned long long)only[ALIGN_SECOND]);
    if (a->reorderings.count > 0) {
        out_format(out, ", %zu in another order", a->reorderings.count);
    }
    out_char(out, '\n');
    if (c->doubt[0] != '\0') {
        out_text(out, "the hashes are equal, but the executions differ: ");
        session_text(c->session, c->doubt);
        out_char(out, '\n');
    }
}

static int report(const struct comparison *c)
{
    struct session *s = c->session;
    struct notes notes = {0};
    add_notes(c, &notes);
    if (s->common->json) {
        print_json(c, &notes);
    } else if (s->common->jsonl) {
        print_lines(c);
    } else {
        print_report(c);
    }
    vec_each (&notes.list, note) {
        if (!s->common->quiet) {
            session_say("%s and %s: %s", s->inputs[0], s->inputs[1], note->text);
        }
    }
    notes_release(&notes);
    return verdict_status(comparison_verdict(c));
}

static int run(struct session *s, const void *options, struct err *e)
{
    (void)options;
    struct comparison c;
    int status = comparison_make(&c, s, e);
    if (status == 0) {
        status = report(&c);
    }
    comparison_release(&c);
    return status;
}

static const struct option options[] = {
    COMMON_INPUT, COMMON_JSON, COMMON_JSONL, COMMON_LIMIT, COMMON_BUDGET, COMMON_ALWAYS, {0},
};

static const struct diff_command defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew diff good.clew bad.clew",
     "Show the events in which a failing run differs from a good one."},
    {"clew diff 1.sched 1.min.sched ./ring.so", "Show the steps that minimizing removed."},
    {0},
};

const struct verb verb_diff = {
    .name = "diff",
    .summary = "compare two executions",
    .operands = "A B [SYSTEM.so]",
    .operand_min = 2,
    .operand_max = 3,
    .about = "Compares two traces task by task, or two schedules node by node. Matches events by "
             "causality: a receive matches if its send matches. Ignores the interleaving of "
             "independent tasks. A line with - is only in the first, a line with + only in the "
             "second. A line with ~ is in both, but its two events access one object in the "
             "opposite order. A schedule that a search saved lists only the steps that are not the "
             "default; with SYSTEM.so, clew replays both schedules and compares all steps.",
    .exit_statuses = "0 the two executions are equal\n1 they differ\n2 one of them could not be "
                     "read\n3 the budget ended before both were read",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct diff_command),
    .examples = examples,
    .run = run,
};
