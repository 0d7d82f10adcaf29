#include "place/loop_rounds.h"

#include <dwarf.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/mem.h"
#include "base/sort.h"
#include "place/debug_types.h"
#include "place/instructions.h"
#include "wire/must.h"

/* Values of `inlined`: the instruction is in no inlined call, or outside of the function. */
#define OWN 0
#define OUTSIDE UINT32_MAX

/* Where an instruction stands in the function's source. */
struct spot {
    uint32_t line, column; /* of an inlined call: where it is called; 0: not known */
    uint32_t inlined;      /* the outermost call inlined there, from 1; OWN or OUTSIDE */
    uint32_t loop;         /* the loop that it begins a round of, from 1; 0: none */
    uint32_t inside;       /* the loop that it is in, from 1; 0: none */
};

/* A call that may be one of several that the compiler made of one call of the source. */
struct copy {
    uint32_t instruction; /* of an inlined call: the first of its calls and branches */
    uint32_t line, column;
    uint64_t called; /* 0: inlined */
};

struct rounds {
    struct instructions code;
    Dwarf_Die scope; /* the function, or the function inlined into it */
    bool is_system;
    uint32_t loop_count;
    struct spot *spots; /* per instruction */
    VEC(struct copy) copies;
    struct map known; /* two instructions: 1 divided, 2 not */
    struct map led;   /* two instructions: 1 the code leads from one to the other, 2 not */
    struct arena arena;
};

/* ---- the source ---- */

static bool is_of_system(Dwarf_Die *function)
{
    const char *file = dwarf_decl_file(function);
    return file != NULL && frame_is_system_header(file);
}

/* Counts the functions at the address that are the program's own. The one at `depth`, from the
 * outermost on, goes to *found; NULL: none is wanted. */
static uint32_t find_functions(const struct rounds *r, uint64_t address, uint32_t depth,
                               Dwarf_Die *found)
{
    Dwarf_Die *scopes = NULL;
    Dwarf_Die unit = r->code.unit;
    const int count = places_scopes(&unit, address - r->code.bias, &scopes);
    uint32_t functions = 0;
    int end = 0; /* index of the function; the scopes beyond only enclose its source */
    while (end < count && dwarf_tag(&scopes[end]) != DW_TAG_subprogram) {
        end++;
    }
    for (int i = end < count ? end + 1 : count; i-- > 0;) {
        const int tag = dwarf_tag(&scopes[i]);
        if ((tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) ||
            is_of_system(&scopes[i])) {
            continue;
        }
        if (functions++ == depth && found != NULL) {
            *found = scopes[i];
        }
    }
    mem_free(scopes);
    return functions;
}

/* Calls a function for the instructions of a scope. */
static void each_of_scope(struct rounds *r, Dwarf_Die *scope, const struct spot *spot)
{
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(scope, at, &base, &begin, &end)) > 0;) {
        uint32_t i = instructions_find(&r->code, begin + r->code.bias);
        for (; i < r->code.list.count && r->code.list.at[i].address < end + r->code.bias; i++) {
            r->spots[i] = *spot;
        }
    }
}

static uint32_t number_of(Dwarf_Die *die, unsigned attribute)
{
    uint64_t number = 0;
    return type_number(die, attribute, &number) ? (uint32_t)number : 0;
}

/* The calls that were inlined into a scope, but for those inlined into them. */
static void place_inlined(struct rounds *r, Dwarf_Die *scope, uint32_t *count)
{
    Dwarf_Die child;
    if (dwarf_child(scope, &child) != 0) {
        return;
    }
    do {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_lexical_block) {
            place_inlined(r, &child, count);
        } else if (tag == DW_TAG_inlined_subroutine) {
            const struct spot spot = {.line = number_of(&child, DW_AT_call_line),
                                      .column = number_of(&child, DW_AT_call_column),
                                      .inlined = ++*count};
            each_of_scope(r, &child, &spot);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void place_own(struct rounds *r, uint32_t i)
{
    struct spot *spot = &r->spots[i];
    Dwarf_Line *found = dwarf_getsrc_die(&r->code.unit, r->code.list.at[i].address - r->code.bias);
    int line = 0;
    int column = 0;
    if (spot->inlined == OWN && found != NULL && dwarf_lineno(found, &line) == 0 &&
        dwarf_linecol(found, &column) == 0) {
        spot->line = (uint32_t)line;
        spot->column = (uint32_t)column;
    }
}

static void place_all(struct rounds *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->code.list.count; i++) {
        r->spots[i].inlined = OUTSIDE;
    }
    each_of_scope(r, &r->scope, &(struct spot){.inlined = OWN});
    place_inlined(r, &r->scope, &count);
    for (uint32_t i = 0; i < r->code.list.count; i++) {
        place_own(r, i);
    }
}

/* ---- loops: strongly connected components (Tarjan, SIAM J. Comput. 1, 1972), without recursion
 * ---- */

struct visit {
    uint32_t instruction;
    uint32_t edge; /* the next successor to look at */
};

struct search {
    const struct rounds *r;
    const uint32_t *back;   /* per instruction: a copy of it that comes before; NULL: none have */
    uint32_t *number, *low; /* from 1; 0: not visited */
    uint32_t *component;    /* from 1 */
    uint32_t visited, component_count;
    VEC(struct visit) path;
    VEC(uint32_t) open;
};

/* The successor with this number; INSTRUCTION_NONE: it is not known, or the function is entered or
 * left there. After the last, *is_over. */
static uint32_t successor(const struct rounds *r, uint32_t i, uint32_t edge, bool *is_over)
{
    const struct instruction *one = &r->code.list.at[i];
    *is_over = edge > one->target_count;
    if (*is_over) {
        return INSTRUCTION_NONE;
    }
    must(edge == 0 || one->target_first + edge <= r->code.targets.count);
    const uint32_t next = edge == 0 ? one->next : r->code.targets.at[one->target_first + edge - 1];
    const bool crosses = next != INSTRUCTION_NONE &&
                         (r->spots[i].inlined == OUTSIDE) != (r->spots[next].inlined == OUTSIDE);
    return crosses ? INSTRUCTION_NONE : next;
}

static void enter(struct search *s, uint32_t i)
{
    must(i < s->r->code.list.count);
    must(s->number[i] == 0);
    s->number[i] = s->low[i] = ++s->visited;
    vec_push(&s->open, i);
    vec_push(&s->path, (struct visit){.instruction = i});
}

static void close_component(struct search *s, uint32_t i)
{
    uint32_t member = INSTRUCTION_NONE;
    s->component_count++;
    while (member != i) {
        must(s->open.count > 0);
        member = vec_pop(&s->open);
        s->component[member] = s->component_count;
    }
}

static void leave(struct search *s)
{
    must(s->path.count > 0);
    const uint32_t i = vec_pop(&s->path).instruction;
    must(s->low[i] <= s->number[i]);
    if (s->low[i] == s->number[i]) {
        close_component(s, i);
    }
    if (s->path.count > 0) {
        const uint32_t parent = vec_last(&s->path)->instruction;
        s->low[parent] = s->low[i] < s->low[parent] ? s->low[i] : s->low[parent];
    }
}

static void search_from(struct search *s, uint32_t root)
{
    enter(s, root);
    while (s->path.count > 0) {
        struct visit *v = vec_last(&s->path);
        bool is_over = false;
        const uint32_t i = v->instruction;
        uint32_t next = successor(s->r, i, v->edge, &is_over);
        if (is_over && v->edge == s->r->code.list.at[i].target_count + 1) {
            next = s->back == NULL ? INSTRUCTION_NONE
                                   : s->back[i]; /* one more: the round that was unrolled */
            is_over = false;
        }
        v->edge++;
        if (is_over) {
            leave(s);
        } else if (next != INSTRUCTION_NONE && s->number[next] == 0) {
            enter(s, next);
        } else if (next != INSTRUCTION_NONE && s->component[next] == 0) {
            s->low[i] = s->number[next] < s->low[i] ? s->number[next] : s->low[i];
        }
    }
}

/* ---- beginnings of rounds ---- */

/* Calls and branches stay where the source has them; the compiler moves everything else. */
static bool is_fixed(const struct rounds *r, uint32_t i)
{
    const enum instruction_kind kind = r->code.list.at[i].kind;
    return (kind == INSTRUCTION_CALL || kind == INSTRUCTION_BRANCH || kind == INSTRUCTION_SWITCH) &&
           r->spots[i].inlined != OUTSIDE;
}

/* ---- reachability ---- */

/* An instruction, and the loop whose first line the execution is in. */
struct state {
    uint32_t instruction, loop;
};

struct walk {
    struct rounds *r;
    bool stops; /* where a round begins */
    uint32_t from, to;
    struct bits seen;
    VEC(struct state) left;
    bool is_found;
};

/* Whether a loop is entered here whose test, if the compiler has left it one, does not come before.
 */
static bool is_entry(const struct rounds *r, struct state s, uint32_t next)
{
    const uint32_t inside = r->spots[next].inside;
    return inside != 0 && inside != r->spots[s.instruction].inside && inside != s.loop;
}

static void go_on(struct walk *w, struct state s)
{
    bool is_over = false;
    for (uint32_t edge = 0; !is_over; edge++) {
        const uint32_t next = successor(w->r, s.instruction, edge, &is_over);
        const size_t number = (size_t)next * (w->r->loop_count + 1) + s.loop;
        if (next != INSTRUCTION_NONE && !(w->stops && is_entry(w->r, s, next)) &&
            !bits_has(w->seen, number)) {
            must(s.loop <= w->r->loop_count);
            bits_add(w->seen, number);
            vec_push(&w->left, (struct state){next, s.loop});
        }
    }
}

/* Whether a call that begins rounds is the same as another in the source: then the loop was gone
 * through, though nothing else of it came between. */
static bool is_copy(const struct rounds *r, uint32_t from, uint32_t to)
{
    const struct spot *a = &r->spots[from];
    const struct spot *b = &r->spots[to];
    if (a->loop == 0 || a->loop != b->loop || a->line != b->line || a->column != b->column) {
        return false;
    }
    return a->inlined == OWN && b->inlined == OWN
               ? from == to || (r->code.list.at[from].called != 0 &&
                                r->code.list.at[from].called == r->code.list.at[to].called)
               : a->inlined != b->inlined;
}

static void visit(struct walk *w, struct state s)
{
    const struct spot *spot = &w->r->spots[s.instruction];
    if (w->stops && is_fixed(w->r, s.instruction)) {
        const bool is_again = spot->loop == s.loop && is_copy(w->r, w->from, s.instruction);
        if ((spot->loop != 0 && spot->loop != s.loop) || is_again) {
            return;
        }
        s.loop = spot->loop;
    }
    w->is_found |= s.instruction == w->to;
    go_on(w, s);
}

static bool may_follow(struct rounds *r, uint32_t from, uint32_t to, bool stops)
{
    struct arena scratch = {0};
    struct walk w = {.r = r, .stops = stops, .from = from, .to = to};
    w.seen = bits_take(&scratch, r->code.list.count * (r->loop_count + 1) + 1);
    go_on(&w, (struct state){from, stops ? r->spots[from].loop : 0});
    while (w.left.count > 0 && !w.is_found) {
        visit(&w, vec_pop(&w.left));
    }
    vec_release(&w.left);
    arena_release(&scratch);
    return w.is_found;
}

/* ---- copies of calls ---- */

enum { COPIES_MAX = 4096 }; /* of one function, that are compared with the one before */

static int compare_copies(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct copy *a = left;
    const struct copy *b = right;
    if (a->line != b->line) {
        return a->line < b->line ? -1 : 1;
    }
    if (a->column != b->column) {
        return a->column < b->column ? -1 : 1;
    }
    if (a->called != b->called) {
        return a->called < b->called ? -1 : 1;
    }
    return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

static void collect_copies(struct rounds *r, struct arena *scratch)
{
    struct bits seen = bits_take(scratch, r->code.list.count + 1);
    for (uint32_t i = 0; i < r->code.list.count; i++) {
        const struct spot *spot = &r->spots[i];
        const bool is_call = spot->inlined == OWN && r->code.list.at[i].called != 0;
        const bool is_first =
            spot->inlined != OWN && is_fixed(r, i) && !bits_has(seen, spot->inlined);
        if (is_first) {
            bits_add(seen, spot->inlined);
        }
        if (spot->line != 0 && (is_call || is_first)) {
            vec_push(&r->copies,
                     (struct copy){.instruction = i,
                                   .line = spot->line,
                                   .column = spot->column,
                                   .called = r->code.list.at[i].called * (spot->inlined == OWN)});
        }
    }
    sort_stable(r->copies.at, r->copies.count, sizeof *r->copies.at, compare_copies, NULL);
}

/* Of each instruction a copy that leads to it: a loop that was unrolled goes from the one to the
 * other. */
static const uint32_t *find_copies(struct rounds *r, struct arena *scratch)
{
    uint32_t *back = arena_array(scratch, uint32_t, r->code.list.count + 1);
    for (uint32_t i = 0; i < r->code.list.count; i++) {
        back[i] = INSTRUCTION_NONE;
    }
    collect_copies(r, scratch);
    for (size_t i = 1; i < r->copies.count && i < COPIES_MAX; i++) {
        const struct copy *a = &r->copies.at[i - 1];
        const struct copy *b = &r->copies.at[i];
        if (a->line != b->line || a->column != b->column || a->called != b->called) {
            continue;
        }
        if (may_follow(r, a->instruction, b->instruction, false)) {
            back[b->instruction] = a->instruction;
        } else if (may_follow(r, b->instruction, a->instruction, false)) {
            back[a->instruction] = b->instruction;
        }
    }
    return back;
}

/* A loop, described by its calls and branches. */
struct loop {
    bool is_cycle; /* more than one instruction, or one that follows itself */
    bool is_own;   /* not all in one inlined call */
    bool is_seen;
    uint32_t inlined; /* the call it would be in */
    uint32_t line, line_last;
    uint32_t column; /* the least of a call in `line` */
    uint32_t inner;  /* a loop of the code in it ... */
    bool is_nest;    /* ... and there is more than one */
    bool is_inner;   /* it is a copy of one in a loop that was unrolled */
    uint32_t member; /* one of its instructions */
};

static void add_to_loop(struct loop *l, const struct spot *spot, bool is_call)
{
    l->is_own |= spot->inlined == OWN || (l->is_seen && l->inlined != spot->inlined);
    l->inlined = spot->inlined;
    l->is_seen = true;
    if (spot->line == 0) {
        return;
    }
    if (l->line == 0 || spot->line < l->line) {
        l->line = spot->line;
        l->column = UINT32_MAX;
    }
    l->line_last = spot->line > l->line_last ? spot->line : l->line_last;
    if (spot->line == l->line && is_call && spot->column < l->column) {
        l->column = spot->column;
    }
}

/* Which of the components are cycles. */
static bool *find_cycles(const struct rounds *r, const struct search *s, struct arena *scratch)
{
    bool *is_cycle = arena_array(scratch, bool, s->component_count + 1);
    uint32_t *size = arena_array(scratch, uint32_t, s->component_count + 1);
    for (uint32_t i = 0; i < r->code.list.count; i++) {
        bool is_over = false;
        must(s->component[i] != 0);
        must(s->component[i] <= s->component_count);
        is_cycle[s->component[i]] |= size[s->component[i]]++ > 0;
        for (uint32_t edge = 0; !is_over; edge++) {
            is_cycle[s->component[i]] |= successor(r, i, edge, &is_over) == i;
        }
    }
    return is_cycle;
}

/* The loops of the source: from the cycles of the code, and from those with added edges for
 * unrolled rounds. An unrolled loop may have inner loops, a copy in each round: their lines do not
 * begin its rounds. */
static struct loop *describe_loops(struct rounds *r, const struct search *code,
                                   const struct search *source, struct arena *scratch)
{
    must(source->component_count <= code->component_count); /* further edges only join components */
    struct loop *loops = arena_array(scratch, struct loop, source->component_count + 1);
    const bool *is_cycle = find_cycles(r, source, scratch);
    const bool *is_inner = find_cycles(r, code, scratch);
    for (uint32_t i = 0; i < r->code.list.count; i++) {
        struct loop *l = &loops[source->component[i]];
        const uint32_t inner = code->component[i];
        l->is_cycle = is_cycle[source->component[i]];
        l->member = i;
        l->is_nest |= is_inner[inner] && l->inner != 0 && l->inner != inner;
        l->inner = is_inner[inner] ? inner : l->inner;
    }
    for (uint32_t i = 0; i < r->code.list.count; i++) {
        struct loop *l = &loops[source->component[i]];
        if (is_fixed(r, i) && !(l->is_nest && is_inner[code->component[i]])) {
            add_to_loop(l, &r->spots[i], r->code.list.at[i].kind == INSTRUCTION_CALL);
        }
    }
    return loops;
}

/* A round begins at a loop's first line; where all of the loop is one line, at its first call. The
 * same line before the loop is a copy of its test, and begins the first round. */
static bool begins(const struct loop *l, const struct spot *spot)
{
    return spot->line == l->line && (l->line != l->line_last || spot->column == l->column);
}

static struct search search_all(const struct rounds *r, const uint32_t *back, struct arena *scratch)
{
    const size_t count = r->code.list.count;
    struct search s = {.r = r,
                       .back = back,
                       .number = arena_array(scratch, uint32_t, count + 1),
                       .low = arena_array(scratch, uint32_t, count + 1),
                       .component = arena_array(scratch, uint32_t, count + 1)};
    for (uint32_t i = 0; i < count; i++) {
        if (s.number[i] == 0) {
            search_from(&s, i);
        }
    }
    must(s.visited == count);
    must(s.open.count == 0);
    must(s.component_count <= count);
    vec_release(&s.path);
    vec_release(&s.open);
    return s;
}

static bool is_looked_at(const struct loop *l)
{
    return l->is_cycle && l->is_own && l->line != 0;
}

/* Two loops of one line that follow each other are copies of an inner loop, and the loop around
 * them was unrolled: their rounds are not its rounds. (Copies of which one or the other runs are
 * versions of one loop.) */
static void leave_out_inner(struct rounds *r, struct loop *loops, uint32_t count)
{
    for (uint32_t a = 1; a <= count; a++) {
        for (uint32_t b = a + 1; is_looked_at(&loops[a]) && b <= count; b++) {
            if (is_looked_at(&loops[b]) && loops[a].line == loops[b].line &&
                (may_follow(r, loops[a].member, loops[b].member, false) ||
                 may_follow(r, loops[b].member, loops[a].member, false))) {
                loops[a].is_inner = loops[b].is_inner = true;
            }
        }
    }
}

static void find_loops(struct rounds *r)
{
    struct arena scratch = {0};
    const size_t count = r->code.list.count;
    const struct search code = search_all(r, NULL, &scratch);
    const struct search s = search_all(r, find_copies(r, &scratch), &scratch);
    struct loop *loops = describe_loops(r, &code, &s, &scratch);
    leave_out_inner(r, loops, s.component_count);
    const bool *is_cycle = find_cycles(r, &code, &scratch);
    for (uint32_t k = 1; k <= s.component_count; k++) {
        const struct loop *l = &loops[k];
        if (!is_looked_at(l) || l->is_inner) {
            continue;
        }
        r->loop_count++;
        must(r->loop_count <= count);
        for (uint32_t i = 0; i < count; i++) {
            r->spots[i].inside = s.component[i] == k ? r->loop_count : r->spots[i].inside;
            const bool is_inner = l->is_nest && is_cycle[code.component[i]];
            if (is_fixed(r, i) && !is_inner && r->spots[i].loop == 0 && begins(l, &r->spots[i])) {
                r->spots[i].loop = r->loop_count;
            }
        }
    }
    arena_release(&scratch);
}

/* ---- the contract ---- */

struct rounds *rounds_new(struct places *p, uint64_t position, uint32_t depth)
{
    struct rounds *r = mem_zero(1, sizeof *r);
    if (position == 0 || !instructions_read(&r->code, p, position - 1)) {
        mem_free(r);
        return NULL;
    }
    r->scope = r->code.function;
    r->is_system = find_functions(r, position - 1, depth, &r->scope) <= depth;
    must(r->code.list.count > 0);
    r->spots = arena_array(&r->arena, struct spot, r->code.list.count + 1);
    place_all(r);
    if (!r->code.is_partial) {
        find_loops(r);
    }
    return r;
}

void rounds_free(struct rounds *r)
{
    if (r != NULL) {
        instructions_release(&r->code);
        map_release(&r->known);
        map_release(&r->led);
        vec_release(&r->copies);
        arena_release(&r->arena);
        mem_free(r);
    }
}

bool rounds_is_system(const struct rounds *r)
{
    return r->is_system;
}

bool rounds_has(const struct rounds *r, uint64_t position)
{
    return position != 0 && instructions_find(&r->code, position - 1) != INSTRUCTION_NONE;
}

static const struct spot *spot_at(const struct rounds *r, uint64_t position)
{
    const uint32_t i = position == 0 ? INSTRUCTION_NONE : instructions_find(&r->code, position - 1);
    return i == INSTRUCTION_NONE || r->spots[i].inlined == OUTSIDE ? NULL : &r->spots[i];
}

bool rounds_covers(const struct rounds *r, uint64_t position)
{
    return spot_at(r, position) != NULL;
}

uint32_t rounds_depth(const struct rounds *r, uint64_t position)
{
    must(rounds_has(r, position));
    return find_functions(r, position - 1, 0, NULL);
}

uint32_t rounds_loop(const struct rounds *r, uint64_t position)
{
    const struct spot *spot = spot_at(r, position);
    must(spot == NULL || spot->inside <= r->loop_count);
    return spot == NULL ? 0 : spot->inside;
}

bool rounds_lead(struct rounds *r, uint64_t from, uint64_t to)
{
    const uint32_t a = instructions_find(&r->code, from - 1);
    const uint32_t b = instructions_find(&r->code, to - 1);
    must(a != INSTRUCTION_NONE);
    must(b != INSTRUCTION_NONE);
    bool is_new = false;
    uint32_t *led = map_slot(&r->led, map_pair(a, b), 0, &is_new);
    if (is_new) {
        *led = may_follow(r, a, b, false) ? 1 : 2;
    }
    return *led == 1;
}

/* If the graph has no path from the one to the other, an exception leads there, which the graph
 * does not show: nothing is known then. */
bool rounds_divide(struct rounds *r, uint64_t from, uint64_t to)
{
    const uint32_t a = instructions_find(&r->code, from - 1);
    const uint32_t b = instructions_find(&r->code, to - 1);
    must(a != INSTRUCTION_NONE);
    must(b != INSTRUCTION_NONE);
    if (r->loop_count == 0) {
        return false;
    }
    bool is_new = false;
    uint32_t *known = map_slot(&r->known, map_pair(a, b), 0, &is_new);
    if (is_new) {
        const bool is_divided = !may_follow(r, a, b, true) && may_follow(r, a, b, false);
        *known = is_divided ? 1 : 2;
    }
    return *known == 1;
}
