#include "report/suppressions.h"

#include <stdio.h>
#include <string.h>

#include "base/in.h"
#include "base/quoted_text.h"
#include "report/findings_file.h"

enum { FILE_SIZE_MAX = 64 << 20 };

static const struct {
    const char *name;
    bool is_known; /* clew has findings of this type */
} types[SUPPRESSION_TYPE_COUNT] = {
#define TYPE(id, name, is_known) {name, is_known},
    SUPPRESSION_TYPE_LIST(TYPE)
#undef TYPE
};

void suppressions_release(struct suppressions *s)
{
    arena_release(&s->arena);
    vec_release(&s->rules);
    names_release(&s->known);
    names_release(&s->known_met);
    names_release(&s->hidden);
    *s = (struct suppressions){0};
}

/* A set of texts is created with its first one; name 0, "", is always present. */
static void set_add(struct names *set, const char *text)
{
    if (set->list.count == 0) {
        names_init(set);
    }
    (void)names_intern_text(set, text);
}

static uint64_t set_count(const struct names *set)
{
    return set->list.count > 0 ? set->list.count - 1 : 0;
}

/* ---- patterns ---- */

/* Whether the pattern matches all of text, where only '*' is special. On a mismatch the last star
 * takes one byte more: linear but for the last star. */
static bool glob_matches(const char *pattern, size_t pattern_size, const char *text, size_t size)
{
    size_t p = 0;
    size_t t = 0;
    size_t star = SIZE_MAX; /* behind the last star ... */
    size_t taken = 0;       /* ... which takes the text up to here */
    while (t < size) {
        if (p < pattern_size && pattern[p] == '*') {
            star = ++p;
            taken = t;
        } else if (p < pattern_size && pattern[p] == text[t]) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star;
            t = ++taken;
        } else {
            return false;
        }
    }
    while (p < pattern_size && pattern[p] == '*') {
        p++;
    }
    return p == pattern_size;
}

static bool matches(const struct suppression *rule, const char *text, size_t size)
{
    return size > 0 && glob_matches(rule->glob, strlen(rule->glob), text, size);
}

/* The pattern as a glob for a whole text: where it is not anchored, anything may be around it. */
static const char *glob_of(struct suppressions *s, const char *pattern, size_t size, bool is_key)
{
    const bool is_bound_before = is_key || pattern[0] == '^';
    const bool is_bound_behind = is_key || pattern[size - 1] == '$';
    const size_t from = is_key ? 0 : is_bound_before;
    const size_t end = is_key ? size : size - is_bound_behind;
    char *glob = arena_array(&s->arena, char, size + 3);
    size_t used = 0;
    if (!is_bound_before) {
        glob[used++] = '*';
    }
    if (end > from) {
        memcpy(glob + used, pattern + from, end - from);
        used += end - from;
    }
    if (!is_bound_behind) {
        glob[used++] = '*';
    }
    must(used < size + 3);
    glob[used] = '\0';
    return glob;
}

/* ---- reading ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int find_type(const char *name, size_t size)
{
    for (int type = 0; type < SUPPRESSION_TYPE_COUNT; type++) {
        if (strlen(types[type].name) == size && memcmp(types[type].name, name, size) == 0) {
            return type;
        }
    }
    return -1;
}

/* The start of " # ", which a reason follows; size when there is none. */
static size_t find_reason(const char *text, size_t size)
{
    for (size_t i = 1; i + 1 < size; i++) {
        if (text[i] == '#' && is_blank(text[i - 1]) && is_blank(text[i + 1])) {
            return i;
        }
    }
    return size;
}

static size_t trimmed_size(const char *text, size_t size)
{
    while (size > 0 && is_blank(text[size - 1])) {
        size--;
    }
    return size;
}

/* A line without blanks around it, which is no comment. */
static int parse_line(struct suppressions *s, struct suppression rule, const char *line,
                      size_t size, struct err *e)
{
    const char *colon = memchr(line, ':', size);
    if (colon == NULL) {
        return err_set(e,
                       "line %u: %s has no type: write race:PATTERN, deadlock:PATTERN or key:KEY",
                       rule.line, shown(line, size).text);
    }
    const int type = find_type(line, (size_t)(colon - line));
    if (type < 0) {
        return err_set(e,
                       "line %u: %s is no type of suppression (race, race_top, deadlock, mutex, "
                       "thread, signal, called_from_lib, key)",
                       rule.line, shown(line, (size_t)(colon - line)).text);
    }
    rule.type = (enum suppression_type)type;
    const char *pattern = colon + 1;
    size_t rest = (size_t)(line + size - pattern);
    size_t pattern_size = rest;
    rule.reason = "";
    if (rule.type == SUPPRESSION_KEY) {
        const size_t mark = find_reason(pattern, rest);
        must(mark <= rest);
        pattern_size = trimmed_size(pattern, mark);
        if (mark < rest) {
            size_t from = mark + 1;
            while (from < rest && is_blank(pattern[from])) {
                from++;
            }
            rule.reason = arena_text(&s->arena, pattern + from, rest - from);
        }
    }
    if (pattern_size == 0) {
        return err_set(e, "line %u: nothing follows \"%s:\"", rule.line, types[type].name);
    }
    must(pattern_size <= rest);
    rule.pattern = arena_text(&s->arena, pattern, pattern_size);
    rule.glob = glob_of(s, pattern, pattern_size, rule.type == SUPPRESSION_KEY);
    vec_push(&s->rules, rule);
    return 0;
}

int suppressions_parse(struct suppressions *s, const char *path, const char *bytes, size_t size,
                       struct err *e)
{
    const char *name = arena_text(&s->arena, path, strlen(path));
    uint32_t number = 0;
    s->has_rules = true;
    for (size_t at = 0; at < size;) {
        const char *line = bytes + at;
        const char *end = memchr(line, '\n', size - at);
        size_t line_size = end == NULL ? size - at : (size_t)(end - line);
        must(line_size <= size - at);
        at += line_size + 1;
        number++;
        if (memchr(line, '\0', line_size) != NULL) {
            return err_set(e, "line %u: this is no text: it holds a 0 byte", number);
        }
        line_size = trimmed_size(line, line_size);
        while (line_size > 0 && is_blank(*line)) {
            line++;
            line_size--;
        }
        if (line_size > 0 && *line != '#' &&
            parse_line(s, (struct suppression){.path = name, .line = number}, line, line_size, e) <
                0) {
            return -1;
        }
    }
    return 0;
}

int suppressions_read(struct suppressions *s, const char *path, struct err *e)
{
    struct in in;
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    int result = in_fill_all(&in, FILE_SIZE_MAX, e);
    if (result == 0) {
        result = suppressions_parse(s, path, in.at, in.available, e);
    }
    in_close(&in);
    return result < 0 ? err_wrap(e, "%s", path) : 0;
}

int suppressions_read_baseline(struct suppressions *s, const char *path, struct err *e)
{
    struct in in;
    struct finding_file file = {0};
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    const int result = finding_file_parse(&file, &in, e);
    in_close(&in);
    if (result < 0) {
        return err_wrap(e, "%s: not a findings file, which --json prints", path);
    }
    s->has_baseline = true;
    vec_each (&file.findings.list, finding) {
        if (finding->key != NULL && finding->key[0] != '\0') {
            set_add(&s->known, finding->key);
        }
    }
    finding_file_release(&file);
    return 0;
}

/* ---- findings ---- */

static bool is_race(enum finding_kind kind)
{
    return kind == FINDING_DATA_RACE || kind == FINDING_MESSAGE_RACE ||
           kind == FINDING_USE_AFTER_FREE;
}

static bool text_matches(const struct suppression *rule, const char *text)
{
    return text != NULL && matches(rule, text, strlen(text));
}

/* A place such as "bank.c:12": as it is, and its file alone. */
static bool place_matches(const struct suppression *rule, const char *place, size_t size)
{
    const char *colon = memrchr(place, ':', size);
    return matches(rule, place, size) ||
           (colon != NULL && matches(rule, place, (size_t)(colon - place)));
}

/* A function of a stack, and the place behind it: "transfer bank.c:30". */
static bool frame_matches(const struct suppression *rule, const char *frame, size_t size)
{
    const char *blank = memrchr(frame, ' ', size);
    if (blank == NULL) {
        return matches(rule, frame, size);
    }
    return matches(rule, frame, (size_t)(blank - frame)) ||
           place_matches(rule, blank + 1, (size_t)(frame + size - blank - 1));
}

/* The call stack of the event, innermost first: "deposit < transfer bank.c:30". */
static bool stack_matches(const struct suppression *rule, const char *stack, bool is_top)
{
    while (stack != NULL && *stack != '\0') {
        const char *next = strstr(stack, " < ");
        const size_t size = next == NULL ? strlen(stack) : (size_t)(next - stack);
        if (frame_matches(rule, stack, size)) {
            return true;
        }
        stack = next == NULL || is_top ? NULL : next + strlen(" < ");
    }
    return false;
}

static bool event_matches(const struct suppression *rule, const struct finding_event *event)
{
    const bool is_top = rule->type == SUPPRESSION_RACE_TOP;
    return place_matches(rule, event->location, strlen(event->location)) ||
           (!is_top && text_matches(rule, event->object)) ||
           stack_matches(rule, event->stack, is_top);
}

/* A finding without events is compared by its own sentence. */
static bool finding_matches(const struct suppression *rule, const struct finding *f)
{
    for (size_t i = 0; i < f->event_count; i++) {
        if (event_matches(rule, &f->events[i])) {
            return true;
        }
    }
    return f->event_count == 0 && (text_matches(rule, f->what) || text_matches(rule, f->why) ||
                                   text_matches(rule, f->key));
}

static bool rule_hides(const struct suppression *rule, const struct finding *f)
{
    switch (rule->type) {
    case SUPPRESSION_RACE:
    case SUPPRESSION_RACE_TOP: return is_race(f->kind) && finding_matches(rule, f);
    case SUPPRESSION_DEADLOCK: return f->kind == FINDING_DEADLOCK && finding_matches(rule, f);
    case SUPPRESSION_KEY: return text_matches(rule, f->key);
    case SUPPRESSION_MUTEX:
    case SUPPRESSION_THREAD:
    case SUPPRESSION_SIGNAL:
    case SUPPRESSION_CALLED_FROM_LIB: return false;
    case SUPPRESSION_TYPE_COUNT: break;
    }
    bug("a suppression of no type");
}

bool suppressions_hide(struct suppressions *s, const struct finding *f)
{
    const char *key = f->key == NULL ? "" : f->key;
    if (*key != '\0' && s->known.list.count > 0 && names_find(&s->known, key, strlen(key)) != 0) {
        set_add(&s->known_met, key);
        return true;
    }
    vec_each (&s->rules, rule) {
        if (rule_hides(rule, f)) {
            must(types[rule->type].is_known); /* other types hide nothing */
            rule->hit_count++;
            set_add(&s->hidden, key);
            return true;
        }
    }
    return false;
}

uint64_t suppressions_count(const struct suppressions *s)
{
    return set_count(&s->hidden);
}

uint64_t suppressions_known_count(const struct suppressions *s)
{
    return set_count(&s->known_met);
}

void suppressions_note(const struct suppressions *s, struct notes *n)
{
    char place[160];
    vec_each (&s->rules, rule) {
        (void)snprintf(place, sizeof place, "%s: line %u", rule->path, rule->line);
        if (!types[rule->type].is_known) {
            notes_add(n, place, "clew has no findings of type \"%s\": ignored",
                      types[rule->type].name);
        } else if (rule->hit_count == 0) {
            notes_add(n, place, "%s:%.100s suppresses nothing here", types[rule->type].name,
                      rule->pattern);
        }
    }
    must(set_count(&s->known_met) <= set_count(&s->known));
    const uint64_t gone = set_count(&s->known) - set_count(&s->known_met);
    notes_add_many(n, gone, "", "findings of the baseline were not found");
}
