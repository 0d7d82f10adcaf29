#include "import/http/resource_pattern.h"

#include "base/mem.h"

int pattern_name(const struct pattern *p, struct piece name)
{
    for (size_t i = 0; i < p->name_count; i++) {
        if (piece_equals(p->names[i], name)) {
            return (int)i;
        }
    }
    return -1;
}

static bool fail(struct pattern_fault *fault, const char *what, size_t at)
{
    fault->what = what;
    fault->at = at;
    return false;
}

static bool is_name(struct piece name)
{
    for (size_t i = 0; i < name.size; i++) {
        const char c = name.at[i];
        const bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (!is_letter && c != '_' && (i == 0 || c < '0' || c > '9')) {
            return false;
        }
    }
    return name.size > 0;
}

/* Parses "{name}" or "{+name}" at byte `at` of text. */
static bool parse_name(struct pattern *p, const struct pattern *known, struct piece text, size_t at,
                       struct pattern_fault *fault)
{
    struct piece name = piece_after(text, at + 1);
    if (piece_until(name, '}') == name.size) {
        return fail(fault, "a { without its }", at);
    }
    name.size = piece_until(name, '}');
    const bool is_path = name.size > 0 && name.at[0] == '+';
    name = piece_after(name, is_path ? 1 : 0);
    fault->name = name;
    if (!is_name(name)) {
        return fail(fault, "a name is made of letters, digits and _", at + 1);
    }
    int index = pattern_name(known != NULL ? known : p, name);
    if (known != NULL && index < 0) {
        return fail(fault, "a name that the pattern does not have", at + 1);
    }
    if (known == NULL) {
        if (index >= 0) {
            return fail(fault, "a name that is there twice", at + 1);
        }
        if (p->name_count == PATTERN_NAMES_MAX) {
            return fail(fault, "more than 8 names", at + 1);
        }
        index = (int)p->name_count;
        p->names[p->name_count++] = name;
    }
    must((size_t)index < (known != NULL ? known : p)->name_count);
    p->parts[p->part_count++] =
        (struct pattern_part){.type = is_path ? PART_PATH : PART_SEGMENT, .name = (uint32_t)index};
    return true;
}

/* Adds one part from byte `at` on; returns its size, 0 on a fault. */
static size_t parse_part(struct pattern *p, const struct pattern *known, struct piece text,
                         size_t at, struct pattern_fault *fault)
{
    const struct piece rest = piece_after(text, at);
    if (rest.at[0] == '{') {
        return parse_name(p, known, text, at, fault) ? piece_until(rest, '}') + 1 : 0;
    }
    if (rest.at[0] == '*') {
        if (known != NULL) {
            (void)fail(fault, "a * where a name is made", at);
            return 0;
        }
        p->parts[p->part_count++] = (struct pattern_part){.type = PART_ANY};
        return 1;
    }
    size_t size = 0;
    while (size < rest.size && strchr("{*}?", rest.at[size]) == NULL) {
        size++;
    }
    if (size < rest.size && rest.at[size] == '}') {
        (void)fail(fault, "a } without its {", at + size);
        return 0;
    }
    if (size < rest.size && rest.at[size] == '?') {
        (void)fail(fault, "a query, which resources' names do not have", at + size);
        return 0;
    }
    p->parts[p->part_count++] = (struct pattern_part){.type = PART_TEXT, .text = {rest.at, size}};
    return size;
}

bool pattern_parse(struct pattern *p, struct arena *a, struct piece text,
                   const struct pattern *known, struct pattern_fault *fault)
{
    *p = (struct pattern){0};
    *fault = (struct pattern_fault){0};
    text.at = arena_text(a, text.at, text.size);
    if (text.size == 0) {
        return fail(fault, "an empty pattern", 0);
    }
    for (size_t at = 0; at < text.size;) {
        if (p->part_count == PATTERN_PARTS_MAX) {
            return fail(fault, "a pattern of more than 32 parts", at);
        }
        const size_t size = parse_part(p, known, text, at, fault);
        if (size == 0) {
            return false;
        }
        at += size;
        must(at <= text.size);
    }
    must(p->part_count <= PATTERN_PARTS_MAX);
    return true;
}

/* One attempt to match. A part that failed at a position fails again: failures are memoized, so
 * that no pattern takes exponential time. */
struct attempt {
    const struct pattern *pattern;
    struct piece text;
    struct pattern_match *match;
    uint8_t *has_failed; /* a bit per part and position; NULL until it pays */
};

static size_t failure_index(const struct attempt *a, size_t part, size_t at)
{
    must(part < a->pattern->part_count);
    must(at <= a->text.size);
    return part * (a->text.size + 1) + at;
}

static bool match_from(struct attempt *a, size_t part, size_t at);

/* Tries every size of the part, a wildcard, at this position. */
static bool match_wildcard(struct attempt *a, size_t part, size_t at)
{
    const struct pattern_part *p = &a->pattern->parts[part];
    const size_t index = failure_index(a, part, at);
    if ((a->has_failed[index / 8] >> (index % 8) & 1) != 0) {
        return false;
    }
    for (size_t end = at + (p->type == PART_ANY ? 0 : 1); end <= a->text.size; end++) {
        if (p->type == PART_SEGMENT && a->text.at[end - 1] == '/') {
            break;
        }
        if (match_from(a, part + 1, end)) {
            if (p->type != PART_ANY) {
                a->match->values[p->name] = (struct piece){a->text.at + at, end - at};
            }
            return true;
        }
    }
    a->has_failed[index / 8] |= (uint8_t)(1u << (index % 8));
    return false;
}

static bool match_from(struct attempt *a, size_t part, size_t at)
{
    if (part == a->pattern->part_count) {
        return at == a->text.size;
    }
    const struct pattern_part *p = &a->pattern->parts[part];
    if (p->type != PART_TEXT) {
        return match_wildcard(a, part, at);
    }
    return a->text.size - at >= p->text.size &&
           memcmp(a->text.at + at, p->text.at, p->text.size) == 0 &&
           match_from(a, part + 1, at + p->text.size);
}

bool pattern_matches(const struct pattern *p, struct piece text, struct pattern_match *match)
{
    uint8_t few[1024] = {0};
    const size_t size = (p->part_count * (text.size + 1) + 7) / 8;
    struct attempt a = {.pattern = p, .text = text, .match = match};
    a.has_failed = size <= sizeof few ? few : mem_zero(size, 1);
    const bool is_match = match_from(&a, 0, 0);
    if (a.has_failed != few) {
        mem_free(a.has_failed);
    }
    return is_match;
}

void pattern_fill(const struct pattern *p, const struct pattern_match *match, struct text *out)
{
    for (size_t i = 0; i < p->part_count; i++) {
        const struct pattern_part *part = &p->parts[i];
        must(part->type != PART_ANY);
        text_add(out, part->type == PART_TEXT ? part->text : match->values[part->name]);
    }
}
