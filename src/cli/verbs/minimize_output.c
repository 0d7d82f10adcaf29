#include "cli/verbs/minimize_output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/input/schedule_file.h"
#include "explore/replay.h"
#include "world/recipe.h"

bool best_file_is_stdout(const struct best_file *f)
{
    return strcmp(f->path, "-") == 0;
}

/* By another name (/dev/stdout) it must not be replaced either. Devices other than terminals are
 * no one's: /dev/null may well be both. */
static bool is_stdout(const struct stat *file)
{
    struct stat of;
    return fstat(STDOUT_FILENO, &of) == 0 && of.st_dev == file->st_dev &&
           of.st_ino == file->st_ino && (!S_ISCHR(of.st_mode) || isatty(STDOUT_FILENO) == 1);
}

/* A missing path becomes a file. */
static void look_of_what_kind(struct best_file *f)
{
    struct stat file;
    f->is_regular = !best_file_is_stdout(f);
    if (f->is_regular && stat(f->path, &file) == 0) {
        f->is_regular = S_ISREG(file.st_mode);
        if (is_stdout(&file)) {
            (void)snprintf(f->path, sizeof f->path, "-");
            f->is_regular = false;
        }
    }
}

int best_file_name(struct best_file *f, const char *given, const char *input, struct err *e)
{
    const size_t size = strlen(input);
    static const char suffix[] = ".sched";
    const size_t stem =
        size >= sizeof suffix && strcmp(input + size - (sizeof suffix - 1), suffix) == 0
            ? size - (sizeof suffix - 1)
            : size;
    if (given == NULL && strcmp(input, "-") == 0) {
        given = input;
    }
    const int used = given != NULL
                         ? snprintf(f->path, sizeof f->path, "%s", given)
                         : snprintf(f->path, sizeof f->path, "%.*s.min.sched", (int)stem, input);
    if (used >= (int)sizeof f->path) {
        return err_set(e, "%s: its name is too long", input);
    }
    look_of_what_kind(f);
    return 0;
}

/* The file there now; {0}: none. */
static struct stat stat_of(const struct best_file *f)
{
    struct stat file;
    return stat(f->path, &file) == 0 ? file : (struct stat){0};
}

static bool is_as_seen(const struct best_file *f)
{
    const struct stat now = stat_of(f);
    const struct stat *seen = &f->seen;
    return now.st_dev == seen->st_dev && now.st_ino == seen->st_ino &&
           now.st_size == seen->st_size && now.st_mtim.tv_sec == seen->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == seen->st_mtim.tv_nsec;
}

/* Replays the file there until it shows a violation. Its time stamp is taken before it is read: a
 * change during the read is found the next time. */
static void look(struct best_file *f, struct world *w)
{
    struct err unread; /* a file that cannot be read or replayed is not kept */
    struct schedule s;
    struct recipe recipe = {0};
    schedule_init(&s);
    execution_clear(&f->there);
    f->is_written = false;
    f->seen = stat_of(f);
    if (f->replays_max > 0 && f->seen.st_ino != 0 &&
        schedule_file_read(&s, f->path, &unread) == 0 && replay_check(w, &s, &unread) == 0 &&
        recipe_parse(&recipe, &s, &unread) == 0) {
        for (uint32_t i = 0; i < f->replays_max && !outcome_is_violation(f->there.outcome); i++) {
            if (world_run(w, &recipe.plan, &f->there, &unread) < 0) {
                execution_clear(&f->there);
            }
        }
    }
    recipe_release(&recipe);
    schedule_release(&s);
}

void best_file_look(struct best_file *f, struct world *w, enum same same, uint32_t replays_max)
{
    f->same = same;
    f->replays_max = replays_max;
    if (f->is_regular) {
        look(f, w);
    }
}

static uint16_t node_of(const struct execution *x)
{
    return x->steps.count == 0 ? 0 : vec_last(&x->steps)->operation.node;
}

static bool shows_same(const struct best_file *f, const struct execution *x)
{
    const struct execution *there = &f->there;
    return outcome_is_violation(there->outcome) && there->outcome == x->outcome &&
           (f->same == SAME_KIND || strcmp(there->key, x->key) == 0) &&
           (f->same != SAME_EXACT || node_of(there) == node_of(x));
}

bool best_file_wants(struct best_file *f, struct world *w, const struct execution *x)
{
    if (f->is_regular && !is_as_seen(f)) {
        look(f, w);
    }
    f->is_kept = shows_same(f, x) && minimize_compare(w, &f->there, x) < 0;
    return !f->is_kept;
}

int best_file_write(struct best_file *f, struct world *w, const struct plan *p,
                    const struct execution *x, struct err *e)
{
    struct schedule s;
    struct out out;
    schedule_init(&s);
    if (w->has_tasks) {
        recipe_write(&s, w, p, x); /* only its switches: there may be thousands of steps */
    } else {
        recipe_write_whole(&s, w, p, x);
    }
    int result = out_open(&out, f->path, e);
    if (result == 0) {
        schedule_print(&s, &out);
        result = out_close(&out, e);
    }
    if (result == 0) {
        f->seen = stat_of(f);
        f->is_written = true;
        f->switches = minimize_switches(x);
        f->steps = (uint32_t)x->steps.count;
        f->externals = minimize_externals(x);
    }
    schedule_release(&s);
    return result;
}

void best_file_release(struct best_file *f)
{
    execution_release(&f->there);
}
