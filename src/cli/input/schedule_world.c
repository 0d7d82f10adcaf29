#include "cli/input/schedule_world.h"

#include <elf.h>
#include <string.h>

#include "base/in.h"
#include "cli/text/stdout_redirect.h"

enum { SEGMENTS_MAX = 64 };

/* Whether the file is to be started, not loaded: it names who loads it. */
static bool is_program(const char *path)
{
    struct in in;
    struct err unread; /* an unreadable file is not known to be one */
    bool is_one = false;
    if (in_open(&in, path, &unread) < 0) {
        return false;
    }
    Elf64_Ehdr head;
    const size_t size = sizeof head + SEGMENTS_MAX * sizeof(Elf64_Phdr);
    const ssize_t got = in_fill(&in, size, &unread);
    if (got >= (ssize_t)sizeof head && memcmp(in.at, ELFMAG, SELFMAG) == 0) {
        memcpy(&head, in.at, sizeof head);
        is_one = head.e_type == ET_EXEC;
        for (uint32_t i = 0; i < head.e_phnum && i < SEGMENTS_MAX && !is_one; i++) {
            const size_t at = sizeof head + i * sizeof(Elf64_Phdr);
            Elf64_Phdr segment = {0};
            if (at + sizeof segment <= (size_t)got && head.e_phoff == sizeof head) {
                memcpy(&segment, in.at + at, sizeof segment);
            }
            is_one = segment.p_type == PT_INTERP;
        }
    }
    in_close(&in);
    return is_one;
}

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
    if (is_program(of->system)) {
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
