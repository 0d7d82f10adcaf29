#include "import/http/line_pattern.h"

#include <ctype.h>

#include "import/http/wall_time.h"

static const char *const field_words[] = {
#define FIELD(id, word) word,
    LINE_FIELD_LIST(FIELD)
#undef FIELD
};

void line_field_words(void (*word)(void *context, const char *name), void *context)
{
    for (size_t i = 0; i < LINE_FIELD_COUNT; i++) {
        word(context, field_words[i]);
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The name of the field at the front of text, which stands behind its %. */
static struct piece field_word(struct piece text)
{
    size_t size = text.size > 0 && text.at[0] == '*' ? 1 : 0;
    while (size < text.size && text.at[size] >= 'a' && text.at[size] <= 'z') {
        size++;
    }
    return (struct piece){text.at, size};
}

/* The word that was probably meant as a field name. */
static struct piece wrong_word(struct piece text)
{
    size_t size = 0;
    while (size < text.size && (isalnum((unsigned char)text.at[size]) || text.at[size] == '_')) {
        size++;
    }
    return (struct piece){text.at, size};
}

static bool find_field(struct piece word, enum line_field *field)
{
    for (size_t i = 0; i < LINE_FIELD_COUNT; i++) {
        if (piece_is(word, field_words[i])) {
            *field = (enum line_field)i;
            return true;
        }
    }
    return false;
}

/* Adds the part at the front of text; returns its size, 0 with an error text. */
static size_t parse_part(struct line_pattern *p, struct piece text, const char **wrong,
                         struct piece *word)
{
    struct line_part *part = &p->parts[p->part_count];
    if (p->part_count == LINE_PARTS_MAX) {
        *wrong = "more than 32 parts";
        return 0;
    }
    if (text.at[0] == '%' && !piece_begins(text, "%%")) {
        const struct piece name = field_word(piece_after(text, 1));
        *part = (struct line_part){.is_field = true};
        if (!find_field(name, &part->field)) {
            *word = wrong_word(piece_after(text, 1));
            *wrong = word->size > 0 ? "no field of this name"
                                    : "a % without the name of a field; %% stands for itself";
            return 0;
        }
        if (p->part_count > 0 && p->parts[p->part_count - 1].is_field) {
            *wrong = "two fields without anything between them";
            return 0;
        }
        p->part_count++;
        return name.size + 1;
    }
    size_t size = text.at[0] == '%' ? 2 : 1;
    const size_t skipped = size - 1; /* of %%, the second stands for itself */
    while (skipped == 0 && size < text.size && text.at[size] != '%' &&
           is_blank(text.at[size]) == is_blank(text.at[0])) {
        size++;
    }
    *part = (struct line_part){.text = {text.at + skipped, size - skipped}};
    p->part_count++;
    return size;
}

bool line_pattern_parse(struct line_pattern *p, struct arena *a, struct piece text,
                        const char **wrong, size_t *at, struct piece *word)
{
    *p = (struct line_pattern){0};
    *wrong = NULL;
    *word = (struct piece){0};
    text.at = arena_text(a, text.at, text.size);
    bool has[LINE_FIELD_COUNT] = {0};
    for (*at = 0; *at < text.size;) {
        const size_t size = parse_part(p, piece_after(text, *at), wrong, word);
        if (size == 0) {
            return false;
        }
        must(size <= text.size - *at);
        must(p->part_count > 0);
        must(p->part_count <= LINE_PARTS_MAX);
        const struct line_part *part = &p->parts[p->part_count - 1];
        if (part->is_field && part->field != LINE_ANY && has[part->field]) {
            *wrong = "a field that is there twice";
            return false;
        }
        has[part->field] = has[part->field] || part->is_field;
        *at += size;
    }
    *at = 0;
    *wrong = !has[LINE_VERB] ? "no %verb in it" : !has[LINE_RES] ? "no %res in it" : NULL;
    return *wrong == NULL;
}

/* The length of the line that the text of a part takes, which may be 0; SIZE_MAX when the line does
 * not match. */
static size_t text_size(struct piece text, struct piece line)
{
    must(text.size > 0);
    if (is_blank(text.at[0])) {
        size_t size = 0;
        while (size < line.size && is_blank(line.at[size])) {
            size++;
        }
        return size > 0 ? size : SIZE_MAX;
    }
    const bool begins = line.size >= text.size && memcmp(line.at, text.at, text.size) == 0;
    return begins ? text.size : SIZE_MAX;
}

/* The length of a field: up to the beginning of the next part. */
static size_t field_size(const struct line_part *next, struct piece line)
{
    if (next == NULL) {
        return line.size;
    }
    for (size_t size = 0; size < line.size; size++) {
        if (text_size(next->text, piece_after(line, size)) != SIZE_MAX) {
            return size;
        }
    }
    return SIZE_MAX;
}

static bool take_field(const struct line_part *part, const struct line_part *next,
                       struct piece *line, struct line_fields *fields)
{
    size_t size = 0;
    if (part->field == LINE_TIME) {
        size = wall_time_parse(*line, &fields->time_ns);
        fields->has_time = size > 0;
    } else {
        size = field_size(next, *line);
    }
    if (size == 0 || size == SIZE_MAX) {
        return false;
    }
    must(size <= line->size);
    fields->values[part->field] = (struct piece){line->at, size};
    *line = piece_after(*line, size);
    return true;
}

bool line_pattern_matches(const struct line_pattern *p, struct piece line,
                          struct line_fields *fields)
{
    *fields = (struct line_fields){0};
    for (size_t i = 0; i < p->part_count; i++) {
        const struct line_part *part = &p->parts[i];
        if (part->is_field) {
            const struct line_part *next = i + 1 < p->part_count ? &p->parts[i + 1] : NULL;
            if (!take_field(part, next, &line, fields)) {
                return false;
            }
            continue;
        }
        const size_t size = text_size(part->text, line);
        if (size == SIZE_MAX) {
            return false;
        }
        must(size <= line.size);
        line = piece_after(line, size);
    }
    return line.size == 0;
}
