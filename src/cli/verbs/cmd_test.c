/* clew test: the test programs of a project's own suite, each hunted for a slice of the budget. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/mem.h"
#include "cli/input/build_command.h"
#include "cli/input/program_command.h"
#include "cli/interrupt.h"
#include "cli/text/findings_output.h"
#include "cli/text/progress.h"
#include "cli/text/verdict.h"
#include "proc/suite/started_programs.h"

struct test_command {
    struct common common;
    const char *build;
    const char *shard;
    const char *in;
    uint64_t slice;
    uint64_t seed;
};

/* Seconds of all hunts, and the fewest of one. */
enum { SECONDS_DEFAULT = 300, SLICE_MIN = 2, SLICE_MAX = 100000, FOLDERS_MAX = 10000 };

/* How one test program went. */
struct test_row {
    const struct started_program *program;
    enum verdict verdict;
    bool is_hunted;
    uint64_t runs;
    double seconds;
    const char *reason; /* why it is unknown, or was not hunted; "" */
    struct finding_file found;
};

/* One command. */
struct testing {
    struct session *session;
    const struct test_command *command;
    uint32_t shard, shard_count;
    char root[PATH_MAX];   /* the folder of the project */
    char output[PATH_MAX]; /* of the hunts */
    char own[PATH_MAX];    /* this clew */
    const char *suite;     /* what runs the tests */
    struct started started;
    VEC(struct test_row) rows;
    struct finding_file file;
};

/* Suites, by a word of their command. */
static const struct {
    const char *word, *name;
} suites[] = {{"ctest", "ctest"}, {"pytest", "pytest"},     {"py.test", "pytest"},
              {"meson", "meson"}, {"make", "make"},         {"gmake", "make"},
              {"ninja", "ninja"}, {"prove", "TAP (prove)"}, {"cargo", "cargo"}};

static bool is_in_root(const struct testing *t, const char *path)
{
    const size_t size = strlen(t->root);
    return strncmp(path, t->root, size) == 0 && path[size] == '/';
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* An automake suite has a Makefile that says so. */
static bool is_automake(void)
{
    char line[200] = "";
    FILE *file = fopen("Makefile", "re");
    if (file != NULL) {
        (void)fgets(line, sizeof line, file);
        (void)fclose(file);
    }
    return strstr(line, "automake") != NULL;
}

static const char *suite_of(const struct session *s)
{
    for (size_t i = 0; i < s->command_count; i++) {
        for (size_t k = 0; k < sizeof suites / sizeof *suites; k++) {
            if (strcmp(base_of(s->command[i]), suites[k].word) == 0) {
                return strcmp(suites[k].name, "make") == 0 && is_automake() ? "automake"
                                                                            : suites[k].name;
            }
        }
    }
    return base_of(s->command[0]);
}

/* ---- options ---- */

static int read_shard(struct testing *t, struct err *e)
{
    const char *text = t->command->shard;
    char *end = NULL;
    t->shard = t->shard_count = 1;
    if (text == NULL) {
        return 0;
    }
    const unsigned long shard = strtoul(text, &end, 10);
    const unsigned long count = *end == '/' ? strtoul(end + 1, &end, 10) : 0;
    if (*end != '\0' || shard < 1 || shard > count || count > 10000) {
        return session_misused(e, "--shard %s: expected K/N, such as 1/3 for the first of three",
                               text);
    }
    t->shard = (uint32_t)shard;
    t->shard_count = (uint32_t)count;
    return 0;
}

static int find_folders(struct testing *t, struct err *e)
{
    const char *output = t->session->common->output;
    const char *in = t->command->in == NULL ? "." : t->command->in;
    const ssize_t size =
        seam_fails() ? seam_failure(EACCES) : readlink("/proc/self/exe", t->own, sizeof t->own - 1);
    t->own[size < 0 ? 0 : size] = '\0';
    if (size < 0) {
        return err_set(e, "/proc/self/exe: cannot be read: %s", strerror(errno));
    }
    if (realpath(in, t->root) == NULL) {
        return err_set(e, "%s: %s", in, strerror(errno));
    }
    char fresh[32] = "suite.hunt";
    for (int i = 2; output == NULL && access(fresh, F_OK) == 0 && i < FOLDERS_MAX; i++) {
        (void)snprintf(fresh, sizeof fresh, "suite-%d.hunt", i);
    }
    output = output == NULL ? fresh : output;
    if ((seam_fails() ? seam_failure(EACCES) : mkdir(output, 0777)) < 0) {
        return err_set(e, "%s: %s; name another folder with --output", output, strerror(errno));
    }
    return realpath(output, t->output) == NULL ? err_set(e, "%s: %s", output, strerror(errno)) : 0;
}

/* ---- one program ---- */

static bool has_text(char *const *list, const char *text)
{
    for (; *list != NULL; list++) {
        if (strcmp(*list, text) == 0) {
            return true;
        }
    }
    return false;
}

/* Variables that belong to the suite's shell or make, and not to the test. */
static bool is_of_shell(const char *variable)
{
    static const char *const names[] = {"_=",       "PWD=",    "OLDPWD=",   "SHLVL=",
                                        "MAKE",     "MFLAGS=", "SHELLOPTS", "BASHOPTS",
                                        "COLUMNS=", "LINES=",  "TERM="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(variable, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* "cd tests && env A=b ", so that a replay finds what the suite gave the program. */
static void print_place(const struct testing *t, const struct started_program *p, struct out *out)
{
    extern char **environ;
    bool is_first = true;
    if (strcmp(p->folder, t->root) != 0) {
        out_text(out, "cd ");
        command_print_word(out, p->folder);
        out_text(out, " && ");
    }
    for (char *const *variable = p->environment; *variable != NULL; variable++) {
        if (!has_text(environ, *variable) && !is_of_shell(*variable)) {
            out_text(out, is_first ? "env " : "");
            is_first = false;
            command_print_word(out, *variable);
            out_char(out, ' ');
        }
    }
}

/* In the child: clew hunt in the place of the test program. What it prints beside its answer goes
 * to N.log. */
_Noreturn static void hunt(const struct testing *t, const struct started_program *p, size_t number,
                           uint64_t seconds)
{
    char budget[32];
    char seed[32];
    char folder[PATH_MAX + 32];
    char log[PATH_MAX + 32];
    VEC(const char *) words = {0};
    (void)snprintf(budget, sizeof budget, "%llus", (unsigned long long)seconds);
    (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)t->command->seed);
    (void)snprintf(folder, sizeof folder, "%s/%zu", t->output, number);
    (void)snprintf(log, sizeof log, "%s/%zu.log", t->output, number);
    const char *const first[] = {t->own,   "hunt", "--json", "-q",   "--budget", budget,
                                 "--seed", seed,   "-o",     folder, "--",       p->path};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        vec_push(&words, first[i]);
    }
    for (size_t i = 1; p->words[0] != NULL && p->words[i] != NULL; i++) {
        vec_push(&words, p->words[i]);
    }
    vec_push(&words, NULL);
    if (chdir(p->folder) == 0 && freopen(log, "we", stderr) != NULL) {
        (void)execve(t->own, (char *const *)words.at, p->environment);
    }
    _exit(127);
}

/* Reads what the hunt says; the reason where it says nothing. */
static void read_answer(struct test_row *row, int output, struct err *e)
{
    struct in in;
    in_open_fd(&in, output);
    if (finding_file_parse(&row->found, &in, e) < 0) {
        row->verdict = VERDICT_UNKNOWN;
        return;
    }
    row->verdict = row->found.verdict;
    vec_each (&row->found.stats, figure) {
        if (strcmp(figure->name, "runs") == 0) {
            row->runs = figure->count;
        } else if (strcmp(figure->name, "unfinished") == 0) {
            row->reason = figure->text;
        }
    }
    in_close(&in);
}

static int hunt_program(struct testing *t, struct test_row *row, size_t number, uint64_t seconds,
                        struct err *e)
{
    int pipes[2];
    int status = 0;
    struct err unread = {.text = ""};
    const uint64_t begin_ns = limit_now_ns();
    if ((seam_fails() ? seam_failure(EMFILE) : pipe(pipes)) < 0) {
        return err_set(e, "clew hunt: cannot be started: pipe: %s", strerror(errno));
    }
    const pid_t pid = seam_fails() ? seam_failure(EAGAIN) : fork();
    if (pid == 0) {
        (void)close(pipes[0]);
        if (dup2(pipes[1], STDOUT_FILENO) >= 0) {
            hunt(t, row->program, number, seconds);
        }
        _exit(127);
    }
    (void)close(pipes[1]);
    if (pid < 0) {
        (void)close(pipes[0]);
        return err_set(e, "clew hunt: cannot be started: fork: %s", strerror(errno));
    }
    read_answer(row, pipes[0], &unread);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    row->is_hunted = unread.text[0] == '\0';
    row->seconds = (double)(limit_now_ns() - begin_ns) / 1e9;
    if (!row->is_hunted) {
        row->reason =
            findings_text(&t->file.findings, "clew hunt ended with status %d: %s/%zu.log",
                          WIFEXITED(status) ? WEXITSTATUS(status) : -1, t->output, number);
    }
    return 0;
}

/* The findings of a test, each with the test in its sentence and its key, and a command that
 * replays it where the suite started the test. */
static void take_findings(struct testing *t, const struct test_row *row)
{
    struct findings *f = &t->file.findings;
    const char *name = base_of(row->program->path);
    vec_each (&row->found.findings.list, found) {
        struct finding finding = *found;
        struct out out;
        out_open_memory(&out);
        print_place(t, row->program, &out);
        out_text(&out, found->replay == NULL ? "" : found->replay);
        finding.id = 0;
        finding.what = findings_text(f, "%s: %s", name, found->what);
        finding.key = findings_text(f, "%s|%s", name, found->key);
        finding.replay = arena_text(&f->arena, out.buffer, out.used);
        out_abandon(&out);
        findings_add(f, &finding);
    }
}

/* ---- output ---- */

static const char *verdict_words(const struct test_row *row, char text[static 100])
{
    const size_t count = row->found.findings.list.count;
    if (row->program->is_static) {
        return "not controlled";
    }
    if (row->verdict == VERDICT_FOUND) {
        (void)snprintf(text, 100, "%zu bug%s", count, count == 1 ? "" : "s");
        return text;
    }
    return row->reason[0] != '\0' ? "unknown" : "no bug";
}

static void print_row(struct testing *t, const struct test_row *row)
{
    char words[100];
    struct session *s = t->session;
    out_format(&s->out, "%8llu %8.1f  ", (unsigned long long)row->runs, row->seconds);
    session_paint(s, row->verdict == VERDICT_FOUND ? PAINT_ERROR : PAINT_STRONG,
                  verdict_words(row, words));
    out_text(&s->out, "  ");
    session_text(s, is_in_root(t, row->program->path) ? row->program->path + strlen(t->root) + 1
                                                      : row->program->path);
    for (size_t i = 1; row->program->words[0] != NULL && row->program->words[i] != NULL; i++) {
        out_char(&s->out, ' ');
        session_text(s, row->program->words[i]);
    }
    if (row->reason[0] != '\0') {
        out_text(&s->out, ": ");
        session_text(s, row->reason);
    }
    out_char(&s->out, '\n');
}

static void print_findings(struct testing *t)
{
    struct session *s = t->session;
    size_t number = 0;
    vec_each (&t->file.findings.list, finding) {
        if (number++ < s->common->limit) {
            out_format(&s->out, "%zu. ", number);
            session_paint(s, PAINT_ERROR, finding_kind_name(finding->kind));
            out_text(&s->out, ": ");
            session_text(s, finding->what);
            out_text(&s->out, "\n    again: ");
            session_text(s, finding->replay);
            out_char(&s->out, '\n');
        }
    }
}

static void print_suite_end(struct testing *t, struct out *out)
{
    const int status = t->started.status;
    out_format(out, "%s ", t->suite);
    if (WIFEXITED(status)) {
        out_format(out, "ended with status %d", WEXITSTATUS(status));
    } else {
        out_format(out, "was killed by signal %d", WTERMSIG(status));
    }
}

static void print_sum(struct testing *t)
{
    struct out *out = &t->session->out;
    out_text(out, "the suite (");
    print_suite_end(t, out);
    out_text(out, ") started ");
    report_count(out, t->started.programs.count, "test program", "test programs");
    out_format(out, "; %zu in shard %u of %u; ", t->rows.count, t->shard, t->shard_count);
    report_count(out, t->file.findings.list.count, "bug", "bugs");
    report_hidden(t->session);
    out_text(out, "; reports: ");
    session_text(t->session, t->output);
    out_char(out, '\n');
    if (t->started.programs.count == 0) {
        out_text(out, "unknown: no program below ");
        session_text(t->session, t->root);
        out_text(out, " was started (--in names another folder; a suite that is up to date may "
                      "start none)\n");
    }
}

static void print_json_tests(const void *context, struct json *j)
{
    const struct testing *t = context;
    json_array(j, "tests");
    vec_each (&t->rows, row) {
        char words[100];
        json_object(j, NULL);
        json_text(j, "program", row->program->path);
        json_array(j, "arguments");
        for (size_t i = 1; row->program->words[0] != NULL && row->program->words[i] != NULL; i++) {
            json_text(j, NULL, row->program->words[i]);
        }
        json_end(j);
        json_text(j, "folder", row->program->folder);
        json_text(j, "verdict", verdict_words(row, words));
        json_text(j, "reason", row->reason);
        json_u64(j, "starts", row->program->start_count);
        json_u64(j, "runs", row->runs);
        json_u64(j, "bugs", row->found.findings.list.count);
        json_u64(j, "milliseconds", (uint64_t)(row->seconds * 1000));
        json_end(j);
    }
    json_end(j);
}

static bool is_row_open(const struct test_row *row)
{
    return row->verdict != VERDICT_FOUND && row->reason[0] != '\0';
}

static int report(struct testing *t)
{
    struct session *s = t->session;
    struct finding_file *f = &t->file;
    bool is_open = t->rows.count == 0 || t->started.status != 0;
    vec_each (&t->rows, row) {
        is_open = is_open || is_row_open(row);
        if (row->verdict != VERDICT_FOUND && !is_row_open(row)) {
            exports_add_passed(&s->exports, row->program->path);
        }
    }
    report_hide(s, &f->findings, 0);
    must(t->rows.count <= t->started.programs.count);
    f->verdict = verdict_of(f->findings.list.count > 0, is_open);
    exports_add_all(&s->exports, &f->findings);
    if (s->common->json) {
        finding_file_count(f, "programs", t->started.programs.count);
        finding_file_count(f, "tests", t->rows.count);
        finding_file_text(f, "suite", t->suite);
        finding_file_count(f, "suite_status", (uint64_t)WEXITSTATUS(t->started.status));
        f->print_more = print_json_tests;
        f->context = t;
        report_print(f, s);
    } else {
        print_findings(t);
        print_sum(t);
    }
    return verdict_status(f->verdict);
}

/* ---- the suite ---- */

/* Seconds for each of the programs that are left, of the remaining budget. */
static uint64_t slice_of(const struct testing *t, const struct limit *limit, size_t left)
{
    must(left > 0);
    const uint64_t share = limit_time_left_ns(limit) / UINT64_C(1000000000) / left;
    return t->command->slice != 0 ? t->command->slice : share < SLICE_MIN ? SLICE_MIN : share;
}

static void choose_rows(struct testing *t)
{
    must(t->shard >= 1);
    must(t->shard <= t->shard_count);
    for (size_t i = 0; i < t->started.programs.count; i++) {
        if (i % t->shard_count == t->shard - 1) {
            vec_push(&t->rows, (struct test_row){.program = &t->started.programs.at[i],
                                                 .verdict = VERDICT_UNKNOWN,
                                                 .reason = "the budget ended"});
        }
    }
}

static int hunt_all(struct testing *t, struct err *e)
{
    struct stopping stopping;
    struct limit limit = t->session->budget;
    int result = 0;
    if (limit.time_ns == 0) {
        limit.time_ns = SECONDS_DEFAULT * UINT64_C(1000000000);
    }
    limit.begin_ns = limit_now_ns(); /* the suite's own time does not count */
    choose_rows(t);
    if (!t->session->common->json && t->rows.count > 0) {
        out_text(&t->session->out, "    runs  seconds  verdict\n");
    }
    stopping_begin(&stopping);
    limit.is_stopped = stopping_wish();
    for (size_t i = 0; i < t->rows.count && result == 0; i++) {
        struct test_row *row = &t->rows.at[i];
        if (row->program->is_static) {
            row->reason = "it is a static program; link it dynamically";
        } else if (!limit_is_spent(&limit, 0)) {
            row->reason = "";
            result = hunt_program(t, row, i + 1, slice_of(t, &limit, t->rows.count - i), e);
            take_findings(t, row);
        }
        if (!t->session->common->json) {
            print_row(t, row);
        }
    }
    stopping_end(&stopping);
    return result;
}

static int run_suite(struct testing *t, struct err *e)
{
    struct session *s = t->session;
    if (t->command->build != NULL && build_command_run(t->command->build, e) < 0) {
        return -1;
    }
    t->suite = suite_of(s);
    if (started_run(&t->started, (char *const *)s->command, t->root, e) < 0) {
        return -1;
    }
    if (t->started.status != 0 && !s->common->quiet) {
        session_say("the suite failed by itself; its test programs are hunted all the same");
    }
    return 0;
}

static int run(struct session *s, const void *options, struct err *e)
{
    struct testing t = {.session = s, .command = options};
    if (s->command == NULL) {
        return session_misused(e,
                               "which suite? put its command behind --: clew test -- make check");
    }
    if (t.command->slice > SLICE_MAX) {
        return session_misused(e, "--slice: at most %d seconds", SLICE_MAX);
    }
    int status = read_shard(&t, e);
    if (status == 0) {
        report_begin(&t.file, s);
        status = find_folders(&t, e);
    }
    if (status == 0) {
        status = run_suite(&t, e);
    }
    if (status == 0) {
        status = hunt_all(&t, e);
    }
    if (status == 0) {
        status = report(&t);
    }
    finding_file_release(&t.file);
    vec_each (&t.rows, row) {
        finding_file_release(&row->found);
    }
    vec_release(&t.rows);
    started_release(&t.started);
    return status;
}

static const struct option options[] = {
    {.name = "build",
     .type = OPTION_TEXT,
     .argument = "COMMAND",
     .target = offsetof(struct test_command, build),
     .help = "first run this shell command with CC and CXX set to clew's compilers"},
    {.name = "in",
     .type = OPTION_FILE,
     .argument = "DIR",
     .target = offsetof(struct test_command, in),
     .help = "test programs are those whose files are below DIR (default: the current directory)"},
    {.name = "shard",
     .type = OPTION_TEXT,
     .argument = "K/N",
     .target = offsetof(struct test_command, shard),
     .help = "hunt only in every N-th test program, from the K-th on"},
    {.name = "slice",
     .type = OPTION_NUMBER,
     .argument = "SECONDS",
     .target = offsetof(struct test_command, slice),
     .help = "seconds for each test program (default: an equal share of the remaining budget, at "
             "least 2)"},
    {.name = "seed",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct test_command, seed),
     .help = "seed of all random choices (default: 1)"},
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_FILE, .argument = "DIR",
               .help = "write the report of each hunt to DIR, which is made (default: suite.hunt)"),
    COMMON_JSON,
    COMMON_LIMIT,
    COMMON_SUPPRESS,
    COMMON_EXPORTS,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct test_command defaults = {.common = COMMON_DEFAULTS, .seed = 1};

static const struct example examples[] = {
    {"clew test -- make check", "Hunt in every test program of a suite, for five minutes."},
    {"clew test --build 'make -B' -- make check CC='clew cc'",
     "Rebuild the project with clew cc first, and the tests too."},
    {"clew test --shard 2/4 --slice 20 --junit clew.xml -- ctest",
     "Hunt in a quarter of the tests, 20 seconds each, in continuous integration."},
    {0},
};

const struct verb verb_test = {
    .name = "test",
    .summary = "hunt in every test program of a project's suite",
    .operands = "-- COMMAND...",
    .operand_min = 1,
    .operand_max = 1,
    .takes_command = true,
    .is_stopped_softly = true,
    .about =
        "Runs the suite once, and notes every program below the current directory that it starts. "
        "Then each of them is hunted by itself, with the words, the directory and the environment "
        "that the suite gave it, for a slice of the budget (300 s). Ends with a table of the test "
        "programs and the bugs, each with the command that replays it.",
    .exit_statuses = "0 no bug was found in any test program\n1 a bug was found\n2 the suite could "
                     "not be run\n3 no bug was found, and the suite failed by itself, started no "
                     "test program, or some of them were not under control",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct test_command),
    .examples = examples,
    .run = run,
};
