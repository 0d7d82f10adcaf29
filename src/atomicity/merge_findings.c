#include "atomicity/merge_findings.h"

#include <string.h>

#include "atomicity/shared_variable.h"
#include "base/map.h"
#include "base/names.h"
#include "base/sort.h"

/* Up to this number, findings about the blocks of one place are reported one by one. */
enum { BLOCK_FINDINGS_MAX = 4 };

struct fold {
    struct findings *f;
    uint32_t *parent;      /* per finding: another of its bug, at last the one that is kept */
    struct names marks;    /* properties that two findings of one bug share */
    struct map first_with; /* a mark to the first finding that has it */
    struct names classes;  /* of variables */
    struct arena scratch;
};

static uint32_t root_of(struct fold *o, uint32_t finding)
{
    while (o->parent[finding] != finding) {
        o->parent[finding] = o->parent[o->parent[finding]];
        finding = o->parent[finding];
    }
    return finding;
}

/* ---- which says most ---- */

/* How much a finding takes for granted, from 0. That two accesses to one variable in an operation
 * belong together is likely, and a lost update is a loss whatever they mean; that two variables
 * belong together is a guess from how close their accesses are. */
static uint32_t assumptions(const struct finding *f)
{
    if (f->kind == FINDING_ATOMICITY_REGION) {
        return 0;
    }
    if (f->kind == FINDING_ATOMICITY_SINGLE || f->kind == FINDING_LOST_UPDATE) {
        const char *pattern = strchr(f->key, '|');
        return pattern != NULL && strncmp(pattern, "|RWW|", 5) == 0 ? 1 : 2;
    }
    return f->kind == FINDING_ATOMICITY_PAIR ? 3 : 4;
}

static uint32_t count_writes(const struct finding *f)
{
    uint32_t count = 0;
    for (size_t i = 0; i < f->event_count; i++) {
        count += strcmp(f->events[i].access, "W") == 0;
    }
    return count;
}

static bool says_more(const struct fold *o, uint32_t one, uint32_t other)
{
    const struct finding *a = &o->f->list.at[one];
    const struct finding *b = &o->f->list.at[other];
    if (a->severity != b->severity) {
        return a->severity < b->severity;
    }
    if (a->grade != b->grade) {
        return a->grade == GRADE_SOUND;
    }
    if (assumptions(a) != assumptions(b)) {
        return assumptions(a) < assumptions(b);
    }
    const uint32_t writes = count_writes(a);
    const uint32_t writes_other = count_writes(b);
    return writes != writes_other ? writes > writes_other : one < other;
}

/* ---- which belong together ---- */

static void join(struct fold *o, uint32_t finding, const char *mark)
{
    const uint32_t number = names_intern_text(&o->marks, mark);
    bool is_new = false;
    const uint32_t with = *map_slot(&o->first_with, number, finding, &is_new);
    must(with < o->f->list.count);
    const uint32_t a = root_of(o, with);
    const uint32_t b = root_of(o, finding);
    o->parent[says_more(o, a, b) ? b : a] = says_more(o, a, b) ? a : b;
}

static const char *mark_of(struct fold *o, const char *kind, const char *one, const char *other)
{
    const bool is_in_order = strcmp(one, other) <= 0;
    return findings_text(o->f, "%s|%s|%s", kind, is_in_order ? one : other,
                         is_in_order ? other : one);
}

/* The last event of the task that is interrupted. */
static const struct finding_event *last_of_couple(const struct finding *f)
{
    const struct finding_event *first = &f->events[0];
    const struct finding_event *last = first;
    for (size_t i = 1; i < f->event_count; i++) {
        if (strcmp(f->events[i].task, first->task) == 0 &&
            strcmp(f->events[i].node, first->node) == 0) {
            last = &f->events[i];
        }
    }
    return last;
}

/* The class of a variable without indices: elements of an array mostly share their bugs. */
static const char *array_of(struct fold *o, const char *class)
{
    char *text = arena_array(&o->scratch, char, strlen(class) + 1);
    size_t used = 0;
    bool is_index = false;
    for (const char *c = class; *c != '\0'; c++) {
        is_index |= *c == '[';
        if (!is_index) {
            text[used++] = *c;
        }
        is_index &= *c != ']';
    }
    text[used] = '\0';
    return text;
}

/* "bank.c:42" of the class "bank.c:42+8", a part of the blocks of that place; NULL: it is none. */
static const char *block_of(struct fold *o, const struct finding_event *e)
{
    const char *mark = strrchr(e->object, '#');
    return mark == NULL ? NULL : arena_text(&o->scratch, e->object, (size_t)(mark - e->object));
}

/* Very many findings about the blocks of one place have one cause: how a block changes hands, which
 * the trace does not say, as where a program has an allocator of its own. */
static void join_by_blocks(struct fold *o)
{
    struct map count_of = {0};
    for (int is_joining = 0; is_joining < 2; is_joining++) {
        for (uint32_t i = 0; i < o->f->list.count; i++) {
            const struct finding *f = &o->f->list.at[i];
            const char *block = f->kind == FINDING_ATOMICITY_REGION || f->event_count == 0
                                    ? NULL
                                    : block_of(o, &f->events[0]);
            if (block == NULL || (!is_joining && root_of(o, i) != i)) {
                continue;
            }
            const uint32_t number = names_intern_text(&o->marks, mark_of(o, "block", block, ""));
            uint32_t *count = map_slot(&count_of, number, 0, NULL);
            *count += !is_joining;
            if (is_joining && *count > BLOCK_FINDINGS_MAX) {
                join(o, i, mark_of(o, "blocks", block, ""));
            }
        }
    }
    map_release(&count_of);
}

static void join_by_variables(struct fold *o, uint32_t number)
{
    const struct finding *f = &o->f->list.at[number];
    const struct finding_event *first = &f->events[0];
    const struct finding_event *last = last_of_couple(f);
    const uint32_t x = variable_class(&o->classes, first->object, first->location);
    const uint32_t y = variable_class(&o->classes, last->object, last->location);
    join(o, number,
         mark_of(o, "variables", array_of(o, names_text(&o->classes, x)),
                 array_of(o, names_text(&o->classes, y))));
    if (first->location[0] != '\0' && last->location[0] != '\0') {
        join(o, number, mark_of(o, "places", first->location, last->location));
    }
}

/* ---- the findings kept ---- */

/* The pattern stands second in the key. */
static const char *pattern_of(struct fold *o, const struct finding *f)
{
    const char *pattern = strchr(f->key, '|');
    must(pattern != NULL);
    return arena_text(&o->scratch, pattern + 1, strcspn(pattern + 1, "|"));
}

/* Adds to each finding that is kept the patterns of the others of its bug: "P3 (2), stale (1)". */
static void say_others(struct fold *o)
{
    struct names patterns;
    struct map count_of = {0}; /* (the one kept, a pattern) */
    const size_t count = o->f->list.count;
    uint64_t *others = arena_array(&o->scratch, uint64_t, count + 1);
    const char **texts = arena_array(&o->scratch, const char *, count + 1);
    names_init(&patterns);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t root = root_of(o, i);
        if (root != i) {
            const uint32_t pattern = names_intern_text(&patterns, pattern_of(o, &o->f->list.at[i]));
            ++*map_slot(&count_of, map_pair(root, pattern), 0, NULL);
            others[root] += o->f->list.at[i].pair_count;
        }
    }
    vec_each (&count_of.entries, entry) {
        const char **text = &texts[entry->key >> 32];
        *text = findings_text(o->f, "%s%s%s (%u)", *text == NULL ? "" : *text,
                              *text == NULL ? "" : ", ",
                              names_text(&patterns, (uint32_t)entry->key), entry->value);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct finding *f = &o->f->list.at[i];
        if (texts[i] != NULL) {
            f->pair_count += others[i];
            f->why = findings_text(o->f, "%s\nand %llu more of the same variables or places: %s",
                                   f->why, (unsigned long long)others[i], texts[i]);
        }
    }
    map_release(&count_of);
    names_release(&patterns);
}

static int compare_rank(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct finding *a = left;
    const struct finding *b = right;
    if (a->severity != b->severity) {
        return a->severity < b->severity ? -1 : 1;
    }
    if (assumptions(a) != assumptions(b)) {
        return assumptions(a) < assumptions(b) ? -1 : 1;
    }
    return (int)a->is_of_calls - (int)b->is_of_calls;
}

static void keep_roots(struct fold *o)
{
    size_t kept = 0;
    for (uint32_t i = 0; i < o->f->list.count; i++) {
        if (root_of(o, i) == i) {
            o->f->list.at[kept++] = o->f->list.at[i];
        }
    }
    o->f->list.count = kept;
    sort_stable(o->f->list.at, kept, sizeof *o->f->list.at, compare_rank, NULL);
}

void fold_findings(struct findings *f)
{
    struct fold o = {.f = f};
    names_init(&o.marks);
    names_init(&o.classes);
    const size_t count_before = f->list.count;
    o.parent = arena_array(&o.scratch, uint32_t, f->list.count + 1);
    for (uint32_t i = 0; i < f->list.count; i++) {
        o.parent[i] = i;
    }
    for (uint32_t i = 0; i < f->list.count; i++) {
        if (f->list.at[i].kind != FINDING_ATOMICITY_REGION) {
            join_by_variables(&o, i);
        }
    }
    join_by_blocks(&o);
    say_others(&o);
    keep_roots(&o);
    must(f->list.count <= count_before);
    must((f->list.count == 0) == (count_before == 0));
    names_release(&o.marks);
    names_release(&o.classes);
    map_release(&o.first_with);
    arena_release(&o.scratch);
}
