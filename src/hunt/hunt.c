#include "hunt/hunt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fault_injection.h"
#include "base/mem.h"
#include "hunt/hunt_report.h"
#include "hunt/hunt_stages.h"

static const struct {
    const char *name;
    int (*run)(struct hunt *h, struct err *e);
    bool is_for_programs;
} stages[] = {
    [HUNT_OBSERVE] = {"observe", hunt_observe, true},
    [HUNT_CONFIRM] = {"confirm", hunt_confirm, true},
    [HUNT_EXPLORE] = {"explore", hunt_explore, false},
    [HUNT_MINIMIZE] = {"minimize", hunt_minimize, false},
    [HUNT_EXPLAIN] = {"explain", hunt_explain, false},
};
_Static_assert(sizeof stages / sizeof *stages == HUNT_STAGE_COUNT, "each stage has its function");

const char *hunt_stage_name(enum hunt_stage stage)
{
    must(stage < HUNT_STAGE_COUNT);
    return stages[stage].name;
}

/* For the stages */

struct hunt_stage_account *hunt_stage_begin(struct hunt *h, enum hunt_stage stage, uint64_t total)
{
    struct hunt_stage_account *a = &h->stages[stage];
    a->is_planned = true;
    a->total = total;
    a->elapsed_ns = limit_now_ns();
    hunt_show(h, stage);
    return a;
}

void hunt_stage_end(struct hunt *h, enum hunt_stage stage, bool is_finished)
{
    struct hunt_stage_account *a = &h->stages[stage];
    must(a->is_planned);
    a->elapsed_ns = limit_now_ns() - a->elapsed_ns;
    a->is_finished = is_finished;
}

static uint64_t count_runs(const struct hunt *h)
{
    uint64_t runs = 0;
    for (size_t i = 0; i < HUNT_STAGE_COUNT; i++) {
        runs += h->stages[i].runs;
    }
    return runs;
}

void hunt_show(struct hunt *h, enum hunt_stage stage)
{
    const struct hunt_progress p = {.stage = stage,
                                    .done = h->stages[stage].done,
                                    .total = h->stages[stage].total,
                                    .runs = count_runs(h),
                                    .prediction_count = h->predictions.list.count,
                                    .bug_count = h->bugs.list.count};
    h->options->progress(h->options->context, &p);
}

struct limit hunt_share(const struct hunt *h, uint32_t per_cent, uint64_t runs_max)
{
    struct limit limit = h->options->budget;
    must(per_cent <= 100);
    if (limit.runs != 0) {
        const uint64_t runs = count_runs(h);
        const uint64_t left = limit.runs > runs ? limit.runs - runs : 1;
        limit.runs = runs_max == 0 || left < runs_max ? left : runs_max;
    } else {
        limit.runs = runs_max;
    }
    if (limit.time_ns != 0) {
        const uint64_t left = limit_time_left_ns(&h->options->budget);
        limit.time_ns = left / 100 * per_cent + 1;
        limit.begin_ns = limit_now_ns();
    }
    return limit;
}

bool hunt_is_over(const struct hunt *h)
{
    return limit_is_spent(&h->options->budget, count_runs(h));
}

const char *hunt_path(struct hunt *h, const char *format, ...)
{
    char name[100];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    struct out out;
    out_open_memory(&out);
    out_format(&out, "%s/%s", h->options->folder, name);
    const char *path = arena_text(&h->arena, out.buffer, out.used);
    out_abandon(&out);
    return path;
}

int hunt_write_text(const char *path, const char *text, size_t size, struct err *e)
{
    struct out out;
    if (out_open(&out, path, e) < 0) {
        return -1;
    }
    out_bytes(&out, text, size);
    return out_close(&out, e);
}

/* The hunt */

static int make_folder(const char *folder, struct err *e)
{
    const int made = seam_fails() ? seam_failure(EACCES) : mkdir(folder, 0777);
    if (made < 0 && errno != EEXIST) {
        return err_set(e, "%s: %s; name another folder with --output", folder, strerror(errno));
    }
    return 0;
}

/* Opens the target so that an exit status other than 0 is a violation, unless the program ends with
 * one in the default order: then it says nothing of the order. */
static int open_target(struct hunt *h, struct err *e)
{
    const struct hunt_options *o = h->options;
    h->fails_on_exit = !o->never_fails_on_exit;
    if (o->open(o->context, h->fails_on_exit, &h->target, e) < 0) {
        return -1;
    }
    if (!h->target.is_program) {
        h->fails_on_exit = false;
        return 0;
    }
    struct execution x = {0};
    const struct plan plan = {.steps_max = h->target.search.depth};
    int result = world_run(h->target.world, &plan, &x, e);
    if (result == 0 && x.outcome == OUTCOME_EXIT && h->fails_on_exit &&
        !h->options->always_fails_on_exit) {
        world_close(h->target.world);
        h->target.world = NULL;
        h->fails_on_exit = false;
        result = o->open(o->context, false, &h->target, e);
    }
    execution_release(&x);
    return result;
}

/* Runs the stages. A world that breaks after the first stage ends the hunt with what there is. */
static int run_stages(struct hunt *h, struct err *e)
{
    for (int stage = HUNT_OBSERVE; stage <= HUNT_EXPLORE; stage++) {
        if (stages[stage].is_for_programs && !h->target.is_program) {
            continue;
        }
        if (h->broken[0] == '\0' && stages[stage].run(h, e) < 0) {
            if (h->bugs.list.count == 0) {
                return -1;
            }
            (void)snprintf(h->broken, sizeof h->broken, "%.280s", e->text);
        }
    }
    vec_each (&h->predictions.list, prediction) {
        const struct confirmation *answer = &prediction->answer;
        const bool is_shown = prediction->is_tried && answer->status == STATUS_CONFIRMED;
        if (is_shown && answer->orders.harm != HARM_HARMFUL &&
            !prediction_is_harmless(prediction)) {
            bugs_add_harmless(&h->bugs, prediction);
        }
    }
    if (h->options->is_hidden != NULL) {
        bugs_hide(&h->bugs, h->options->is_hidden, h->options->context);
    }
    bugs_rank(&h->bugs);
    return 0;
}

static void name_files(struct hunt *h)
{
    for (size_t i = 0; i < h->bugs.list.count; i++) {
        h->bugs.list.at[i].schedule_path = hunt_path(h, "%zu.sched", i + 1);
    }
}

static int write_schedules(struct hunt *h, struct err *e)
{
    vec_each (&h->bugs.list, bug) {
        if (hunt_write_text(bug->schedule_path, bug->schedule, bug->schedule_size, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The command that shows each bug: its minimized schedule where there is one. */
static void name_replays(struct hunt *h)
{
    vec_each (&h->bugs.list, bug) {
        struct out out;
        out_open_memory(&out);
        h->options->print_replay(
            h->options->context,
            bug->minimized_path[0] != '\0' ? bug->minimized_path : bug->schedule_path, &out);
        bug->replay = arena_text(&h->arena, out.buffer, out.used);
        out_abandon(&out);
    }
}

/* A prediction that a prefix of an execution shows, and that is neither confirmed nor refuted;
 * NULL: there is none. */
static const struct prediction *open_prediction(const struct hunt *h)
{
    vec_each (&h->predictions.list, prediction) {
        const bool is_open = !prediction->is_tried || prediction->answer.status == STATUS_UNKNOWN;
        if (is_open && prediction->finding.grade == GRADE_SOUND) {
            return prediction;
        }
    }
    return NULL;
}

/* Says why the hunt did less than it planned. */
static void say_unfinished(struct hunt *h)
{
    char *text = h->unfinished;
    const size_t size = sizeof h->unfinished;
    const struct prediction *open = open_prediction(h);
    const struct hunt_stage_account *cut = NULL;
    enum hunt_stage stage = HUNT_OBSERVE;
    for (enum hunt_stage i = HUNT_OBSERVE; i <= HUNT_EXPLORE && cut == NULL; i++) {
        const bool is_needed = h->target.is_program || !stages[i].is_for_programs;
        stage = i;
        cut = is_needed && !h->stages[i].is_finished ? &h->stages[i] : NULL;
    }
    if (h->broken[0] != '\0') {
        (void)snprintf(text, size, "a stage lost control: %s", h->broken);
    } else if (h->is_stopped) {
        (void)snprintf(text, size, "the hunt was stopped by a signal");
    } else if (h->judgement.hindrance != NULL) {
        (void)snprintf(text, size, "%.400s", h->judgement.hindrance);
    } else if (cut != NULL) {
        (void)snprintf(
            text, size, "the budget ended in stage %s, after %llu of %llu (raise --budget)",
            stages[stage].name, (unsigned long long)cut->done, (unsigned long long)cut->total);
    } else if (open != NULL) {
        (void)snprintf(text, size,
                       "a prediction graded sound is neither confirmed nor refuted: %.300s",
                       open->finding.what);
    }
}

/* Decides what the search says, from the runs that searched: those of the minimizer are no search.
 */
static void settle_answer(struct hunt *h)
{
    h->is_stopped = limit_is_stopped(&h->options->budget);
    h->options->judge(h->options->context, h, &h->arena, &h->judgement);
    h->is_complete = h->is_complete && h->judgement.is_exact;
    say_unfinished(h);
}

static int finish(struct hunt *h, struct err *e)
{
    name_files(h);
    int result = write_schedules(h, e);
    if (result == 0 && h->broken[0] == '\0') {
        result = hunt_minimize(h, e);
    }
    name_replays(h);
    if (result == 0 && h->broken[0] == '\0') {
        result = hunt_explain(h, e);
    }
    return result == 0 ? hunt_report_write(h, e) : -1;
}

int hunt_run(struct hunt *h, const struct hunt_options *o, struct err *e)
{
    *h = (struct hunt){.options = o, .report_path = ""};
    predictions_init(&h->predictions);
    must(o->budget.is_stopped != NULL);
    int result = make_folder(o->folder, e);
    if (result == 0) {
        result = open_target(h, e);
    }
    if (result == 0) {
        result = run_stages(h, e);
    }
    if (result == 0) {
        settle_answer(h);
        result = finish(h, e);
    }
    return result;
}

void hunt_release(struct hunt *h)
{
    bugs_release(&h->bugs);
    predictions_release(&h->predictions);
    vec_each (&h->traces, trace) {
        trace_release(*trace);
        mem_free(*trace);
    }
    vec_release(&h->traces);
    vec_release(&h->trace_paths);
    vec_release(&h->judgement.left_out);
    world_close(h->target.world);
    arena_release(&h->arena);
}

uint64_t hunt_elapsed_ns(const struct hunt *h)
{
    return limit_now_ns() - h->options->budget.begin_ns;
}
