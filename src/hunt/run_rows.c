#include "hunt/run_rows.h"

#include <string.h>

#include "wire/must.h"

void run_rows_release(struct run_rows *r)
{
    vec_release(&r->list);
    arena_release(&r->arena);
    *r = (struct run_rows){0};
}

const struct run_row *run_rows_at(const struct run_rows *r, size_t step)
{
    return step < r->first || step - r->first >= r->list.count ? NULL
                                                               : &r->list.at[step - r->first];
}

static const char *copy(struct run_rows *r, const char *text, size_t size)
{
    return arena_text(&r->arena, text, size);
}

static const char *name_of(struct run_rows *r, const struct schedule *s, uint32_t name)
{
    return copy(r, names_text(&s->names, name), names_size(&s->names, name));
}

/* The node that a choice happens on, and of a message the node that sent it. */
static void set_nodes(struct run_rows *r, const struct schedule *s, const struct choice *c,
                      struct run_row *row)
{
    if (c->kind == CHOICE_MESSAGE) {
        row->words.task = name_of(r, s, c->message.destination);
        row->from = name_of(r, s, c->message.source);
    } else if (c->kind == CHOICE_FAULT) {
        const char *target = names_text(&s->names, c->target);
        const char *arrow = strchr(target, '>');
        const char *node = arrow == NULL ? target : arrow + 1;
        row->words.task = copy(r, node, strcspn(node, "/+#"));
    } else {
        row->words.task =
            name_of(r, s, c->operation.node == 0 ? c->operation.task : c->operation.node);
    }
}

/* The step as schedules write it: for worlds that have no words of their own. */
static void describe(struct run_rows *r, struct world *w, const struct step *step,
                     struct run_row *row)
{
    struct schedule line;
    struct choice c = {0};
    struct out text;
    schedule_init(&line);
    out_open_memory(&text);
    w->ops->describe(w, &step->operation, &line, &c);
    set_nodes(r, &line, &c, row);
    schedule_print_choice(&line, &c, &text);
    must(text.used > 0);
    row->words.operation = copy(r, text.buffer, text.used - 1);
    out_abandon(&text);
    schedule_release(&line);
}

static void read_row(struct run_rows *r, struct world *w, const struct execution *x, size_t index)
{
    const struct step *step = &x->steps.at[index];
    struct run_row row = {.words = {.task = "", .operation = "", .location = "", .source = ""},
                          .detail = "",
                          .from = ""};
    if (w->ops->show_step == NULL || !w->ops->show_step(w, index, &r->arena, &row.words)) {
        describe(r, w, step, &row);
    }
    if (step->operation.kind == EVENT_THREAD_START && step->cause != STEP_NONE) {
        const struct run_row *creator = run_rows_at(r, step->cause);
        row.from = creator == NULL ? "" : creator->words.task;
    }
    vec_push(&r->list, row);
}

/* States of a simulated system */

/* The value of "name=" among the words of a line; NULL when it has none. */
static const char *find_value(const char *line, size_t size, const char *name, size_t name_size)
{
    for (size_t i = 0; i + name_size <= size; i++) {
        if ((i == 0 || line[i - 1] == ' ') && memcmp(line + i, name, name_size) == 0) {
            return line + i + name_size;
        }
    }
    return NULL;
}

/* The words of a changed line that are new: "term=2 (was 1)"; a line of other words as it is. */
static void print_changed_line(struct out *out, const char *line, size_t size, const char *old,
                               size_t old_size)
{
    out_text(out, out->used == 0 ? "" : "; ");
    const size_t before = out->used;
    for (size_t at = 0; at < size;) {
        const size_t word = strcspn(line + at, " \n");
        const char *equals = memchr(line + at, '=', word);
        const size_t name = equals == NULL ? 0 : (size_t)(equals + 1 - (line + at));
        const char *was = name == 0 ? NULL : find_value(old, old_size, line + at, name);
        const size_t was_size = was == NULL ? 0 : strcspn(was, " \n");
        const bool is_same =
            was != NULL && was_size == word - name && memcmp(was, equals + 1, was_size) == 0;
        if (name > 0 && !is_same) {
            out_text(out, out->used == before ? "" : " ");
            out_bytes(out, line + at, word);
            if (was != NULL) {
                out_format(out, " (was %.*s)", (int)was_size, was);
            }
        }
        at += word + (line[at + word] == ' ');
    }
    if (out->used == before) {
        out_bytes(out, line, size);
    }
}

static const char *changes(struct run_rows *r, const char *before, const char *after)
{
    struct out out;
    out_open_memory(&out);
    while (*after != '\0') {
        const size_t size = strcspn(after, "\n");
        const size_t old_size = strcspn(before, "\n");
        if (size != old_size || memcmp(after, before, size) != 0) {
            print_changed_line(&out, after, size, before, old_size);
        }
        after += size + (after[size] == '\n');
        before += old_size + (before[old_size] == '\n');
    }
    const char *text = out.used == 0 ? "" : copy(r, out.buffer, out.used);
    out_abandon(&out);
    return text;
}

static const char *states_now(struct run_rows *r, struct world *w)
{
    struct out out;
    out_open_memory(&out);
    w->ops->states(w, &out);
    const char *text = copy(r, out.used == 0 ? "" : out.buffer, out.used);
    out_abandon(&out);
    return text;
}

static bool take(struct world *w, const struct step *step, struct execution *again)
{
    const struct pick_operation *pending = NULL;
    const uint32_t count = w->ops->pending(w, &pending);
    uint32_t choice = 0;
    while (choice < count && pending[choice].name != step->operation.name) {
        choice++;
    }
    must(choice < count);
    return w->ops->step(w, choice, again);
}

/* Takes the steps once more and sees the states between them. */
static void read_states(struct run_rows *r, struct world *w, const struct plan *p,
                        const struct execution *x)
{
    struct execution again = {0};
    struct plan plan = {.pick.seed = p->pick.seed,
                        .contents = p->contents,
                        .content_count = p->content_count,
                        .without = p->without,
                        .without_count = p->without_count};
    vec_each (&x->steps, step) {
        plan.faults.most[step->operation.fault]++;
    }
    w->ops->begin(w, &plan, &again);
    const char *before = states_now(r, w);
    bool goes_on = true;
    for (size_t i = 0; i < x->steps.count && goes_on; i++) {
        goes_on = take(w, &x->steps.at[i], &again);
        const char *after = states_now(r, w);
        if (i >= r->first) {
            r->list.at[i - r->first].detail = changes(r, before, after);
        }
        before = after;
    }
    r->states = before;
    execution_release(&again);
}

void run_rows_read(struct run_rows *r, struct world *w, const struct plan *p,
                   const struct execution *x)
{
    must(r->list.count == 0);
    const size_t count = x->steps.count;
    r->first = count > RUN_ROWS_MAX ? (uint32_t)(count - RUN_ROWS_MAX) : 0;
    r->states = "";
    for (size_t i = r->first; i < count; i++) {
        read_row(r, w, x, i);
    }
    if (w->ops->begin != NULL && w->ops->states != NULL) {
        read_states(r, w, p, x);
    }
    must(r->list.count == count - r->first);
}
