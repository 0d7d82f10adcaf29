#include "cli/verbs/interactive_replay.h"

#include <string.h>

#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"
#include "explore/replay.h"
#include "trace/line_reader.h"
#include "trace/quoted_word.h"
#include "world/recipe.h"

/* A run on its way. Going back is beginning again with one choice less: every step is the same. */
struct hand {
    struct session *session;
    struct world *world;
    const struct plan *plan;
    const char *replay_options; /* as clew replay needs it */
    struct execution execution;
    VEC(uint32_t) choices;
    bool is_over;   /* the last step ended the run */
    bool is_broken; /* the run is at rest, and should not be as it is */
};

static void begin(struct hand *h)
{
    h->world->ops->begin(h->world, h->plan, &h->execution);
    h->is_over = outcome_is_violation(h->execution.outcome);
}

static void take(struct hand *h, uint32_t choice)
{
    h->is_over = !h->world->ops->step(h->world, choice, &h->execution);
}

/* Comes back to where the choices lead. */
static void walk(struct hand *h)
{
    begin(h);
    vec_each (&h->choices, choice) {
        take(h, *choice);
    }
}

static void go_back(struct hand *h)
{
    if (h->choices.count == 0) {
        out_text(&h->session->out, "this is the beginning\n");
        return;
    }
    h->choices.count--;
    walk(h);
}

/* The run so far. It may be in its middle: how it hashes when it has ended is not known. */
static void write_schedule(struct hand *h, struct schedule *s)
{
    struct execution sofar = h->execution;
    sofar.hash = 0;
    recipe_write(s, h->world, h->plan, &sofar);
}

static void print_outcome(struct hand *h, const struct execution *x)
{
    session_paint(h->session, PAINT_ERROR, outcome_name(x->outcome));
    out_text(&h->session->out, ": ");
    session_text(h->session, x->what);
    out_char(&h->session->out, '\n');
}

/* Says whether the system may rest as it does. Manual steps do not check this: a run that ends here
 * does.
 */
static int judge_rest(struct hand *h, struct err *e)
{
    struct schedule s;
    struct replayed r = {0};
    schedule_init(&s);
    write_schedule(h, &s);
    const int result = replay(h->world, &s, &(struct replay_options){0}, &r, e);
    schedule_release(&s);
    walk(h);
    h->is_broken = result == 0 && outcome_is_violation(r.execution.outcome);
    if (h->is_broken) {
        print_outcome(h, &r.execution);
    } else if (result == 0) {
        out_text(&h->session->out, "nothing is pending: the system is at rest\n");
    }
    replayed_release(&r);
    return result;
}

static void print_operation(struct hand *h, const struct pick_operation *o)
{
    struct schedule line;
    struct choice c = {0};
    schedule_init(&line);
    h->world->ops->describe(h->world, o, &line, &c);
    schedule_print_choice(&line, &c, &h->session->out);
    schedule_release(&line);
}

static int print_pending(struct hand *h, struct err *e)
{
    h->is_broken = false;
    if (h->is_over) {
        print_outcome(h, &h->execution);
        return 0;
    }
    const struct pick_operation *pending = NULL;
    uint32_t count = h->world->ops->pending(h->world, &pending);
    if (count == 0 || pending[0].fault != 0) {
        if (judge_rest(h, e) < 0) {
            return -1;
        }
        count = h->world->ops->pending(h->world, &pending);
    }
    for (uint32_t i = 0; i < count; i++) {
        out_format(&h->session->out, "%4u  ", i + 1);
        print_operation(h, &pending[i]);
    }
    return 0;
}

static int write_file(struct hand *h, const char *path, struct err *e)
{
    struct out out;
    struct schedule s;
    if (out_open(&out, path, e) < 0) {
        return -1;
    }
    schedule_init(&s);
    write_schedule(h, &s);
    schedule_print(&s, &out);
    schedule_release(&s);
    return out_close(&out, e);
}

/* A file that cannot be written is no reason to lose the run. */
static void save(struct hand *h, const char *path)
{
    struct session *s = h->session;
    struct err e;
    if (write_file(h, path, &e) < 0) {
        out_text(&s->out, "not saved: ");
        session_text(s, e.text);
    } else {
        out_text(&s->out, "saved: clew replay ");
        session_text(s, h->replay_options);
        session_text(s, path);
        out_char(&s->out, ' ');
        session_text(s, s->inputs[0]);
    }
    out_char(&s->out, '\n');
}

/* Takes the step of this number, from 1. */
static void take_numbered(struct hand *h, uint64_t number)
{
    const struct pick_operation *pending = NULL;
    const uint32_t count = h->is_over ? 0 : h->world->ops->pending(h->world, &pending);
    if (number == 0 || number > count) {
        out_format(&h->session->out, "there is no step %llu here\n", (unsigned long long)number);
        return;
    }
    vec_push(&h->choices, (uint32_t)number - 1);
    take(h, (uint32_t)number - 1);
}

static const char help[] = "NUMBER takes that step, b goes back, n shows the nodes, s FILE saves "
                           "the schedule, q ends\n";

/* Obeys a line that is not empty; false when it ends the run. */
static bool obey(struct hand *h, struct words *w)
{
    struct word word;
    uint64_t number = 0;
    if (*w->at >= '0' && *w->at <= '9' && words_take_u64(w, &number)) {
        take_numbered(h, number);
        return true;
    }
    if (words_take(w, &word) && word.size == 1) {
        switch (word.text[0]) {
        case 'b': go_back(h); return true;
        case 'n': h->world->ops->states(h->world, &h->session->out); return true;
        case 'q': return false;
        case 's':
            if (words_are_left(w) && words_take(w, &word)) {
                struct arena arena = {0};
                save(h, arena_text(&arena, word.text, word.size));
                arena_release(&arena);
                return true;
            }
            break;
        default: break;
        }
    }
    out_text(&h->session->out, help);
    return true;
}

static int converse(struct hand *h, struct in *in, struct err *e)
{
    struct lines lines = {.in = in};
    struct words words = {0};
    int more = 0;
    out_text(&h->session->out, help);
    do {
        more = print_pending(h, e);
        out_format(&h->session->out, "step %zu> ", h->choices.count + 1);
        if (more < 0 || out_flush(&h->session->out, e) < 0) {
            more = -1;
            break;
        }
        more = lines_next(&lines, e);
        words.at = lines.text;
        words.end = lines.text + lines.size;
        if (more > 0 && words_are_left(&words)) {
            more = obey(h, &words);
        }
    } while (more > 0);
    out_char(&h->session->out, '\n');
    words_release(&words);
    return more;
}

int interactive(struct session *s, struct world *w, const struct plan *p,
                const char *replay_options, struct err *e)
{
    struct hand h = {.session = s, .world = w, .plan = p, .replay_options = replay_options};
    struct in in;
    if (in_open(&in, "-", e) < 0) {
        return -1;
    }
    begin(&h);
    const int result = converse(&h, &in, e);
    const bool is_violation =
        h.is_broken || (h.is_over && outcome_is_violation(h.execution.outcome));
    in_close(&in);
    vec_release(&h.choices);
    execution_release(&h.execution);
    return result < 0 ? -1 : verdict_status(verdict_of(is_violation, false));
}
