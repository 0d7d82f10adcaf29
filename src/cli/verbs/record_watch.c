#include "cli/verbs/record_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/text/findings_output.h"
#include "race/observed/observed_report.h"

enum {
    RUNNING_MAX = 8,           /* commands at once */
    MOMENTS_MAX = 1024 * 1024, /* remembered of one task */
};

void watch_init(struct watch *w, struct session *s, const char *command, const char *trace)
{
    *w = (struct watch){.session = s, .command = command, .trace = trace};
    tables_init(&w->tables);
    names_init(&w->told);
}

/* ---- the command ---- */

static void reap(struct watch *w, size_t count_max)
{
    size_t kept = 0;
    const size_t count = w->running.count;
    for (size_t i = 0; i < count; i++) {
        const pid_t pid = w->running.at[i];
        const bool may_wait = count - i + kept > count_max;
        const pid_t ended = waitpid(pid, NULL, may_wait ? 0 : WNOHANG);
        if (ended == 0 || (ended < 0 && errno == EINTR)) {
            w->running.at[kept++] = pid;
        }
    }
    w->running.count = kept;
}

/* Environment of the command for an access or a message: CLEW_RACE_FIRST_TASK and so on. */
static void set_event(const char *which, const struct finding_event *event)
{
    const struct {
        const char *name, *value;
    } told[] = {{"TASK", event->task},
                {"NODE", event->node},
                {"ACCESS", event->access},
                {"OBJECT", event->object},
                {"PLACE", event->location}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "CLEW_RACE_%s_%s", which, told[i].name);
        (void)setenv(name, told[i].value, 1);
    }
}

/* In the child. Standard output is the recorded program's: the command's goes to standard error. */
_Noreturn static void become_command(const struct watch *w, const struct finding *finding)
{
    char number[24];
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)w->race_count);
    (void)setenv("CLEW_RACE_NUMBER", number, 1);
    (void)setenv("CLEW_RACE_KIND", finding_kind_name(finding->kind), 1);
    (void)setenv("CLEW_RACE_WHAT", finding->what, 1);
    (void)setenv("CLEW_RACE_KEY", finding->key, 1);
    (void)setenv("CLEW_RACE_TRACE", w->trace, 1);
    set_event("FIRST", &finding->events[0]);
    set_event("SECOND", &finding->events[1]);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) {
        (void)dup2(nothing, STDIN_FILENO);
    }
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    (void)execl("/bin/sh", "sh", "-c", w->command, (char *)NULL);
    _exit(127);
}

static void run_command(struct watch *w, const struct finding *finding)
{
    reap(w, RUNNING_MAX - 1);
    const pid_t pid = fork();
    if (pid == 0) {
        become_command(w, finding);
    }
    if (pid < 0) {
        session_say("--on-race: no process could be made: %s", strerror(errno));
        return;
    }
    vec_push(&w->running, pid);
}

/* ---- races ---- */

/* Two places race once, however many variables they touch. */
static bool is_told(struct watch *w, const struct finding *finding)
{
    char pair[1024];
    const struct finding_event *a = &finding->events[0];
    const struct finding_event *b = &finding->events[1];
    const bool is_sorted = strcmp(a->location, b->location) <= 0;
    (void)snprintf(pair, sizeof pair, "%d %s %s %s", (int)finding->kind,
                   (is_sorted ? a : b)->location, (is_sorted ? b : a)->location,
                   a->location[0] == 0 || b->location[0] == 0 ? a->object : "");
    const size_t before = w->told.list.count;
    (void)names_intern_text(&w->told, pair);
    return w->told.list.count == before;
}

static void say_json(const struct finding *finding, uint64_t number)
{
    struct out out;
    out_open_memory(&out);
    struct json j = json_begin(&out);
    finding_print(finding, (uint32_t)number, &j);
    (void)fprintf(stderr, "%.*s\n", (int)out.used, out.buffer);
    out_abandon(&out);
}

static void race_found(void *context, const struct observed_race *race)
{
    struct watch *w = context;
    struct findings f = {0};
    observed_tell(&f, &w->tables, race, 0);
    if (!suppressions_hide(&w->session->suppressions, &f.list.at[0]) &&
        !is_told(w, &f.list.at[0])) {
        w->race_count++;
        if (w->session->common->jsonl) {
            say_json(&f.list.at[0], w->race_count);
        } else {
            session_say("race %llu: %s", (unsigned long long)w->race_count, f.list.at[0].what);
        }
        if (w->command != NULL) {
            run_command(w, &f.list.at[0]);
        }
    }
    findings_release(&f);
}

/* ---- events ---- */

static void remember(struct watch *w, uint32_t task, uint64_t epoch)
{
    struct watch_moment now = {.epoch = epoch};
    while (task >= w->tasks.count) {
        vec_push(&w->tasks, (struct watch_task){0});
    }
    struct watch_task *t = &w->tasks.at[task];
    if (!observed_now(w->observed, task, &now.moment)) {
        return;
    }
    if (t->moments.count > 0) {
        const struct observed_moment *last = &vec_last(&t->moments)->moment;
        if (last->clock == now.moment.clock && last->column == now.moment.column) {
            return;
        }
    }
    if (t->moments.count == MOMENTS_MAX) {
        t->moments.count /= 2;
        memcpy(t->moments.at, t->moments.at + t->moments.count,
               t->moments.count * sizeof *t->moments.at);
    }
    vec_push(&t->moments, now);
}

static int take(void *context, const struct event *events, size_t count, uint64_t epoch,
                struct err *e)
{
    struct watch *w = context;
    const struct batch b = {.events = events, .count = count};
    if (observed_feed(w->observed, &b, e) < 0) {
        return -1;
    }
    remember(w, events[0].task, epoch);
    return 0;
}

/* The moment in which an epoch lay is the last that began no later; one that is forgotten makes an
 * access that cannot be judged. */
static int take_late(void *context, const struct event *event, uint64_t epoch,
                     __attribute__((unused)) struct err *e)
{
    const struct watch *w = context;
    if (event->task >= w->tasks.count) {
        return 0;
    }
    const struct watch_task *t = &w->tasks.at[event->task];
    size_t low = 0;
    size_t high = t->moments.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->moments.at[middle].epoch <= epoch) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low > 0) {
        observed_feed_late(w->observed, event, t->moments.at[low - 1].moment);
    }
    return 0;
}

/* ---- looking ---- */

static int begin(struct watch *w, const char *folder, struct err *e)
{
    w->sink = (struct live_sink){.context = w, .take = take, .take_late = take_late};
    w->observed = observed_new(
        &w->tables, &w->notes,
        &(struct observed_options){.found = race_found, .context = w, .skips_messages = true});
    w->live = live_open(folder, &w->tables, &w->sink, &w->notes, e);
    return w->live == NULL ? -1 : 0;
}

void watch_look(void *watch, const char *folder, bool is_over)
{
    struct watch *w = watch;
    struct err e;
    reap(w, SIZE_MAX);
    if (w->has_failed) {
        return;
    }
    if ((w->live == NULL && begin(w, folder, &e) < 0) || live_step(w->live, is_over, &e) < 0) {
        session_say("races are not watched any more: %s", e.text);
        w->has_failed = true;
    }
}

void watch_release(struct watch *w)
{
    const uint64_t suppressed = suppressions_count(&w->session->suppressions);
    const uint64_t known = suppressions_known_count(&w->session->suppressions);
    if (suppressed + known > 0 && !w->session->common->quiet) {
        session_say("races not shown: %llu suppressed, %llu known from the baseline",
                    (unsigned long long)suppressed, (unsigned long long)known);
    }
    reap(w, 0);
    live_close(w->live);
    observed_free(w->observed);
    vec_each (&w->tasks, task) {
        vec_release(&task->moments);
    }
    vec_release(&w->tasks);
    vec_release(&w->running);
    names_release(&w->told);
    notes_release(&w->notes);
    tables_release(&w->tables);
}
