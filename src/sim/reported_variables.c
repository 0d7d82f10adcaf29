/* Variables that properties and waits speak of, and no node reports: a name that is misspelt would
 * make a property true in every run, and a wait endless.
 *
 * Which variables a system reports is known when it has run. A name that the first run has not
 * reported may still be reported later, where the shared object has it as a text. */
#include "sim/reported_variables.h"

#include <stdio.h>
#include <string.h>

#include "base/in.h"
#include "base/mem.h"
#include "sim/external_events.h"
#include "sim/net.h"
#include "sim/state_hash.h"

static bool is_reported(const struct sim *s, const char *name)
{
    for (uint32_t i = 0; i < s->reported.count; i++) {
        if (strcmp(s->reported.names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the file has the text, with the zero byte that ends it. A file that cannot be read might.
 */
static bool has_text(const char *path, const char *text)
{
    struct in in;
    struct err unread;
    const size_t size = strlen(text) + 1;
    bool is_found = false;
    if (path == NULL) {
        return false;
    }
    if (in_open(&in, path, &unread) < 0) {
        return true;
    }
    ssize_t available = 0;
    while (!is_found && (available = in_fill(&in, size, &unread)) >= (ssize_t)size) {
        is_found = memmem(in.at, (size_t)available, text, size) != NULL;
        in_skip(&in, (size_t)available - size + 1);
    }
    in_close(&in);
    return is_found || available < 0;
}

static int refuse(const struct sim *s, const char *what, const char *name, struct err *e)
{
    char known[200] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < s->reported.count && used < sizeof known; i++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ",
                                 s->reported.names[i]);
    }
    return err_set(e, "%s: no node reports a variable %.60s; %s%s", what, name,
                   s->reported.count == 0 ? "none is reported" : "reported are ", known);
}

static int check_spec(const struct sim *s, const struct spec *spec, bool is_last, struct err *e)
{
    vec_each (&spec->nodes, n) {
        if (n->op != SPEC_VARIABLE) {
            continue;
        }
        const char *name = names_text(&spec->names, n->variable);
        if (!is_reported(s, name) && (is_last || !has_text(s->library.path, name))) {
            char what[80];
            (void)snprintf(what, sizeof what, "line %u, column %u", n->line, n->column);
            return refuse(s, what, name, e);
        }
    }
    return 0;
}

int reported_check(const struct sim *s, bool is_last, struct err *e)
{
    if (s->claims.spec != NULL && check_spec(s, s->claims.spec, is_last, e) < 0) {
        return err_wrap(e, "the specification");
    }
    const struct spec *wait = NULL;
    for (size_t i = 0; (wait = outside_condition(s, i)) != NULL; i++) {
        if (check_spec(s, wait, is_last, e) < 0) {
            return err_wrap(e, "a wait");
        }
    }
    return 0;
}
