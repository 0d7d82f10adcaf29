#include "cli/text/step_log.h"

#include <string.h>

#include "sim/sim.h"

enum { STEP_WIDTH = 4, CLOCK_WIDTH = 7 };

/* A log on its way. */
struct step_log {
    struct session *session;
    struct world *world;
    const struct execution *run; /* whose steps are taken */
    struct execution again;
    struct trace trace;   /* of the steps so far */
    size_t told;          /* of its events */
    struct out states[2]; /* of the nodes, before and after a step in turn */
    int node_width;
};

static void indent(struct step_log *l)
{
    out_format(&l->session->out, "%*s", STEP_WIDTH + CLOCK_WIDTH + l->node_width + 6, "");
}

/* States */

static struct out *copy_states(struct step_log *l, size_t step)
{
    must(l->world->ops->states != NULL);
    struct out *states = &l->states[step % 2];
    states->used = 0;
    l->world->ops->states(l->world, states);
    out_char(states, '\0');
    states->used--;
    return states;
}

/* The value of "name=" in a line; NULL when it has none. */
static const char *value_in(const char *line, size_t line_size, const char *name, size_t name_size)
{
    must(name_size > 0);
    for (size_t i = 0; i + name_size <= line_size; i++) {
        const bool begins = i == 0 || line[i - 1] == ' ';
        if (begins && memcmp(line + i, name, name_size) == 0) {
            return line + i + name_size;
        }
    }
    return NULL;
}

/* A word of a state; behind "name=value" stands the value before, if that was another. */
static void print_word(struct step_log *l, const char *word, size_t size, const char *old,
                       size_t old_size)
{
    session_bytes(l->session, word, size);
    const char *equals = memchr(word, '=', size);
    if (equals == NULL) {
        return;
    }
    const size_t name_size = (size_t)(equals + 1 - word);
    must(name_size <= size);
    const char *before = value_in(old, old_size, word, name_size);
    if (before == NULL) {
        return;
    }
    const size_t before_size = strcspn(before, " \n");
    if (before_size != size - name_size || memcmp(before, equals + 1, before_size) != 0) {
        out_text(&l->session->out, " (was ");
        session_bytes(l->session, before, before_size);
        out_char(&l->session->out, ')');
    }
}

static void print_state(struct step_log *l, const char *line, size_t size, const char *old,
                        size_t old_size)
{
    indent(l);
    size_t at = 0;
    while (at < size) {
        const char *blank = memchr(line + at, ' ', size - at);
        const size_t end = blank == NULL ? size : (size_t)(blank - line);
        print_word(l, line + at, end - at, old, old_size);
        at = end;
        if (blank != NULL) {
            out_char(&l->session->out, ' ');
            at++;
        }
    }
    out_char(&l->session->out, '\n');
}

/* The lines of `after` that `before` does not have. */
static void print_changes(struct step_log *l, const struct out *before, const struct out *after)
{
    const char *line = after->buffer;
    const char *end = line + after->used;
    const char *old = before == NULL ? "" : before->buffer;
    while (line < end) {
        const size_t size = strcspn(line, "\n");
        const size_t old_size = strcspn(old, "\n");
        if (size != old_size || memcmp(line, old, size) != 0) {
            print_state(l, line, size, old, old_size);
        }
        line += size + 1;
        old += old_size + (old[old_size] == '\n');
    }
}

/* Events */

static void print_named(struct step_log *l, const char *before, uint32_t name)
{
    const char *text = trace_name(&l->trace, name);
    if (text[0] != '\0') {
        out_text(&l->session->out, before);
        session_text(l->session, text);
    }
}

/* Other operations of a node in the step, beside the step's own line and the states. */
static void print_event(struct step_log *l, const struct event *e)
{
    struct out *out = &l->session->out;
    const char *verb = e->kind == EVENT_SEND           ? "sends"
                       : e->kind == EVENT_TIMER_SET    ? "sets timer"
                       : e->kind == EVENT_TIMER_CANCEL ? "cancels timer"
                       : e->kind == EVENT_FILE_WRITE   ? "writes to its"
                       : e->kind == EVENT_LOG          ? "says"
                       : e->kind == EVENT_READ         ? "reads"
                       : e->kind == EVENT_WRITE        ? "writes"
                                                       : NULL;
    if (verb == NULL) {
        return;
    }
    indent(l);
    out_text(out, verb);
    print_named(l, " ", e->kind == EVENT_SEND ? e->message : e->object);
    if (e->kind == EVENT_TIMER_SET) {
        out_format(out, ", due in %lld", (long long)e->value);
    } else if (e->kind == EVENT_FILE_WRITE) {
        out_format(out, ": %llu bytes at %lld", (unsigned long long)e->size, (long long)e->value);
    }
    print_named(l, ": ", e->text);
    out_char(out, '\n');
}

/* The content of the message that the step delivers. */
static void print_delivered(struct step_log *l)
{
    for (size_t i = l->told; i < l->trace.events.count; i++) {
        if (l->trace.events.at[i].kind == EVENT_RECV) {
            print_named(l, ": ", l->trace.events.at[i].text);
            return;
        }
    }
}

static long long clock_of(const struct step_log *l)
{
    for (size_t i = l->told; i < l->trace.events.count; i++) {
        if ((l->trace.events.at[i].has & HAS_TIME) != 0) {
            return (long long)l->trace.events.at[i].time;
        }
    }
    return 0;
}

/* Its line, once it was taken: the trace has its content. */
static void print_step(struct step_log *l, const struct step *step, size_t number)
{
    struct schedule line;
    struct choice c = {0};
    struct out text;
    out_open_memory(&text);
    schedule_init(&line);
    l->world->ops->describe(l->world, &step->operation, &line, &c);
    schedule_print_choice(&line, &c, &text);
    out_format(&l->session->out, "%*zu  %*lld  %-*s  ", STEP_WIDTH, number, CLOCK_WIDTH,
               clock_of(l), l->node_width, sim_node_name(l->world, step->operation.node));
    out_bytes(&l->session->out, text.buffer, text.used == 0 ? 0 : text.used - 1);
    print_delivered(l);
    out_char(&l->session->out, '\n');
    schedule_release(&line);
    out_abandon(&text);
}

static void print_events(struct step_log *l)
{
    while (l->told < l->trace.events.count) {
        print_event(l, &l->trace.events.at[l->told++]);
    }
}

/* Steps */

static bool take(struct step_log *l, size_t at)
{
    const struct pick_operation *pending = NULL;
    const uint32_t count = l->world->ops->pending(l->world, &pending);
    uint32_t choice = 0;
    while (choice < count && pending[choice].name != l->run->steps.at[at].operation.name) {
        choice++;
    }
    must(choice < count);
    return l->world->ops->step(l->world, choice, &l->again);
}

static void print_head(struct step_log *l)
{
    l->node_width = (int)strlen("node");
    vec_each (&l->run->steps, step) {
        const int width = (int)strlen(sim_node_name(l->world, step->operation.node));
        l->node_width = width > l->node_width ? width : l->node_width;
    }
    out_format(&l->session->out, "%*s  %*s  %-*s  operation\n", STEP_WIDTH, "step", CLOCK_WIDTH,
               "clock", l->node_width, "node");
}

void step_log(struct session *s, struct world *w, const struct execution *x, const struct plan *p)
{
    struct step_log l = {.session = s, .world = w, .run = x};
    struct plan traced = *p;
    trace_init(&l.trace);
    traced.trace = &l.trace;
    out_open_memory(&l.states[0]);
    out_open_memory(&l.states[1]);
    w->ops->begin(w, &traced, &l.again);
    print_head(&l);
    print_events(&l);
    print_changes(&l, NULL, copy_states(&l, 0));
    bool goes_on = true;
    for (size_t i = 0; i < x->steps.count && goes_on; i++) {
        goes_on = take(&l, i);
        print_step(&l, &x->steps.at[i], i + 1);
        print_events(&l);
        const struct out *before = &l.states[i % 2];
        print_changes(&l, before, copy_states(&l, i + 1));
    }
    out_abandon(&l.states[0]);
    out_abandon(&l.states[1]);
    execution_release(&l.again);
    trace_release(&l.trace);
}
