#include "cli/input/schedule_world.h"

#include "cli/input/program_file.h"
#include "cli/text/stdout_redirect.h"

static const char *text_of(const struct schedule *s, uint32_t name)
{
    return name == 0 ? NULL : names_text(&s->names, name);
}

/* Whether it opens without the line; then that line was wrong. */
static bool opens(const char *path, const struct sim_options *options)
{
    struct world *w = NULL;
    struct err unsaid;
    const bool is_open = sim_open(&w, path, options, &unsaid) == 0;
    if (is_open) {
        world_close(w);
    }
    return is_open;
}

static int explain(const struct schedule *s, const struct schedule_world *of,
                   const struct sim_options *options, struct err *e)
{
    struct sim_options without_net = *options;
    struct sim_options without_choice = *options;
    without_net.net = NULL;
    without_choice.with = NULL;
    if (program_file_is(of->system)) {
        return err_set(e, "%s: is a program, and no system: %s", of->system, of->program);
    }
    if (s->net != 0 && opens(of->system, &without_net)) {
        return err_wrap(e, "%s: line %u", of->schedule, s->net_line);
    }
    if (s->with != 0 && opens(of->system, &without_choice)) {
        return err_wrap(e, "%s: line %u", of->schedule, s->with_line);
    }
    return -1;
}

int schedule_world_open(struct world **w, const struct schedule *s, const struct schedule_world *of,
                        struct err *e)
{
    enum { IGNORED_MAX = 64 };
    const char *ignored[IGNORED_MAX];
    size_t ignored_count = 0;
    vec_each (&s->ignored, key) {
        if (ignored_count < IGNORED_MAX) {
            ignored[ignored_count++] = names_text(&s->names, *key);
        }
    }
    const struct sim_options options = {.system = text_of(s, s->system),
                                        .net = text_of(s, s->net),
                                        .with = text_of(s, s->with),
                                        .spec = of->spec,
                                        .fuzz = of->fuzz,
                                        .fuzz_name = of->fuzz_name,
                                        .ignored = ignored,
                                        .ignored_count = ignored_count};
    if ((of->shows_output ? printed_show(e) : printed_drop(e)) < 0) {
        return -1;
    }
    return sim_open(w, of->system, &options, e) < 0 ? explain(s, of, &options, e) : 0;
}
