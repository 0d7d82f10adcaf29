/* The steps of a run as an interleaving for people: who does what, where, and the line of the
 * source there. */
#include <string.h>

#include "base/in.h"
#include "proc/control/program_state.h"
#include "trace/kind_table.h"

enum { TEXT_MAX = 60, SOURCE_MAX = 16 << 20 };

static void print_operation(struct controlled *c, const struct control_step *s, struct out *out)
{
    const struct kind *kind = kind_of(s->kind);
    out_text(out, kind == NULL ? "step" : kind->name);
    out_text(out, s->key == 0 ? "" : " ");
    name_print(c, (struct named){s->key, s->ordinal, s->offset, s->owner}, out);
}

/* Where the program does it, behind `before`. Nothing for a place in clew's own library, as that of
 * the exit of a process whose main returned. */
static void print_location(struct controlled *c, uint64_t place, const char *before,
                           struct out *out)
{
    static const char own[] = "libclew_control.so";
    struct out line;
    if (place == 0) {
        return;
    }
    out_open_memory(&line);
    name_print_line(c, place, &line);
    if (line.used < sizeof own - 1 || memcmp(line.buffer, own, sizeof own - 1) != 0) {
        out_text(out, before);
        out_bytes(out, line.buffer, line.used);
    }
    out_abandon(&line);
}

void steps_print_one(struct controlled *c, const struct control_step *s, struct out *out)
{
    out_format(out, "%s ", name_task(c, s->task));
    print_operation(c, s, out);
    print_location(c, s->place, " at ", out);
}

/* The text of a line, without the blanks around it and cut to fit. */
static void print_text(const char *text, size_t size, struct out *out)
{
    while (size > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        size--;
    }
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\r')) {
        size--;
    }
    out_bytes(out, text, size < TEXT_MAX ? size : TEXT_MAX);
    out_text(out, size > TEXT_MAX ? " ..." : "");
}

/* The line of the source at a place, behind `before`; nothing where the file is not there. */
static void print_source(struct controlled *c, uint64_t place, const char *before, struct out *out)
{
    const char *file = NULL;
    int line = 0;
    struct in in;
    struct err ignored;
    if (place == 0 || !places_find_line(c->places, place, &file, &line) ||
        in_open(&in, file, &ignored) < 0) {
        return;
    }
    if (in_fill_all(&in, SOURCE_MAX, &ignored) == 0) {
        const char *at = in.at;
        const char *last = in.at + in.available;
        for (int number = 1; number < line && at < last; number++) {
            const char *end = memchr(at, '\n', (size_t)(last - at));
            at = end == NULL ? last : end + 1;
        }
        const char *end = at == last ? NULL : memchr(at, '\n', (size_t)(last - at));
        if (end != NULL) {
            out_text(out, before);
            print_text(at, (size_t)(end - at), out);
        }
    }
    in_close(&in);
}

/* Values that may be addresses are not shown: they mean nothing to a reader. */
static bool has_value(const struct control_step *s)
{
    return s->kind == EVENT_READ && s->size <= sizeof s->value && s->value >= INT32_MIN &&
           s->value <= UINT32_MAX;
}

static bool is_value_known(const struct control_step *s)
{
    const bool is_read =
        s->kind == EVENT_READ || s->kind == EVENT_ATOMIC_LOAD || s->kind == EVENT_ATOMIC_RMW;
    return is_read && s->size <= sizeof s->value;
}

/* The steps of the last run that the page still has. */
static uint64_t step_count(struct controlled *c)
{
    const uint64_t room = CONTROL_STEPS_SIZE / sizeof(struct control_step);
    const uint64_t told = c->page->result.step_count;
    return told < room ? told : room;
}

bool steps_show(struct world *w, size_t index, struct arena *a, struct world_step *step)
{
    struct controlled *c = (struct controlled *)w;
    if (index >= step_count(c)) {
        return false;
    }
    const struct control_step *steps = control_at(c, CONTROL_PLACE(STEPS));
    const struct control_step *s = &steps[index];
    struct out text;
    out_open_memory(&text);
    print_operation(c, s, &text);
    const size_t location = text.used;
    print_location(c, s->place, "", &text);
    const size_t source = text.used;
    print_source(c, s->place, "", &text);
    const char *task = name_task(c, s->task);
    *step =
        (struct world_step){.task = arena_text(a, task, strlen(task)),
                            .operation = arena_text(a, text.buffer, location),
                            .location = arena_text(a, text.buffer + location, source - location),
                            .source = arena_text(a, text.buffer + source, text.used - source),
                            .has_value = has_value(s),
                            .is_value_known = is_value_known(s),
                            .value = s->value};
    out_abandon(&text);
    return true;
}

void steps_print(struct world *w, size_t most, struct out *out)
{
    struct controlled *c = (struct controlled *)w;
    const struct control_step *steps = control_at(c, CONTROL_PLACE(STEPS));
    const uint64_t count = step_count(c);
    const uint64_t first = most == 0 || count < most ? 0 : count - most;
    for (uint64_t i = first; i < count; i++) {
        const struct control_step *s = &steps[i];
        const bool is_switch = i > 0 && steps[i - 1].task != s->task;
        out_format(out, "%s%6llu. ", is_switch ? "->" : "  ", (unsigned long long)i + 1);
        steps_print_one(c, s, out);
        if (has_value(s)) {
            out_format(out, " = %lld", (long long)s->value);
        }
        print_source(c, s->place, "   ", out);
        out_char(out, '\n');
    }
}
