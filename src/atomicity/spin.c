#include "atomicity/spin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/limit.h"
#include "solve/solver_process.h"

static const char end_mark[] = "the end of what spin said";

static bool is_ended(void *context, const char *bytes, size_t size)
{
    (void)context;
    return size > 0 && memmem(bytes, size, end_mark, sizeof end_mark - 1) != NULL;
}

/* Runs commands of the shell in the folder and hands over their output; the caller releases it.
 * The folder's name is ours, so nothing in it needs quoting. */
static int run(const struct spin *s, const char *commands, char *heard, size_t heard_size,
               struct err *e)
{
    char command[1024];
    (void)snprintf(command, sizeof command, "sh -c \"cd %s && { %s; } 2>&1; echo; echo '%s'\"",
                   s->folder, commands, end_mark);
    struct program p;
    if (program_open(&p, &(struct program_options){.command = command}, e) < 0) {
        return err_wrap(e, "spin");
    }
    p.heard_max = 64 << 20;
    const int result = program_hear(&p, is_ended, NULL, e);
    if (result == 0) {
        const size_t size = p.heard.count < heard_size - 1 ? p.heard.count : heard_size - 1;
        memcpy(heard, p.heard.at, size);
        heard[size] = '\0';
    }
    program_close(&p);
    return result < 0 ? err_wrap(e, "spin") : 0;
}

static int write_model(const struct spin *s, const struct model *m, const claim_list *claims,
                       struct err *e)
{
    char path[300];
    struct out out;
    (void)snprintf(path, sizeof path, "%s/model.pml", s->folder);
    if (out_open(&out, path, e) < 0) {
        return -1;
    }
    promela_print(m, claims, &out);
    return out_close(&out, e);
}

/* Quotes would end the command, see run. */
static bool is_plain(const char *path)
{
    return path[0] == '/' && strpbrk(path, "\"'\\$` \t\n;&|") == NULL;
}

static int make_folder(struct spin *s, struct err *e)
{
    const char *place = getenv("TMPDIR");
    place = place != NULL && is_plain(place) ? place : "/tmp";
    const int size = snprintf(s->folder, sizeof s->folder, "%s/clew-spin-XXXXXX", place);
    if (size < 0 || (size_t)size >= sizeof s->folder) {
        return err_set(e, "%s: the name is too long for a folder of spin's files", place);
    }
    if ((seam_fails() ? ((void)seam_failure(ENOSPC), NULL) : mkdtemp(s->folder)) == NULL) {
        return err_set(e, "%s: no folder for spin's files can be made: %s", place, strerror(errno));
    }
    return 0;
}

int spin_open(struct spin *s, const struct model *m, const claim_list *claims,
              enum spin_build build, struct err *e)
{
    char commands[256];
    char heard[4096];
    *s = (struct spin){.ask_ns = 0};
    if (make_folder(s, e) < 0) {
        return -1;
    }
    (void)snprintf(commands, sizeof commands,
                   "command -v spin > /dev/null || echo no-spin; "
                   "{ spin -a model.pml > said || cat said; } "
                   "&& cc -O%d -w -DNOSTUTTER -DNOREDUCE -o pan pan.c && echo compiled",
                   build == SPIN_FAST ? 2 : 0);
    if (write_model(s, m, claims, e) < 0 || run(s, commands, heard, sizeof heard, e) < 0) {
        spin_close(s);
        return -1;
    }
    if (strstr(heard, "no-spin") != NULL || strstr(heard, "compiled") == NULL) {
        spin_close(s);
        return strstr(heard, "no-spin") != NULL
                   ? err_set(e, "spin is not installed (Debian: apt install spin)")
                   : err_set(e, "spin refuses the model: %.200s", heard);
    }
    return 0;
}

void spin_close(struct spin *s)
{
    static const char *const names[] = {
        "model.pml", "model.pml.trail", "pan",   "pan.b", "pan.c",        "pan.h",
        "pan.m",     "pan.p",           "pan.t", "said",  "_spin_nvr.tmp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[300];
        (void)snprintf(path, sizeof path, "%s/%s", s->folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(s->folder);
}

int spin_ask(struct spin *s, size_t claim, enum decision *d, struct err *e)
{
    char commands[64];
    char heard[8192];
    (void)snprintf(commands, sizeof commands, "./pan -a -m100000 -w20 -N c%zu", claim);
    const uint64_t begin = limit_now_ns();
    if (run(s, commands, heard, sizeof heard, e) < 0) {
        return -1;
    }
    s->ask_ns += limit_now_ns() - begin;
    const char *errors = strstr(heard, "errors: ");
    *d = errors == NULL || strstr(heard, "max search depth too small") != NULL ? DECIDE_UNKNOWN
         : errors[strlen("errors: ")] == '0'                                   ? DECIDE_NO
                                                                               : DECIDE_YES;
    return 0;
}
