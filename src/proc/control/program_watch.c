/* Variables that are read without the program's help: found once, told to each process. */
#include <stdio.h>
#include <string.h>

#include "place/variable_expression.h"
#include "proc/control/program_state.h"

/* "NAME=EXPRESSION", or the expression alone, which is the name then. */
static int find(struct controlled *c, const char *text, struct control_watch *w, struct err *e)
{
    struct variable_path path;
    const char *equals = strchr(text, '=');
    const char *expression = equals == NULL ? text : equals + 1;
    const size_t name_size = equals == NULL ? strlen(text) : (size_t)(equals - text);
    _Static_assert((int)CONTROL_HOPS_MAX == (int)VARIABLE_HOPS_MAX, "one way for both");
    if (name_size == 0 || name_size >= sizeof w->name) {
        return err_set(
            e, "--watch %s: it needs a name of 1 to %zu letters; NAME=EXPRESSION gives it one",
            text, sizeof w->name - 1);
    }
    if (variable_find(c->places, expression, "/libclew_control.so", &path, e) < 0) {
        return err_wrap(e, "--watch");
    }
    *w = (struct control_watch){.address = path.address,
                                .hop_count = path.hop_count,
                                .size = path.size,
                                .is_signed = path.is_signed,
                                .is_pointer = path.is_pointer};
    memcpy(w->offset, path.offset, sizeof w->offset);
    memcpy(w->name, text, name_size);
    return 0;
}

int watch_put(struct controlled *c, struct err *e)
{
    struct control_watch *watches = control_at(c, CONTROL_PLACE(WATCHES));
    if (c->options.watch_count > CONTROL_WATCHES_MAX) {
        return err_set(e, "--watch: at most %d", (int)CONTROL_WATCHES_MAX);
    }
    name_modules(c);
    for (uint32_t i = 0; i < c->options.watch_count; i++) {
        if (find(c, c->options.watch[i], &watches[i], e) < 0) {
            return -1;
        }
    }
    c->page->watch_count = c->options.watch_count;
    return 0;
}
