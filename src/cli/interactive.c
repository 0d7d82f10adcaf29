#include "cli/interactive.h"

#include <string.h>

#include "cli/report.h"
#include "trace/lines.h"
#include "trace/word.h"
#include "world/recipe.h"

/* A run on its way. Going back is beginning again with one choice less: every step is the same. */
struct hand {
    struct session *session;
    struct world *world;
    const struct plan *plan;
    struct execution execution;
    VEC(uint32_t) choices;
    bool is_over; /* the last step ended the run */
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

static void go_back(struct hand *h)
{
    if (h->choices.count == 0) {
        out_text(&h->session->out, "this is the beginning\n");
        return;
    }
    h->choices.count--;
    begin(h);
    vec_each (&h->choices, choice) {
        take(h, *choice);
    }
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

static void print_pending(struct hand *h)
{
    struct out *out = &h->session->out;
    if (h->is_over) {
        session_paint(h->session, PAINT_ERROR, outcome_name(h->execution.outcome));
        out_text(out, ": ");
        session_text(h->session, h->execution.what);
        out_char(out, '\n');
        return;
    }
    const struct pick_operation *pending = NULL;
    const uint32_t count = h->world->ops->pending(h->world, &pending);
    if (count == 0) {
        out_text(out, "nothing is pending: the system is at rest\n");
    }
    for (uint32_t i = 0; i < count; i++) {
        out_format(out, "%4u  ", i + 1);
        print_operation(h, &pending[i]);
    }
}

static int save(struct hand *h, const char *path, struct err *e)
{
    struct out out;
    struct schedule s;
    if (out_open(&out, path, e) < 0) {
        return -1;
    }
    schedule_init(&s);
    /* The run may be in its middle: how it hashes when it has ended is not known. */
    struct execution sofar = h->execution;
    sofar.hash = 0;
    recipe_write(&s, h->world, h->plan, &sofar);
    schedule_print(&s, &out);
    schedule_release(&s);
    if (out_close(&out, e) < 0) {
        return -1;
    }
    out_format(&h->session->out, "saved: clew replay ");
    session_text(h->session, path);
    out_char(&h->session->out, ' ');
    session_text(h->session, h->session->inputs[0]);
    out_char(&h->session->out, '\n');
    return 0;
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

/* Obeys a line that is not empty; 1 when it ends the run, -1 with the error. */
static int obey(struct hand *h, struct words *w, struct err *e)
{
    struct word word;
    uint64_t number = 0;
    if (*w->at >= '0' && *w->at <= '9' && words_take_u64(w, &number)) {
        take_numbered(h, number);
        return 0;
    }
    if (words_take(w, &word) && word.size == 1) {
        switch (word.text[0]) {
        case 'b': go_back(h); return 0;
        case 'n': h->world->ops->states(h->world, &h->session->out); return 0;
        case 'q': return 1;
        case 's':
            if (words_are_left(w) && words_take(w, &word)) {
                struct arena arena = {0};
                const int result = save(h, arena_text(&arena, word.text, word.size), e);
                arena_release(&arena);
                return result;
            }
            break;
        default: break;
        }
    }
    out_text(&h->session->out, help);
    return 0;
}

static int converse(struct hand *h, struct in *in, struct err *e)
{
    struct lines lines = {.in = in};
    struct words words = {0};
    int more = 0;
    out_text(&h->session->out, help);
    do {
        print_pending(h);
        out_format(&h->session->out, "step %zu> ", h->choices.count + 1);
        if (out_flush(&h->session->out, e) < 0) {
            more = -1;
            break;
        }
        more = lines_next(&lines, e);
        words.at = lines.text;
        words.end = lines.text + lines.size;
        if (more > 0 && words_are_left(&words)) {
            const int obeyed = obey(h, &words, e);
            more = obeyed < 0 ? -1 : obeyed > 0 ? 0 : 1;
        }
    } while (more > 0);
    out_char(&h->session->out, '\n');
    words_release(&words);
    return more;
}

int interactive(struct session *s, struct world *w, const struct plan *p, struct err *e)
{
    struct hand h = {.session = s, .world = w, .plan = p};
    struct in in;
    if (in_open(&in, "-", e) < 0) {
        return -1;
    }
    begin(&h);
    const int result = converse(&h, &in, e);
    const bool is_violation = h.is_over && outcome_is_violation(h.execution.outcome);
    in_close(&in);
    vec_release(&h.choices);
    execution_release(&h.execution);
    return result < 0 ? -1 : is_violation ? EXIT_FOUND : EXIT_CLEAN;
}
