/* clew diff: what only one of two executions did. */
#include <stdio.h>
#include <string.h>

#include "base/in.h"
#include "base/json.h"
#include "cli/reading.h"
#include "cli/report.h"
#include "cli/schedule_file.h"
#include "trace/align.h"
#include "trace/kind.h"

struct diff_command {
    struct common common;
};

enum { TEXT_SIZE = 1000 };

static const char schedule_begin[] = "clew-schedule ";

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Whether the file is a schedule; standard input, which can be read once, is not looked at. Fails
 * when it cannot be read. */
static int look_whether_schedule(const char *path, bool *is_one, struct err *e)
{
    struct in in;
    *is_one = false;
    if (is_standard_input(path)) {
        return 0;
    }
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    const size_t size = sizeof schedule_begin - 1;
    const ssize_t got = in_fill(&in, size, e);
    *is_one = got >= (ssize_t)size && memcmp(in.at, schedule_begin, size) == 0;
    in_close(&in);
    return got < 0 ? err_wrap(e, "%s", path) : 0;
}

/* The node that a choice happens on: of a message, and of a fault on one, where it goes. */
static void strand_of(const struct schedule *s, const struct choice *c, char *text, size_t size)
{
    const char *target = names_text(&s->names, c->target);
    const char *arrow = strchr(target, '>');
    if (c->kind == CHOICE_MESSAGE) {
        (void)snprintf(text, size, "%s", names_text(&s->names, c->message.destination));
    } else if (c->kind != CHOICE_FAULT) {
        (void)snprintf(text, size, "%s", names_text(&s->names, c->operation.node));
    } else {
        const char *node = arrow == NULL ? target : arrow + 1;
        (void)snprintf(text, size, "%.*s", (int)strcspn(node, "/+"), node);
    }
}

/* What it does, whichever time it is. */
static void choice_text(const struct schedule *s, const struct choice *c, char *text, size_t size)
{
    struct choice any = *c;
    struct out out;
    any.step = 0;
    any.message.has_fingerprint = false;
    out_open_memory(&out);
    schedule_print_choice(s, &any, &out);
    const size_t line = out.used > 0 ? out.used - 1 : 0;
    const char *number = memrchr(out.buffer, '#', line);
    const size_t kept = number == NULL ? line : (size_t)(number - out.buffer);
    (void)snprintf(text, size, "%.*s", (int)kept, out.buffer);
    out_abandon(&out);
    for (size_t end = strlen(text); end > 0 && text[end - 1] == ' '; end--) {
        text[end - 1] = '\0';
    }
}

static int add_schedule(struct alignment *a, enum align_side side, struct session *session,
                        struct err *e)
{
    struct schedule s;
    schedule_init(&s);
    const int result = schedule_file_read(&s, session->inputs[side], e);
    for (uint32_t i = 0; result == 0 && i < s.choices.count; i++) {
        char strand[TEXT_SIZE];
        char what[TEXT_SIZE];
        strand_of(&s, &s.choices.at[i], strand, sizeof strand);
        choice_text(&s, &s.choices.at[i], what, sizeof what);
        alignment_add(a, side, strand, what, i + 1);
    }
    if (result == 0 && s.steps > s.choices.count && !session->common->quiet) {
        session_say("%s: names %zu of its %u steps, the others are the default; the traces of both "
                    "runs tell more",
                    session->inputs[side], s.choices.count, s.steps);
    }
    schedule_release(&s);
    return result;
}

static void task_text(const struct trace *t, uint32_t number, char *text, size_t size)
{
    const struct task *task = &t->tables.tasks.at[number];
    (void)snprintf(text, size, "%s%s%s", trace_name(t, task->name), task->node == 0 ? "" : "@",
                   trace_name(t, task->node));
}

static void event_text(const struct trace *t, const struct event *event, char *text, size_t size)
{
    char peer[TEXT_SIZE / 4] = "";
    if ((event->has & HAS_PEER) != 0) {
        task_text(t, event->peer, peer, sizeof peer);
    }
    const char *rest = (event->has & HAS_PEER) != 0 ? peer : trace_name(t, event->message);
    const char *object = trace_name(t, event->object);
    (void)snprintf(text, size, "%s%s%s%s%s", kind_of(event->kind)->name, *object == 0 ? "" : " ",
                   object, *rest == 0 ? "" : " ", rest);
}

static int add_trace(struct alignment *a, enum align_side side, struct session *session,
                     struct err *e)
{
    struct reading r;
    int result = reading_open_one(&r, session, side, e);
    if (result < 0) {
        return result;
    }
    result = reading_load(&r, e);
    for (uint32_t i = 0; result == 0 && i < r.trace.events.count; i++) {
        const struct event *event = &r.trace.events.at[i];
        char strand[TEXT_SIZE];
        char what[TEXT_SIZE];
        task_text(&r.trace, event->task, strand, sizeof strand);
        event_text(&r.trace, event, what, sizeof what);
        alignment_add(a, side, strand, what, i + 1);
    }
    if (result == 0) {
        reading_warn(&r);
    }
    reading_close(&r);
    return result;
}

static void print_difference(struct session *s, const struct alignment *a,
                             const struct difference *d)
{
    out_format(&s->out, "%c %u: ", d->side == ALIGN_FIRST ? '-' : '+', d->act.index);
    session_text(s, names_text(&a->names, d->act.strand));
    out_text(&s->out, " ");
    session_text(s, names_text(&a->names, d->act.what));
    out_char(&s->out, '\n');
}

static void print_line(struct session *s, const struct alignment *a, const struct difference *d)
{
    struct json j = json_begin(&s->out);
    json_object(&j, NULL);
    json_text(&j, "only", d->side == ALIGN_FIRST ? "first" : "second");
    json_u64(&j, "event", d->act.index);
    json_text(&j, "strand", names_text(&a->names, d->act.strand));
    json_text(&j, "what", names_text(&a->names, d->act.what));
    json_end(&j);
    out_char(&s->out, '\n');
}

static void report(struct session *s, const struct alignment *a)
{
    uint64_t only[2] = {0};
    uint64_t shown = 0;
    vec_each (&a->differences, d) {
        only[d->side]++;
        if (s->common->json || shown++ >= s->common->limit) {
            continue;
        }
        if (s->common->jsonl) {
            print_line(s, a, d);
        } else {
            print_difference(s, a, d);
        }
    }
    if (s->common->json) {
        struct finding_file f = {0};
        report_begin(&f, s);
        finding_file_count(&f, "common", a->common);
        finding_file_count(&f, "only_first", only[ALIGN_FIRST]);
        finding_file_count(&f, "only_second", only[ALIGN_SECOND]);
        f.verdict = a->differences.count > 0 ? VERDICT_FOUND : VERDICT_CLEAN;
        report_print(&f, s);
        finding_file_release(&f);
    } else if (!s->common->jsonl) {
        report_count(&s->out, a->common, "step", "steps");
        out_format(&s->out, " in both, %llu only in the first, %llu only in the second\n",
                   (unsigned long long)only[ALIGN_FIRST], (unsigned long long)only[ALIGN_SECOND]);
    }
}

static int run(struct session *s, const void *options, struct err *e)
{
    (void)options;
    bool first = false;
    bool second = false;
    if (look_whether_schedule(s->inputs[0], &first, e) < 0 ||
        look_whether_schedule(s->inputs[1], &second, e) < 0) {
        return -1;
    }
    if (is_standard_input(s->inputs[0])) {
        first = second; /* what is compared is of a kind */
    } else if (is_standard_input(s->inputs[1])) {
        second = first;
    }
    if (first != second) {
        return err_set(e, "%s is a schedule and %s is not: two of a kind are compared",
                       s->inputs[first ? 0 : 1], s->inputs[first ? 1 : 0]);
    }
    struct alignment a;
    alignment_init(&a);
    int status = 0;
    for (int side = ALIGN_FIRST; side <= ALIGN_SECOND && status == 0; side++) {
        status = first ? add_schedule(&a, (enum align_side)side, s, e)
                       : add_trace(&a, (enum align_side)side, s, e);
    }
    if (status == 0) {
        alignment_find(&a);
        report(s, &a);
        status = a.differences.count > 0 ? EXIT_FOUND : EXIT_CLEAN;
    }
    alignment_release(&a);
    return status;
}

static const struct option options[] = {
    COMMON_INPUT, COMMON_JSON, COMMON_JSONL, COMMON_LIMIT, COMMON_BUDGET, COMMON_ALWAYS, {0},
};

static const struct diff_command defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew diff good.clew bad.clew", "What a failing run did that a good one did not."},
    {"clew diff 1.sched 1.min.sched", "What minimizing has removed."},
    {0},
};

const struct verb verb_diff = {
    .name = "diff",
    .summary = "compare two executions: what only one of them did",
    .operands = "A B",
    .operand_min = 2,
    .operand_max = 2,
    .about = "Compares two traces or two schedules task by task (schedules: node by node): how "
             "independent tasks were interleaved makes no difference, only what each did and in "
             "which order. Lines with - are only in the first, with + only in the second.",
    .exit_statuses = "0 they do not differ\n1 they differ\n2 one of them could not be read",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct diff_command),
    .examples = examples,
    .run = run,
};
