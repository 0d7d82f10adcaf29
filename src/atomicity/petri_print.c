#include <stdio.h>
#include <string.h>

#include "atomicity/petri.h"

/* ---- DOT ---- */

enum { LABEL_MAX = 24 }; /* characters */

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static void print_dot_text(struct out *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            out_char(out, '\\');
        }
        out_char(out, (unsigned char)*text < ' ' ? '_' : *text);
    }
}

/* A label for a drawing: of a long text its end, by which names and paths differ; of a
 * path, whole parts. */
static void print_label(struct out *out, const char *text)
{
    size_t count = 0;
    for (const char *at = text; *at != '\0'; at++) {
        count += !is_inside_character(*at);
    }
    if (count > LABEL_MAX) {
        for (; count > LABEL_MAX - 1; text++) {
            count -= !is_inside_character(text[1]);
        }
        const char *part = strchr(text, '/');
        text = part != NULL && part[1] != '\0' ? part : text;
        out_text(out, "\xe2\x80\xa6");
    }
    print_dot_text(out, text);
}

/* The same behind the first word, which is kept: "R ...name". */
static void print_label_behind_word(struct out *out, const char *text)
{
    const char *blank = strchr(text, ' ');
    for (; blank != NULL && text <= blank; text++) {
        out_char(out, *text);
    }
    print_label(out, text);
}

static void print_tokens(struct out *out, uint32_t tokens)
{
    if (tokens > 0 && tokens < 4) {
        for (uint32_t i = 0; i < tokens; i++) {
            out_text(out, "\xe2\x80\xa2");
        }
    } else if (tokens > 0) {
        out_format(out, "%u", tokens);
    }
}

/* The shape of places of a kind, and the prefix of their names. */
static const struct {
    const char *shape, *before;
} looks[] = {
    [NET_STEP] = {"shape=circle, width=0.3, fixedsize=true", ""},
    [NET_VARIABLE] = {"shape=ellipse, style=bold", ""},
    [NET_LOCK] = {"shape=ellipse, style=filled, fillcolor=lightgoldenrod1", "lock "},
    [NET_ORDER] = {"shape=circle, width=0.15, fixedsize=true, color=gray50", ""},
    [NET_VERSION] = {"shape=ellipse, style=filled, fillcolor=lightblue", "version of "},
    [NET_ASK] = {"shape=circle, width=0.25, fixedsize=true, color=steelblue", ""},
};

static void print_dot_place(const struct net *n, size_t index, struct out *out)
{
    const struct net_place *p = &n->places.at[index];
    const bool has_name = p->kind == NET_VARIABLE || p->kind == NET_LOCK || p->kind == NET_VERSION;
    out_format(out, "p%zu [%s, label=\"", index, looks[p->kind].shape);
    if (has_name) {
        out_text(out, looks[p->kind].before);
        print_label(out, p->name);
        out_text(out, p->tokens > 0 ? "\\n" : "");
    }
    print_tokens(out, p->tokens);
    out_text(out, "\", tooltip=\"");
    print_dot_text(out, p->name);
    out_text(out, "\"];\n");
}

/* Of a resource only the verb: its template says no more than its name. */
static void print_where(struct out *out, const char *where)
{
    const char *template = strstr(where, " /");
    for (; template != NULL && where < template; where++) {
        out_char(out, *where);
    }
    if (template == NULL) {
        print_label(out, where);
    }
}

static void print_dot_transition(const struct net *n, size_t index, struct out *out)
{
    const struct net_transition *t = &n->transitions.at[index];
    out_format(out, "    t%zu [shape=box%s, label=\"", index,
               t->is_non_atomic ? ", style=filled, fillcolor=mistyrose" : "");
    print_label_behind_word(out, t->name);
    if (t->where[0] != '\0') {
        out_text(out, "\\n");
        print_where(out, t->where);
    }
    out_text(out, t->is_non_atomic ? "\\nNonAtomic" : "");
    out_text(out, "\", tooltip=\"");
    print_dot_text(out, t->name);
    out_text(out, t->where[0] == '\0' ? "" : " at ");
    print_dot_text(out, t->where);
    out_text(out, "\"];\n");
}

/* The line of a task, in a frame of its own. */
static void print_dot_task(const struct net *n, uint32_t task, struct out *out)
{
    out_format(out, "  subgraph cluster_%u {\n    style=dotted; label=\"", task);
    print_label(out, n->tasks.at[task]);
    out_text(out, "\"; tooltip=\"");
    print_dot_text(out, n->tasks.at[task]);
    out_text(out, "\";\n");
    for (size_t i = 0; i < n->places.count; i++) {
        if (n->places.at[i].kind == NET_STEP && n->places.at[i].task == task) {
            out_text(out, "    ");
            print_dot_place(n, i, out);
        }
    }
    for (size_t i = 0; i < n->transitions.count; i++) {
        const struct net_transition *t = &n->transitions.at[i];
        if (t->task == task) {
            print_dot_transition(n, i, out);
            out_format(out, "    p%u -> t%zu;\n    t%zu -> p%u;\n", t->from, i, i, t->to);
        }
    }
    out_text(out, "  }\n");
}

/* Whether the arc's transition returns the token that it takes here. */
static bool is_both_ways(const struct net *n, size_t index)
{
    const struct net_arc *a = &n->arcs.at[index];
    return a->kind == NET_TAKES && index + 1 < n->arcs.count &&
           n->arcs.at[index + 1].transition == a->transition &&
           n->arcs.at[index + 1].place == a->place && n->arcs.at[index + 1].kind == NET_GIVES;
}

static void print_dot_arc(const struct net_arc *a, bool is_both_ways, struct out *out)
{
    const bool gives = a->kind == NET_GIVES;
    if (gives) {
        out_format(out, "  t%u -> p%u", a->transition, a->place);
    } else {
        out_format(out, "  p%u -> t%u", a->place, a->transition);
    }
    out_text(out, a->kind == NET_TESTS ? " [dir=none, style=dashed" : " [color=gray40");
    out_text(out, is_both_ways ? ", dir=both" : "");
    if (a->weight > 1) {
        out_format(out, ", label=\"%u\"", a->weight);
    }
    out_text(out, "];\n");
}

void net_print_dot(const struct net *n, struct out *out)
{
    out_text(out, "digraph net {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=10];\n"
                  "  graph [fontname=\"sans-serif\", fontsize=10];\n");
    for (uint32_t task = 0; task < n->tasks.count; task++) {
        print_dot_task(n, task, out);
    }
    for (size_t i = 0; i < n->places.count; i++) {
        if (n->places.at[i].kind != NET_STEP) {
            out_text(out, "  ");
            print_dot_place(n, i, out);
        }
    }
    for (size_t i = 0; i < n->arcs.count; i++) {
        const bool goes_both_ways = is_both_ways(n, i);
        print_dot_arc(&n->arcs.at[i], goes_both_ways, out);
        i += goes_both_ways;
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

static void print_name(struct out *out, const char *before, const char *name, const char *more)
{
    out_text(out, "<name><text>");
    print_xml_text(out, before);
    print_xml_text(out, name);
    print_xml_text(out, more);
    out_text(out, "</text></name>");
}

/* One arc, from the place to the transition or back. */
struct pnml_arc {
    uint32_t transition, place, weight;
    bool is_back, is_test;
};

static void print_arc(struct out *out, size_t *number, struct pnml_arc a)
{
    out_format(out, "    <arc id=\"a%zu\" source=\"%c%u\" target=\"%c%u\"", (*number)++,
               a.is_back ? 't' : 'p', a.is_back ? a.transition : a.place, a.is_back ? 'p' : 't',
               a.is_back ? a.place : a.transition);
    if (a.weight == 1 && !a.is_test) {
        out_text(out, "/>\n");
        return;
    }
    out_char(out, '>');
    if (a.weight > 1) {
        out_format(out, "<inscription><text>%u</text></inscription>", a.weight);
    }
    if (a.is_test) {
        out_text(out, "<toolspecific tool=\"clew\" version=\"1\"><test/></toolspecific>");
    }
    out_text(out, "</arc>\n");
}

static void print_arcs(const struct net_arc *a, size_t *number, struct out *out)
{
    struct pnml_arc arc = {.transition = a->transition,
                           .place = a->place,
                           .weight = a->weight,
                           .is_test = a->kind == NET_TESTS};
    if (a->kind != NET_GIVES) {
        print_arc(out, number, arc);
    }
    if (a->kind != NET_TAKES) {
        arc.is_back = true;
        print_arc(out, number, arc);
    }
}

static void print_transition(const struct net *n, uint32_t index, size_t *number, struct out *out)
{
    const struct net_transition *t = &n->transitions.at[index];
    out_format(out, "    <transition id=\"t%u\">", index);
    print_name(out, "", t->name, t->is_non_atomic ? " (NonAtomic)" : "");
    out_text(out, "</transition>\n");
    print_arc(out, number, (struct pnml_arc){.transition = index, .place = t->from, .weight = 1});
    print_arc(out, number,
              (struct pnml_arc){.transition = index, .place = t->to, .weight = 1, .is_back = true});
}

void net_print_pnml(const struct net *n, struct out *out)
{
    out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
                  "<net id=\"clew\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n"
                  "  <page id=\"page\">\n");
    for (size_t i = 0; i < n->places.count; i++) {
        const struct net_place *p = &n->places.at[i];
        out_format(out, "    <place id=\"p%zu\">", i);
        print_name(out, looks[p->kind].before, p->name, "");
        if (p->tokens > 0) {
            out_format(out, "<initialMarking><text>%u</text></initialMarking>", p->tokens);
        }
        out_text(out, "</place>\n");
    }
    size_t number = 0;
    for (uint32_t i = 0; i < n->transitions.count; i++) {
        print_transition(n, i, &number, out);
    }
    vec_each (&n->arcs, arc) {
        print_arcs(arc, &number, out);
    }
    out_text(out, "  </page>\n</net>\n</pnml>\n");
}
