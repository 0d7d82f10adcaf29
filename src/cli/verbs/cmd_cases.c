/* clew cases: the systems that come with clew, and the bugs that can be put into them. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/fault_injection.h"
#include "base/sort.h"
#include "cli/text/findings_output.h"
#include "cli/text/stdout_redirect.h"
#include "proc/build/install_paths.h"
#include "sim/sim.h"

struct cases_command {
    struct common common;
};

/* The listed bugs. */
struct list {
    struct session *session;
    struct arena texts;
    VEC(const char *) paths;
    struct finding_file file; /* for JSON */
    uint64_t bug_count;
};

static int compare_paths(const void *left, const void *right, const void *context)
{
    (void)context;
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool is_library(const char *name)
{
    const size_t size = strlen(name);
    return size > 3 && strcmp(name + size - 3, ".so") == 0;
}

/* The shared objects of a folder, by name. */
static int list_folder(struct list *l, const char *folder, struct err *e)
{
    DIR *dir = seam_fails() ? NULL : opendir(folder);
    if (dir == NULL) {
        return err_set(e, "%s: cannot be read: %s", folder, strerror(errno));
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[PATH_MAX + 300];
        const int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (is_library(entry->d_name)) {
            vec_push(&l->paths, arena_text(&l->texts, path, (size_t)size));
        }
    }
    (void)closedir(dir);
    sort_stable(l->paths.at, l->paths.count, sizeof *l->paths.at, compare_paths, NULL);
    return l->paths.count > 0 ? 0 : err_set(e, "%s: no systems are there", folder);
}

static int choose_paths(struct list *l, struct err *e)
{
    char folder[PATH_MAX];
    for (size_t i = 0; i < l->session->input_count; i++) {
        vec_push(&l->paths, l->session->inputs[i]);
    }
    if (l->paths.count > 0) {
        return 0;
    }
    return install_find_cases(folder, e) < 0 ? -1 : list_folder(l, folder, e);
}

/* Texts of a system are unloaded with it: JSON gets copies. */
static void keep(struct list *l, const char *system, const char *name, const char *about)
{
    struct findings *f = &l->file.findings;
    const struct figure figure = {.group = findings_text(f, "%s", system),
                                  .name = findings_text(f, "%s", name),
                                  .type = FIGURE_TEXT,
                                  .text = findings_text(f, "%s", about)};
    vec_push(&l->file.stats, figure);
}

static void tell(struct list *l, const char *path, const struct sim_choices *c)
{
    struct session *s = l->session;
    if (!s->common->json) {
        session_paint(s, PAINT_STRONG, c->system);
        out_format(&s->out, "  clew explore %s\n", path);
    }
    for (const struct clew_bug *bug = c->bugs; bug != NULL && bug->name != NULL; bug++) {
        l->bug_count++;
        if (s->common->json) {
            keep(l, c->system, bug->name, bug->about);
        } else {
            out_format(&s->out, "    --bug %-12s  ", bug->name);
            session_text(s, bug->about);
            out_char(&s->out, '\n');
        }
    }
    for (const struct clew_setting *set = c->settings; set != NULL && set->name != NULL; set++) {
        if (!s->common->json) {
            out_format(&s->out, "    --set %s=%-*u  ", set->name, 11 - (int)strlen(set->name),
                       *set->value);
            session_text(s, set->about);
            out_format(&s->out, " (%u to %u)\n", set->least, set->most);
        }
    }
}

static int tell_all(struct list *l, struct err *e)
{
    if (printed_drop(e) < 0) {
        return -1;
    }
    vec_each (&l->paths, path) {
        struct world *w = NULL;
        if (sim_open(&w, *path, &(struct sim_options){0}, e) < 0) {
            return -1;
        }
        const struct sim_choices choices = sim_choices(w);
        tell(l, *path, &choices);
        world_close(w);
    }
    return 0;
}

static int run(struct session *s, __attribute__((unused)) const void *options, struct err *e)
{
    struct list l = {.session = s};
    report_begin(&l.file, s);
    int status = choose_paths(&l, e);
    if (status == 0) {
        status = tell_all(&l, e);
    }
    if (status == 0 && s->common->json) {
        finding_file_count(&l.file, "systems", l.paths.count);
        finding_file_count(&l.file, "bugs", l.bug_count);
        report_print(&l.file, s);
    }
    finding_file_release(&l.file);
    vec_release(&l.paths);
    arena_release(&l.texts);
    return status;
}

static const struct option options[] = {COMMON_JSON, COMMON_ALWAYS, {0}};
static const struct cases_command defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew cases", "List the case studies that come with clew, and their bugs."},
    {"clew cases ./mine.so", "List the bugs and parameters of your own system."},
    {0},
};

const struct verb verb_cases = {
    .name = "cases",
    .summary = "list the case studies, their bugs and parameters",
    .operands = "[SYSTEM.so...]",
    .operand_min = 0,
    .operand_max = SIZE_MAX,
    .about = "Lists the simulated systems that come with clew, or the named ones. Prints for each "
             "the bugs that clew explore --bug enables and the parameters that --set sets.",
    .exit_statuses = "0 the systems were listed\n2 a system could not be loaded",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct cases_command),
    .examples = examples,
    .run = run,
};
