#include "atomicity/promela.h"

#include <string.h>

#include "atomicity/correlate.h"
#include "base/mem.h"

/* ---- claims ---- */

/* Which kinds of access each thread has, a bit each. */
static unsigned kinds_of(const struct model_thread *t)
{
    unsigned kinds = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct step *s = &t->steps[i];
        if (s->kind == STEP_ACCESS) {
            kinds |= 1u << (s->which * 2 + s->is_write);
        }
    }
    return kinds;
}

static bool has_kinds(const struct model *m, const struct claim *c)
{
    for (uint32_t i = 0; i < c->access_count; i++) {
        const struct violation_access *a = &c->accesses[i];
        const unsigned kinds = kinds_of(&m->threads[c->threads[a->thread - 1]]);
        if ((kinds >> (a->which * 2 + a->is_write) & 1) == 0) {
            return false;
        }
    }
    return true;
}

static void add_singles(const struct model *m, struct claim c, claim_list *claims)
{
    for (unsigned i = 0; i < 32; i++) {
        const bool writes[] = {i & 1, i >> 1 & 1, i >> 2 & 1};
        const uint8_t first = i >> 3 & 1 ? 2 : 1;
        c.pattern = violation_of_three(writes[0], writes[1], writes[2]);
        c.access_count = 3;
        for (uint8_t k = 0; k < 3; k++) {
            c.accesses[k] =
                (struct violation_access){.thread = k == 1 ? (uint8_t)(3 - first) : first,
                                          .which = i >> 4 & 1,
                                          .is_write = writes[k]};
        }
        if (c.pattern != VIOLATION_NONE && has_kinds(m, &c)) {
            vec_push(claims, c);
        }
    }
}

static void add_typed_orders(const struct model *m, struct claim c, claim_list *claims)
{
    for (size_t i = 0; i < TYPED_ORDER_COUNT; i++) {
        const struct typed_order order = violation_typed_order(i);
        c.pattern = order.pattern;
        c.access_count = TYPED_ORDER_SIZE;
        memcpy(c.accesses, order.accesses, sizeof c.accesses);
        if (has_kinds(m, &c)) {
            vec_push(claims, c);
        }
    }
}

void promela_claims(const struct model *m, claim_list *claims)
{
    for (uint32_t a = 0; a < m->thread_count; a++) {
        for (uint32_t b = a + 1; b < m->thread_count; b++) {
            const struct claim c = {.threads = {a, b}};
            add_singles(m, c, claims);
            if (m->variables[1] != VARIABLE_NONE) {
                add_typed_orders(m, c, claims);
            }
        }
    }
}

/* ---- printing ---- */

static unsigned code_of(uint32_t thread, uint8_t which, bool is_write)
{
    return thread * 4 + which * 2u + is_write + 1;
}

/* Text inside a comment. */
static void print_comment(struct out *out, const char *text)
{
    out_text(out, "/* ");
    for (; *text != '\0'; text++) {
        out_char(out, *text < ' ' || *text == '*' || *text == 0x7f ? '_' : *text);
    }
    out_text(out, " */");
}

/* A version check: sections of one may overlap in a thread. One that awaits its write may be given
 * up; then the thread does not reach that write. */
static void print_version(uint32_t thread, const struct step *s, struct out *out)
{
    const unsigned lock = s->lock;
    if (s->kind == STEP_UNLOCK) {
        out_format(out, "  atomic { s%u--; l%u = (s%u == 0 -> 0 : %u) };", lock, lock, lock,
                   thread + 1);
    } else if (s->asks_at == 0) {
        out_format(out, "  atomic { l%u == 0 || l%u == %u -> l%u = %u; s%u++ };", lock, lock,
                   thread + 1, lock, thread + 1, lock);
    } else {
        out_format(out,
                   "  if :: atomic { l%u == 0 || l%u == %u -> l%u = %u; s%u++ } :: g%u_%u = 1 fi;",
                   lock, lock, thread + 1, lock, thread + 1, lock, thread, s->asks_at);
    }
}

static void print_lock(const struct step *s, struct out *out)
{
    const unsigned lock = s->lock;
    if (s->kind == STEP_UNLOCK) {
        out_format(out, s->is_shared ? "  s%u--;" : "  l%u = 0;", lock);
    } else if (s->is_shared) {
        out_format(out, "  atomic { l%u == 0 -> s%u++ };", lock, lock);
    } else {
        out_format(out, "  atomic { l%u == 0 && s%u == 0 -> l%u = 1 };", lock, lock, lock);
    }
}

static void print_point(const struct model *m, const struct step *s, struct out *out)
{
    out_text(out, "  (true");
    for (uint32_t i = 0; i < s->pred_count; i++) {
        const struct step_pred *p = &m->preds[s->pred_first + i];
        out_format(out, " && at%u >= %u", p->thread, p->count);
    }
    out_text(out, ");");
}

/* Which counts of a thread's steps somebody waits for. */
static bool is_waited_for(const struct model *m, uint32_t thread, uint32_t count, size_t pred_count)
{
    for (size_t i = 0; i < pred_count; i++) {
        if (m->preds[i].thread == thread && m->preds[i].count == count) {
            return true;
        }
    }
    return false;
}

static size_t pred_count_of(const struct model *m)
{
    size_t count = 0;
    for (uint32_t i = 0; i < m->thread_count; i++) {
        for (uint32_t k = 0; k < m->threads[i].count; k++) {
            count += m->threads[i].steps[k].pred_count;
        }
    }
    return count;
}

/* Whether a write that asks for a version begins with this step. */
static bool is_asked_at(const struct model_thread *t, uint32_t step)
{
    for (uint32_t i = 0; i < step; i++) {
        if (t->steps[i].asks_at == step) {
            return true;
        }
    }
    return false;
}

/* A flag for each version that a thread may give up. */
static void print_flags(const struct model_thread *t, uint32_t thread, struct out *out)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (is_asked_at(t, i)) {
            out_format(out, "bit g%u_%u;\n", thread, i);
        }
    }
}

static void print_thread(const struct model *m, uint32_t thread, struct out *out)
{
    const struct trace *t = m->frame->trace;
    const struct model_thread *of = &m->threads[thread];
    const size_t pred_count = pred_count_of(m);
    out_format(out, "\nactive proctype t%u() ", thread);
    print_comment(out, trace_name(t, t->tables.tasks.at[of->task].name));
    out_text(out, "\n{\n");
    for (uint32_t i = 0; i < of->count; i++) {
        const struct step *s = &of->steps[i];
        if (is_asked_at(of, i)) {
            out_format(out, "  g%u_%u == 0;\n", thread, i);
        }
        if (s->kind == STEP_ACCESS) {
            out_format(out, "  last = %u;", code_of(thread, s->which, s->is_write));
        } else if (s->kind == STEP_POINT) {
            print_point(m, s, out);
        } else if (m->locks[s->lock].is_version) {
            print_version(thread, s, out);
        } else {
            print_lock(s, out);
        }
        if (is_waited_for(m, thread, i + 1, pred_count)) {
            out_format(out, " at%u = %u;", thread, i + 1);
        }
        out_char(out, ' ');
        print_comment(out, trace_name(t, trace_at(t, s->event)->location));
        out_char(out, '\n');
    }
    out_text(out, "}\n");
}

static void print_claim(const struct claim *c, size_t number, struct out *out)
{
    out_format(out, "ltl c%zu { !", number);
    for (uint32_t i = 0; i < c->access_count; i++) {
        const struct violation_access *a = &c->accesses[i];
        out_format(out, "%s<>(last == %u", i == 0 ? "(" : " && ",
                   code_of(c->threads[a->thread - 1], a->which, a->is_write));
    }
    for (uint32_t i = 0; i < c->access_count; i++) {
        out_char(out, ')');
    }
    out_text(out, ") } ");
    print_comment(out, violation_key(c->pattern));
    out_char(out, '\n');
}

void promela_print(const struct model *m, const claim_list *claims, struct out *out)
{
    const struct variables *v = &m->frame->variables;
    out_text(out, "/* An access sets last to 4 * thread + 2 (for the second variable) + 1 (for a "
                  "write) + 1. */\nshort last;\n");
    for (int which = 0; which < 2; which++) {
        if (m->variables[which] != VARIABLE_NONE) {
            print_comment(out, names_text(&v->classes, v->list.at[m->variables[which]].class));
            out_char(out, '\n');
        }
    }
    for (uint32_t i = 0; i < m->lock_count; i++) {
        out_format(out, "byte l%u, s%u; ", i, i);
        print_comment(out, trace_name(m->frame->trace, m->locks[i].name));
        out_char(out, '\n');
    }
    for (uint32_t i = 0; i < m->thread_count; i++) {
        print_flags(&m->threads[i], i, out);
    }
    for (uint32_t i = 0; i < m->thread_count; i++) {
        out_format(out, "int at%u;\n", i);
    }
    for (uint32_t i = 0; i < m->thread_count; i++) {
        print_thread(m, i, out);
    }
    out_char(out, '\n');
    for (size_t i = 0; i < claims->count; i++) {
        print_claim(&claims->at[i], i, out);
    }
}

/* ---- as a format ---- */

struct promela_writer {
    struct writer base;
    VEC(struct event) events;
};

static int promela_write(struct writer *w, const struct event *events, size_t count, struct err *e)
{
    (void)e;
    struct promela_writer *p = (struct promela_writer *)w;
    for (size_t i = 0; i < count; i++) {
        vec_push(&p->events, events[i]);
    }
    return 0;
}

/* The pair that correlates best; false when there is none. */
static bool choose_pair(const struct frame *f, struct pairing *chosen)
{
    const struct variables *v = &f->variables;
    struct pairings p;
    struct correlation *c = correlation_new();
    struct correlated_list ranked = {0};
    bool is_found = false;
    pairings_build(&p, f->trace, v, NULL);
    correlation_add_pairings(c, v, &p, NULL);
    correlation_rank(c, &ranked);
    for (size_t i = 0; ranked.list.count > 0 && i < p.list.count && !is_found; i++) {
        const char *x = names_text(&v->classes, v->list.at[p.list.at[i].x].class);
        const char *y = names_text(&v->classes, v->list.at[p.list.at[i].y].class);
        const struct correlated *best = &ranked.list.at[0];
        is_found = (strcmp(x, best->x) == 0 && strcmp(y, best->y) == 0) ||
                   (strcmp(x, best->y) == 0 && strcmp(y, best->x) == 0);
        *chosen = p.list.at[i];
    }
    vec_release(&ranked.list);
    correlation_free(c);
    pairings_release(&p);
    return is_found;
}

static void print_best(const struct frame *f, struct writer *w)
{
    struct pairing pair = {.x = VARIABLE_NONE, .y = VARIABLE_NONE};
    if (!choose_pair(f, &pair)) {
        pair = (struct pairing){.x = VARIABLE_NONE, .y = VARIABLE_NONE};
        for (uint32_t i = (uint32_t)f->variables.list.count; i-- > 0;) {
            pair.x = variable_is_shared(&f->variables.list.at[i]) ? i : pair.x;
        }
    }
    if (pair.x == VARIABLE_NONE) {
        notes_add(w->notes, "", "no variable is shared: there is nothing to model");
        out_text(&w->out, "/* no variable is shared */\n");
        return;
    }
    struct sketch sketch;
    struct model m;
    claim_list claims = {0};
    sketch_build(&sketch, f, pair.x, pair.y);
    model_build(&m, &sketch);
    promela_claims(&m, &claims);
    promela_print(&m, &claims, &w->out);
    vec_release(&claims);
    model_release(&m);
    sketch_release(&sketch);
}

static int promela_finish(struct writer *w, struct err *e)
{
    struct promela_writer *p = (struct promela_writer *)w;
    /* The tables are the reader's; only the events are ours. */
    struct trace t = {.tables = *w->tables};
    t.events.at = p->events.at;
    t.events.count = p->events.count;
    trace_seal(&t);
    struct frame f;
    if (frame_build(&f, &t, w->notes, e) < 0) {
        return -1;
    }
    print_best(&f, w);
    frame_release(&f);
    return 0;
}

static void promela_release(struct writer *w)
{
    vec_release(&((struct promela_writer *)w)->events);
}

static const struct writer_ops promela_ops = {
    .write = promela_write, .finish = promela_finish, .release = promela_release};

static struct writer *promela_create(struct out *out, const struct tables *t, struct notes *n)
{
    struct promela_writer *p = mem_zero(1, sizeof *p);
    p->base = (struct writer){.ops = &promela_ops, .tables = t, .notes = n, .out = *out};
    return &p->base;
}

const struct format format_promela = {
    .name = "promela",
    .ending = ".pml",
    .meaning = "a model of the most correlated pair of variables, the input of SPIN",
    .create = promela_create,
};
