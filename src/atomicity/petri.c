#include "atomicity/petri.h"

#include <stdio.h>
#include <string.h>

#include "atomicity/frame.h"
#include "base/map.h"
#include "base/names.h"
#include "wire/kind.h"

void net_release(struct net *n)
{
    vec_release(&n->places);
    vec_release(&n->transitions);
    arena_release(&n->arena);
}

/* ---- building ---- */

/* A net in the making: which place is whose. */
struct build {
    struct net *net;
    struct names shared;     /* names of variables, ... */
    VEC(uint32_t) shared_at; /* ... and by their numbers, their places */
    struct names tasks;
    VEC(uint32_t) task_at; /* by number: where each task stands */
    VEC(uint32_t) step;    /* by number: how many transitions it has */
};

/* One access on its way into a net. */
struct act {
    const char *task, *variable, *location;
    bool is_read, is_write;
    bool is_non_atomic;
};

static const char *joined(struct arena *a, const char *one, const char *between, const char *other)
{
    const size_t size = strlen(one) + strlen(between) + strlen(other) + 1;
    char *text = arena_array(a, char, size);
    (void)snprintf(text, size, "%s%s%s", one, between, other);
    return text;
}

static uint32_t place_new(struct build *b, struct net_place place)
{
    vec_push(&b->net->places, place);
    return (uint32_t)b->net->places.count - 1;
}

static uint32_t variable_place(struct build *b, const char *name)
{
    const uint32_t number = names_intern_text(&b->shared, name);
    while (b->shared_at.count <= number) {
        vec_push(&b->shared_at, UINT32_MAX);
    }
    if (b->shared_at.at[number] == UINT32_MAX) {
        b->shared_at.at[number] =
            place_new(b, (struct net_place){.name = arena_text(&b->net->arena, name, strlen(name)),
                                            .is_shared = true,
                                            .is_marked = true});
    }
    return b->shared_at.at[number];
}

/* The next place on the line of a task. */
static uint32_t task_place(struct build *b, const char *task, uint32_t number, bool is_first)
{
    char step[16];
    (void)snprintf(step, sizeof step, "%u", b->step.at[number]++);
    return place_new(b, (struct net_place){.name = joined(&b->net->arena, task, ".", step),
                                           .is_marked = is_first});
}

static uint32_t task_number(struct build *b, const char *task)
{
    const uint32_t number = names_intern_text(&b->tasks, task);
    while (b->task_at.count <= number) {
        vec_push(&b->task_at, UINT32_MAX);
        vec_push(&b->step, 0);
    }
    if (b->task_at.at[number] == UINT32_MAX) {
        b->task_at.at[number] = task_place(b, task, number, true);
    }
    return number;
}

static void add_act(struct build *b, const struct act *a)
{
    struct arena *arena = &b->net->arena;
    const uint32_t task = task_number(b, a->task);
    const uint32_t from = b->task_at.at[task];
    const uint32_t variable = variable_place(b, a->variable);
    b->task_at.at[task] = task_place(b, a->task, task, false);
    const char *verb = a->is_read && a->is_write ? "R-W " : a->is_write ? "W " : "R ";
    vec_push(&b->net->transitions,
             (struct net_transition){
                 .name = joined(arena, verb, "", a->variable),
                 .where = joined(arena, a->task, a->location[0] == '\0' ? "" : " at ", a->location),
                 .is_non_atomic = a->is_non_atomic,
                 .from = from,
                 .to = b->task_at.at[task],
                 .variable = variable,
                 .is_write = a->is_write,
             });
}

static void build_begin(struct build *b, struct net *n)
{
    *b = (struct build){.net = n};
    names_init(&b->shared);
    names_init(&b->tasks);
}

static void build_end(struct build *b)
{
    names_release(&b->shared);
    names_release(&b->tasks);
    vec_release(&b->shared_at);
    vec_release(&b->task_at);
    vec_release(&b->step);
}

void net_of_finding(struct net *n, const struct finding *finding)
{
    struct build b;
    build_begin(&b, n);
    for (size_t i = 0; i < finding->event_count; i++) {
        const struct finding_event *e = &finding->events[i];
        const bool is_write = strcmp(e->access, "W") == 0;
        const bool is_read = strcmp(e->access, "R") == 0;
        if (is_write || is_read) {
            const char *task =
                e->node[0] == '\0' ? e->task : joined(&n->arena, e->task, "@", e->node);
            add_act(&b, &(struct act){
                            .task = task,
                            .variable = e->object,
                            .location = e->location,
                            .is_read = is_read,
                            .is_write = is_write,
                            .is_non_atomic = strcmp(e->task, finding->events[0].task) == 0,
                        });
        }
    }
    build_end(&b);
}

/* ---- a whole trace ---- */

static const char *task_text(struct arena *a, const struct trace *t, uint32_t number)
{
    const struct task *task = &t->tables.tasks.at[number];
    const char *name = trace_name(t, task->name);
    const char *node = trace_name(t, task->node);
    return node[0] == '\0' ? name : joined(a, name, "@", node);
}

/* Whether some lock is held without a break from one event of a task to another. */
static bool is_covered(const struct frame *f, uint32_t task, event_id first, event_id last)
{
    struct held held = {0};
    bool is_covered = false;
    uint32_t i = f->first[task];
    for (; i < f->first[task + 1] && f->marks[i].event <= first; i++) {
        held_pass(&held, &f->marks[i]);
    }
    for (; i < f->first[task + 1] && f->marks[i].event < last; i++) {
        if (f->marks[i].kind == MARK_UNLOCK) {
            held_pass(&held, &f->marks[i]);
        }
    }
    is_covered = held.sections.count > 0;
    vec_release(&held.sections);
    return is_covered;
}

/* Memory counts when it is shared, resources always. */
static bool counts(const struct frame *f, const struct access *a)
{
    const struct variable *v = &f->variables.list.at[a->variable];
    return variable_is_shared(v) || variable_is_resource(trace_name(f->trace, v->name));
}

/* The next access of the task that counts, ACCESS_NONE at the end. */
static uint32_t next_of_task(const struct frame *f, uint32_t number)
{
    const struct variables *v = &f->variables;
    const uint32_t task = v->accesses.at[number].task;
    for (uint32_t i = number + 1; i < v->accesses.count; i++) {
        const struct access *a = &v->accesses.at[i];
        if (a->task == task && counts(f, a)) {
            return i;
        }
    }
    return ACCESS_NONE;
}

static void add_accesses(struct build *b, const struct frame *f, size_t max)
{
    const struct variables *v = &f->variables;
    const struct trace *t = f->trace;
    uint32_t fused = ACCESS_NONE;
    struct map is_fused = {0};
    for (uint32_t i = 0; i < v->accesses.count && b->net->transitions.count <= max; i++) {
        const struct access *a = &v->accesses.at[i];
        if (!counts(f, a) || map_get(&is_fused, i) != NULL) {
            continue;
        }
        fused = a->is_write ? ACCESS_NONE : next_of_task(f, i);
        const bool is_fused_here = fused != ACCESS_NONE && v->accesses.at[fused].is_write &&
                                   v->accesses.at[fused].variable == a->variable;
        const struct access *last = is_fused_here ? &v->accesses.at[fused] : a;
        if (is_fused_here) {
            map_put(&is_fused, fused, 1);
        }
        const struct event *e = trace_at(t, a->event);
        add_act(b, &(struct act){
                       .task = task_text(&b->net->arena, t, a->task),
                       .variable = trace_name(t, e->object),
                       .location = trace_name(t, e->location),
                       .is_read = !a->is_write,
                       .is_write = last->is_write,
                       .is_non_atomic = is_fused_here && !last->is_conditional &&
                                        !is_covered(f, a->task, a->event, last->event),
                   });
    }
    map_release(&is_fused);
}

bool net_of_trace(struct net *n, const struct trace *t, size_t transition_max, struct notes *notes,
                  struct err *e)
{
    struct frame f;
    struct build b;
    if (frame_build(&f, t, notes, e) < 0) {
        return false;
    }
    build_begin(&b, n);
    add_accesses(&b, &f, transition_max);
    build_end(&b);
    frame_release(&f);
    return n->transitions.count <= transition_max;
}

/* ---- DOT ---- */

static void print_dot_text(struct out *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            out_char(out, '\\');
        }
        out_char(out, (unsigned char)*text < ' ' ? '_' : *text);
    }
}

void net_print_dot(const struct net *n, struct out *out)
{
    out_text(out, "digraph net {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=10];\n");
    for (size_t i = 0; i < n->places.count; i++) {
        const struct net_place *p = &n->places.at[i];
        out_format(out, "  p%zu [shape=%s, label=\"", i,
                   p->is_shared ? "ellipse, style=bold" : "circle");
        print_dot_text(out, p->name);
        out_text(out, p->is_marked ? " \xe2\x80\xa2\"];\n" : "\"];\n");
    }
    for (size_t i = 0; i < n->transitions.count; i++) {
        const struct net_transition *t = &n->transitions.at[i];
        out_format(out, "  t%zu [shape=box%s, label=\"", i,
                   t->is_non_atomic ? ", style=filled, fillcolor=mistyrose" : "");
        print_dot_text(out, t->name);
        out_text(out, "\\n");
        print_dot_text(out, t->where);
        out_text(out, t->is_non_atomic ? "\\nNonAtomic\"];\n" : "\"];\n");
        out_format(out, "  p%u -> t%zu;\n  t%zu -> p%u;\n", t->from, i, i, t->to);
        if (t->is_write) {
            out_format(out, "  p%u -> t%zu [dir=both];\n", t->variable, i);
        } else {
            out_format(out, "  p%u -> t%zu [style=dashed, arrowhead=odot];\n", t->variable, i);
        }
    }
    out_text(out, "}\n");
}

/* ---- PNML ---- */

static void print_xml_text(struct out *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<': out_text(out, "&lt;"); break;
        case '>': out_text(out, "&gt;"); break;
        case '&': out_text(out, "&amp;"); break;
        default: out_char(out, (unsigned char)*text < ' ' ? '_' : *text);
        }
    }
}

static void print_name(struct out *out, const char *name, const char *more)
{
    out_text(out, "<name><text>");
    print_xml_text(out, name);
    print_xml_text(out, more);
    out_text(out, "</text></name>");
}

static void print_arc(struct out *out, size_t *number, const char *source, const char *target)
{
    out_format(out, "    <arc id=\"a%zu\" source=\"%s\" target=\"%s\"/>\n", (*number)++, source,
               target);
}

static void print_arcs(const struct net_transition *t, size_t index, size_t *number,
                       struct out *out)
{
    char transition[24], from[24], to[24], variable[24];
    (void)snprintf(transition, sizeof transition, "t%zu", index);
    (void)snprintf(from, sizeof from, "p%u", t->from);
    (void)snprintf(to, sizeof to, "p%u", t->to);
    (void)snprintf(variable, sizeof variable, "p%u", t->variable);
    print_arc(out, number, from, transition);
    print_arc(out, number, transition, to);
    if (t->is_write) {
        print_arc(out, number, variable, transition);
        print_arc(out, number, transition, variable);
    } else {
        out_format(out,
                   "    <arc id=\"a%zu\" source=\"%s\" target=\"%s\"><type value=\"test\"/>"
                   "</arc>\n",
                   (*number)++, variable, transition);
    }
}

void net_print_pnml(const struct net *n, struct out *out)
{
    out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
                  "<net id=\"clew\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n"
                  "  <page id=\"page\">\n");
    for (size_t i = 0; i < n->places.count; i++) {
        out_format(out, "    <place id=\"p%zu\">", i);
        print_name(out, n->places.at[i].name, "");
        out_text(out, n->places.at[i].is_marked
                          ? "<initialMarking><text>1</text></initialMarking></place>\n"
                          : "</place>\n");
    }
    size_t arc = 0;
    for (size_t i = 0; i < n->transitions.count; i++) {
        const struct net_transition *t = &n->transitions.at[i];
        out_format(out, "    <transition id=\"t%zu\">", i);
        print_name(out, t->name, t->is_non_atomic ? " (NonAtomic)" : "");
        out_text(out, "</transition>\n");
        print_arcs(t, i, &arc, out);
    }
    out_text(out, "  </page>\n</net>\n</pnml>\n");
}
