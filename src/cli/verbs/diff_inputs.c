#include "cli/verbs/diff_inputs.h"

#include <string.h>

#include "base/in.h"
#include "cli/verbs/diff_parts.h"
#include "cli/verbs/diff_same_hash.h"

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

/* Standard input is of the kind of the other. */
static int look_of_which_kind(struct comparison *c, struct err *e)
{
    const char *const *inputs = c->session->inputs;
    bool first = false;
    bool second = false;
    if (look_whether_schedule(inputs[0], &first, e) < 0 ||
        look_whether_schedule(inputs[1], &second, e) < 0) {
        return -1;
    }
    if (is_standard_input(inputs[0])) {
        first = second;
    } else if (is_standard_input(inputs[1])) {
        second = first;
    }
    if (first != second) {
        return err_set(e, "%s is a schedule and %s is not: two of a kind are compared",
                       inputs[first ? 0 : 1], inputs[first ? 1 : 0]);
    }
    c->are_schedules = first;
    if (!first && comparison_is_replayed(c)) {
        return err_set(e, "%s is no schedule: traces are compared without a system", inputs[0]);
    }
    return 0;
}

/* Schedules that name not all of their steps cannot be told apart by them, but may be known to be
 * of one execution: by the hash, as far as nothing they say is against it. */
static void compare_hashes(struct comparison *c)
{
    const struct schedule *s = c->schedule;
    if (comparison_is_replayed(c)) {
        return;
    }
    comparison_compare_contents(c);
    if (!c->names_all && s[0].hash != 0 && s[1].hash != 0) {
        comparison_note_hash(c, ALIGN_FIRST);
        comparison_note_hash(c, ALIGN_SECOND);
    }
    if (s[0].hash != 0 && s[0].hash == s[1].hash && !comparison_is_of_two_systems(c)) {
        one_hash_doubt(&s[0], &s[1], c->doubt, sizeof c->doubt);
        c->is_same_run = !c->names_all && c->doubt[0] == '\0';
    }
}

/* Pipes are looked at before they are read. */
static int keep_pipes(struct comparison *c, struct err *e)
{
    if (is_standard_input(c->typed[0]) && is_standard_input(c->typed[1])) {
        return session_misused(e, "-: standard input can be read once, and is both");
    }
    for (size_t i = 0; i < c->session->input_count; i++) {
        c->inputs[i] = c->typed[i];
        if (i <= ALIGN_SECOND && spool_is_needed(c->inputs[i])) {
            const int result = spool_keep(c->inputs[i], c->kept[i], &c->session->budget, e);
            if (result < 0) {
                return -1;
            }
            c->is_cut = c->is_cut || result == SPOOL_CUT;
            c->inputs[i] = c->kept[i];
        }
    }
    c->session->inputs = c->inputs;
    return 0;
}

static int add_traces(struct comparison *c, struct err *e)
{
    const int result = comparison_add_trace(c, ALIGN_FIRST, e);
    return result == 0 ? comparison_add_trace(c, ALIGN_SECOND, e) : result;
}

static int add_schedules(struct comparison *c, struct err *e)
{
    if (comparison_read_schedule(c, ALIGN_FIRST, e) < 0 ||
        comparison_read_schedule(c, ALIGN_SECOND, e) < 0 ||
        comparison_add_schedule(c, ALIGN_FIRST, e) < 0 ||
        comparison_add_schedule(c, ALIGN_SECOND, e) < 0) {
        return -1;
    }
    compare_hashes(c);
    return 0;
}

static int read_both(struct comparison *c, struct err *e)
{
    const int result = keep_pipes(c, e);
    if (result != 0 || c->is_cut) {
        return result;
    }
    if (look_of_which_kind(c, e) < 0) {
        return -1;
    }
    return c->are_schedules ? add_schedules(c, e) : add_traces(c, e);
}

int comparison_make(struct comparison *c, struct session *s, struct err *e)
{
    *c = (struct comparison){.session = s, .names_all = true, .typed = s->inputs};
    alignment_init(&c->alignment);
    schedule_init(&c->schedule[ALIGN_FIRST]);
    schedule_init(&c->schedule[ALIGN_SECOND]);
    const int result = read_both(c, e);
    s->inputs = c->typed; /* output from here on uses the names of the command line */
    if (result == 0 && !c->is_same_run && !c->is_cut) {
        alignment_find(&c->alignment);
    }
    return result;
}

void comparison_release(struct comparison *c)
{
    for (int side = ALIGN_FIRST; side <= ALIGN_SECOND; side++) {
        vec_release(&c->step_of[side]);
        schedule_release(&c->schedule[side]);
    }
    alignment_release(&c->alignment);
}

const char *about_name(enum about about)
{
    static const char *const names[] = {
        [ABOUT_SYSTEM] = "system", [ABOUT_COMMAND] = "command", [ABOUT_WORLD] = "world",
        [ABOUT_NET] = "net",       [ABOUT_WITH] = "with",       [ABOUT_SEED] = "seed",
        [ABOUT_THEN] = "then",     [ABOUT_WITHOUT] = "without", [ABOUT_CONSTRAINTS] = "constraints",
        [ABOUT_HASH] = "hash",     [ABOUT_SHOWS] = "shows",     [ABOUT_CONTENT] = "content"};
    return names[about];
}

bool comparison_is_about_same(const struct comparison *c, enum about about)
{
    const uint32_t *said = c->about[about];
    const bool is_unsaid = said[ALIGN_FIRST] == 0 || said[ALIGN_SECOND] == 0;
    return said[ALIGN_FIRST] == said[ALIGN_SECOND] || (about == ABOUT_NET && is_unsaid);
}

bool comparison_is_of_two_systems(const struct comparison *c)
{
    const bool is_named_alike = comparison_is_about_same(c, ABOUT_SYSTEM) &&
                                comparison_is_about_same(c, ABOUT_COMMAND) &&
                                comparison_is_about_same(c, ABOUT_WORLD);
    return !is_named_alike;
}
