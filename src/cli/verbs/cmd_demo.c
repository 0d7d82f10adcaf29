/* clew demo: a guided tour over traces that travel inside the program. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "cli/dispatch.h"
#include "cli/session.h"
#include "cli/text/embedded.h"

enum { WORDS_MAX = 8 };

struct demo_options {
    struct common common;
};

/* A stop of the tour: a text, and the command to run then. */
struct stop {
    const char *says;
    const char *words[WORDS_MAX];
};

static const struct stop stops[] = {
    {"A small bank ran on three nodes: two tellers and a ledger. Each logged what it did; "
     "bank.log\n"
     "has all of it, a JSON object per event. What is in it?\n",
     {"clew", "info", "bank.log"}},
    {"Of another run only bank-broken.log is left, and somebody has edited it. Can it have "
     "happened?\n",
     {"clew", "check", "bank-broken.log"}},
    {"Three things cannot, and each is named with its event and the byte to look at. Back to the\n"
     "first log, in which all went well. What else could have happened?\n",
     {"clew", "races", "bank.log"}},
};

static const char farewell[] =
    "A deposit and a withdrawal at the same time can lose each other's money: the balance is read\n"
    "before the lock is taken. Both traces are in the folder examples/; clew --help lists the\n"
    "verbs, and clew VERB --help says more about one.\n";

/* Where the tour takes place: a folder of its own, and the one to go back to. */
struct stage {
    char folder[256];
    int back;
};

static int write_files(struct err *e)
{
    for (const struct embedded *file = demo_files; file->name != NULL; file++) {
        struct out out;
        if (out_open(&out, file->name, e) < 0) {
            return -1;
        }
        out_bytes(&out, file->bytes, file->size);
        if (out_close(&out, e) < 0) {
            return -1;
        }
    }
    return 0;
}

static void clear_stage(const struct stage *stage)
{
    for (const struct embedded *file = demo_files; file->name != NULL; file++) {
        (void)unlink(file->name);
    }
    const int returned = fchdir(stage->back);
    (void)returned; /* nothing follows that needs the folder */
    (void)close(stage->back);
    (void)rmdir(stage->folder);
}

static int set_stage(struct stage *stage, struct err *e)
{
    const char *said = getenv("TMPDIR");
    const char *parent = said == NULL || said[0] == '\0' ? "/tmp" : said;
    (void)snprintf(stage->folder, sizeof stage->folder, "%s/clew-demo.XXXXXX", parent);
    stage->back = seam_fails() ? seam_failure(EMFILE) : open(".", O_RDONLY | O_CLOEXEC);
    if (stage->back < 0) {
        return err_set(e, "this folder cannot be opened: %s", strerror(errno));
    }
    if (seam_fails() ? seam_failure(ENOSPC) < 0 : mkdtemp(stage->folder) == NULL) {
        (void)close(stage->back);
        return err_set(e, "%s: the tour can make no folder there: %s (TMPDIR may name another)",
                       parent, strerror(errno));
    }
    if ((seam_fails() ? seam_failure(EACCES) : chdir(stage->folder)) < 0) {
        (void)err_set(e, "%s: %s", stage->folder, strerror(errno));
        (void)close(stage->back);
        (void)rmdir(stage->folder);
        return -1;
    }
    if (write_files(e) < 0) {
        clear_stage(stage);
        return -1;
    }
    return 0;
}

/* The command as if typed: its words are on the screen, then its output. */
static int show_stop(struct session *s, const struct stop *stop, struct err *e)
{
    int count = 0;
    out_text(&s->out, stop->says);
    out_char(&s->out, '\n');
    session_paint(s, PAINT_STRONG, "$");
    for (; count < WORDS_MAX && stop->words[count] != NULL; count++) {
        out_char(&s->out, ' ');
        session_paint(s, PAINT_STRONG, stop->words[count]);
    }
    out_char(&s->out, '\n');
    if (out_flush(&s->out, e) < 0) {
        return -1;
    }
    const int status = clew_main(count, stop->words);
    out_char(&s->out, '\n');
    return status == EXIT_UNABLE ? EXIT_UNABLE : EXIT_CLEAN; /* it has said why itself */
}

static int run(struct session *s, const void *options, struct err *e)
{
    (void)options;
    struct stage stage;
    if (set_stage(&stage, e) < 0) {
        return -1;
    }
    int status = EXIT_CLEAN;
    for (size_t i = 0; i < sizeof stops / sizeof *stops && status == EXIT_CLEAN; i++) {
        status = show_stop(s, &stops[i], e);
    }
    clear_stage(&stage);
    if (status == EXIT_CLEAN) {
        out_text(&s->out, farewell);
    }
    return status;
}

static const struct option options[] = {COMMON_ALWAYS, {0}};

static const struct demo_options defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew demo", "Run three commands on two small traces."},
    {0},
};

const struct verb verb_demo = {
    .name = "demo",
    .summary = "a guided tour",
    .operands = "",
    .about = "Runs clew on small built-in traces and explains the results. Leaves no files behind.",
    .exit_statuses = "0 the tour ran to its end\n2 the tour failed, for example for lack of a "
                     "temporary directory",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct demo_options),
    .examples = examples,
    .run = run,
};
