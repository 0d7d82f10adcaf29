/* clew record: run a program and write a trace of its operations. */
#include <string.h>
#include <sys/wait.h>

#include "cli/text/findings_output.h"
#include "cli/verbs/record_watch.h"
#include "proc/record/run_recorded.h"

enum { EXIT_OWN_FAILURE = 125, SIGNAL_BASE = 128, ROOM_MIN = 4 << 20 };

#define ROOM_DEFAULT (UINT64_C(16) << 30)
enum { FIRST_DEFAULT = 128, FIRST_MAX = 255 };

struct record_options {
    struct common common;
    const char *name;
    struct texts handlers;
    int watch; /* -1: nothing */
    const char *on_race;
    bool all_accesses;
    uint64_t first_accesses;
    bool stacks;
    struct limit room;
};

static const char *watch_word(size_t index)
{
    return index == 0 ? "races" : NULL;
}

static const char *plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

/* On standard error: standard output is the program's. */
static void print_summary(const struct session *s, const char *path,
                          const struct recorder_result *r)
{
    const struct collect_stats *c = &r->stats;
    if (s->common->quiet) {
        return;
    }
    session_say("%s: %llu %s of %llu %s in %llu %s", path, (unsigned long long)c->events,
                plural(c->events, "event", "events"), (unsigned long long)c->threads,
                plural(c->threads, "task", "tasks"), (unsigned long long)c->processes,
                plural(c->processes, "process", "processes"));
    if (c->messages_unmatched > 0) {
        session_say("%llu %s received that nobody recorded had sent",
                    (unsigned long long)c->messages_unmatched,
                    plural(c->messages_unmatched, "message was", "messages were"));
    }
    if (c->messages_external > 0) {
        session_say("%llu %s came from outside the recording",
                    (unsigned long long)c->messages_external,
                    plural(c->messages_external, "message", "messages"));
    }
    if (c->handlers == 0 && c->messages_matched + c->messages_external > 0) {
        session_say("no handlers are known: races between messages to one thread stay invisible "
                    "(--handler FUNCTION, or clew.h)");
    }
}

/* Missing records are reported also with --quiet. */
static void print_loss(const struct collect_stats *c)
{
    if (c->processes == 0) {
        session_say("nothing was recorded: the program is static, setuid, or does not preload "
                    "libraries");
    }
    if (c->uncontrolled > 0) {
        session_say("%llu %s could not be recorded (static or setuid)",
                    (unsigned long long)c->uncontrolled,
                    plural(c->uncontrolled, "program", "programs"));
    }
    if (c->dropped > 0) {
        session_say("%llu %s dropped: there was no room for %s, or no way to the rows (chroot)",
                    (unsigned long long)c->dropped, plural(c->dropped, "event was", "events were"),
                    plural(c->dropped, "it", "them"));
    }
}

static void print_json(struct session *s, const struct recorder_result *r)
{
    const struct collect_stats *c = &r->stats;
    struct finding_file f = {0};
    report_begin(&f, s);
    f.event_count = c->events;
    finding_file_count(&f, "processes", c->processes);
    finding_file_count(&f, "threads", c->threads);
    finding_file_count(&f, "messages_matched", c->messages_matched);
    finding_file_count(&f, "messages_unmatched", c->messages_unmatched);
    finding_file_count(&f, "messages_external", c->messages_external);
    finding_file_count(&f, "handlers", c->handlers);
    finding_file_count(&f, "dropped", c->dropped);
    finding_file_count(&f, "accesses", c->accesses);
    finding_file_count(&f, "filtered", c->filtered);
    finding_file_count(&f, "blocks_covered", c->blocks);
    finding_file_count(&f, "bytes", c->bytes);
    finding_file_count(&f, "uncontrolled", c->uncontrolled + (c->processes == 0));
    report_print(&f, s);
    finding_file_release(&f);
}

static int status_of(int status)
{
    return WIFSIGNALED(status) ? SIGNAL_BASE + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct record_options *o = options;
    const char *path = s->common->output != NULL ? s->common->output : "run.clew";
    if (o->on_race != NULL && o->watch < 0) {
        return session_misused(e, "--on-race needs --watch races");
    }
    if (suppressions_are_given(&s->suppressions) && o->watch < 0) {
        return session_misused(e, "--suppress and --baseline need --watch races");
    }
    if (o->room.bytes < ROOM_MIN || o->room.time_ns != 0 || o->room.runs != 0) {
        return session_misused(e, "--room takes a size, 4MiB or more");
    }
    VEC(char *) words = {0};
    for (size_t i = 0; i < s->input_count; i++) {
        vec_push(&words, (char *)(uintptr_t)s->inputs[i]);
    }
    vec_push(&words, NULL);
    struct watch watch;
    watch_init(&watch, s, o->on_race, path);
    const struct recorder_options recorder = {
        .watch = o->watch >= 0 ? watch_look : NULL,
        .watch_context = &watch,
        .command = words.at,
        .output = path,
        .node = o->name,
        .handlers = o->handlers.at,
        .handler_count = o->handlers.count,
        .all_accesses = o->all_accesses,
        .first_accesses = (uint32_t)(o->first_accesses < FIRST_MAX ? o->first_accesses : FIRST_MAX),
        .stacks = o->stacks,
        .size_pending_max = o->room.bytes,
    };
    struct notes notes = {0};
    struct recorder_result result;
    const int done = recorder_run(&recorder, &result, &notes, e);
    session_warn(s, path, &notes);
    if (done < 0) {
        session_say("%s", e->text);
    } else {
        print_summary(s, path, &result);
        print_loss(&result.stats);
        if (s->common->json) {
            print_json(s, &result);
        }
    }
    watch_release(&watch);
    notes_release(&notes);
    vec_release(&words);
    return done < 0 ? EXIT_OWN_FAILURE : status_of(result.status);
}

static const struct option options[] = {
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_OUTPUT, .argument = "FILE",
               .help = "write the trace to FILE (default: run.clew)"),
    {.name = "name",
     .type = OPTION_TEXT,
     .argument = "NODE",
     .target = offsetof(struct record_options, name),
     .help = "name of the program's node in the trace (default: the program's name)"},
    {.name = "handler",
     .type = OPTION_TEXTS,
     .argument = "FUNCTION",
     .target = offsetof(struct record_options, handlers),
     .help = "function that handles the message received last; may be repeated"},
    {.name = "watch",
     .type = OPTION_CHOICE,
     .argument = "WHAT",
     .word = watch_word,
     .target = offsetof(struct record_options, watch),
     .help = "races: report data races on standard error while the program runs"},
    {.name = "on-race",
     .type = OPTION_TEXT,
     .argument = "COMMAND",
     .target = offsetof(struct record_options, on_race),
     .help = "with --watch races: run this command for every race; CLEW_RACE_WHAT and other "
             "environment variables describe it"},
    {.name = "all-accesses",
     .type = OPTION_FLAG,
     .target = offsetof(struct record_options, all_accesses),
     .help = "record also accesses to memory that only one thread uses"},
    {.name = "first-accesses",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct record_options, first_accesses),
     .help = "once the program has several threads, record the first N accesses of each code "
             "location, also to memory that only one thread uses (default: 128, at most 255)"},
    {.name = "stacks",
     .type = OPTION_FLAG,
     .target = offsetof(struct record_options, stacks),
     .help = "record the call stack of each access"},
    {.name = "room",
     .type = OPTION_BUDGET,
     .argument = "SIZE",
     .target = offsetof(struct record_options, room),
     .help = "disk space for the recording until the trace is written (default: 16GiB); at most "
             "half of the free space"},
    COMMON_JSON,
    COMMON_ROW(jsonl, .name = "jsonl", .type = OPTION_FLAG,
               .help = "with --watch: print each race as a line of JSON"),
    COMMON_SUPPRESS,
    COMMON_ALWAYS,
    {0},
};

static const struct record_options defaults = {.common = COMMON_DEFAULTS,
                                               .watch = -1,
                                               .first_accesses = FIRST_DEFAULT,
                                               .room = {.bytes = ROOM_DEFAULT}};

static const struct example examples[] = {
    {"clew record -- ./server --port 7000", "Run a program and write run.clew."},
    {"clew record --handler on_request -- ./server",
     "Record which function handles messages, to find message races."},
    {"clew record --watch races --on-race 'echo \"$CLEW_RACE_WHAT\" >> races.txt' -- ./server",
     "Report races while the program runs, and append them to a file."},
    {"clew record -o ring.clew --name ring -- ./ring 5",
     "Choose the trace file and the node's name."},
    {0},
};

const struct verb verb_record = {
    .name = "record",
    .summary = "run a program and write a trace of it",
    .operands = "-- COMMAND [ARGUMENT...]",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .about = "Runs any dynamically linked program, unmodified, with all its threads and child "
             "processes, and writes a trace of its threads, synchronization, messages and files. "
             "Records memory accesses only of code that was built with clew cc. Does not change "
             "the program's standard streams and exit status.",
    .exit_statuses =
        "N the program's exit status\n128+N signal N killed the program\n125 clew itself failed",
    .status_unable = EXIT_OWN_FAILURE,
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct record_options),
    .examples = examples,
    .run = run,
};
