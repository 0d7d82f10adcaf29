#include "import/json/json_path.h"

#include "base/json_reader.h"
#include "wire/must.h"

static bool is_bare(char c)
{
    const char small = (char)(c | 0x20);
    return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Parses the text between [ and ], where `text` begins behind the [. Returns its size with the ], 0
 * when it has none of the forms. */
static size_t parse_bracket(struct json_step *step, struct piece text)
{
    if (piece_begins(text, "*]")) {
        *step = (struct json_step){.type = STEP_EVERY};
        return 2;
    }
    if (text.size > 0 && text.at[0] == '\'') {
        const struct piece field = piece_after(text, 1);
        const size_t size = piece_until(field, '\'');
        *step = (struct json_step){.type = STEP_FIELD, .field = {field.at, size}};
        return size + 1 < field.size && field.at[size + 1] == ']' ? size + 3 : 0;
    }
    uint32_t element = 0;
    size_t size = 0;
    while (size < text.size && size < 9 && text.at[size] >= '0' && text.at[size] <= '9') {
        element = element * 10 + (uint32_t)(text.at[size++] - '0');
    }
    *step = (struct json_step){.type = STEP_ELEMENT, .element = element};
    return size > 0 && size < text.size && text.at[size] == ']' ? size + 1 : 0;
}

/* Parses the step at the front; returns its size, 0 with an error text. */
static size_t parse_step(struct json_step *step, struct piece text, const char **wrong)
{
    if (text.at[0] == '.') {
        size_t size = 1;
        while (size < text.size && is_bare(text.at[size])) {
            size++;
        }
        *step = (struct json_step){.type = STEP_FIELD, .field = {text.at + 1, size - 1}};
        *wrong = "a . without a name behind it";
        return size > 1 ? size : 0;
    }
    if (text.at[0] == '[') {
        const size_t size = parse_bracket(step, piece_after(text, 1));
        *wrong = "a [ without *], a number and ], or 'name'] behind it";
        return size > 0 ? size + 1 : 0;
    }
    *wrong = "neither . nor [";
    return 0;
}

bool json_path_parse(struct json_path *p, struct arena *a, struct piece text, const char **wrong,
                     size_t *at)
{
    *p = (struct json_path){0};
    *at = 0;
    *wrong = "a path begins with $";
    if (text.size == 0 || text.at[0] != '$') {
        return false;
    }
    text.at = arena_text(a, text.at, text.size);
    for (*at = 1; *at < text.size;) {
        if (p->step_count == JSON_PATH_STEPS_MAX) {
            *wrong = "more than 16 steps";
            return false;
        }
        const size_t size = parse_step(&p->steps[p->step_count], piece_after(text, *at), wrong);
        if (size == 0) {
            return false;
        }
        must(size <= text.size - *at);
        p->step_count++;
        *at += size;
    }
    *wrong = NULL;
    return true;
}

/* The state of the path in the current text. `depth` counts open objects and arrays; the path goes
 * through the first `matched` of them. */
struct search {
    const struct json_path *path;
    void (*found)(void *context, struct piece value);
    void *context;
    size_t depth, matched;
    uint32_t element[JSON_PATH_STEPS_MAX +
                     1]; /* of the arrays among them: the index of the next element */
    bool is_array[JSON_PATH_STEPS_MAX + 1];
    bool is_field; /* the next value belongs to a field that matches the next step */
    int count;
};

/* Whether the path goes through or to the next value. */
static bool fits(struct search *s)
{
    if (s->depth == 0) {
        return true;
    }
    if (s->matched != s->depth || s->depth > s->path->step_count) {
        return false;
    }
    const struct json_step *step = &s->path->steps[s->depth - 1];
    if (!s->is_array[s->depth]) {
        return s->is_field;
    }
    const uint32_t element = s->element[s->depth]++;
    return step->type == STEP_EVERY || (step->type == STEP_ELEMENT && step->element == element);
}

static int take_value(struct search *s, struct piece value)
{
    if (fits(s) && s->depth == s->path->step_count) {
        s->count++;
        s->found(s->context, value);
    }
    return 1;
}

static int on_string(void *context, const unsigned char *text, size_t size)
{
    return take_value(context, (struct piece){(const char *)text, size});
}

static int on_number(void *context, const char *digits, size_t size)
{
    return take_value(context, (struct piece){digits, size});
}

static int on_null(void *context)
{
    (void)fits(context);
    return 1;
}

static int on_boolean(void *context, int value)
{
    (void)value;
    return on_null(context);
}

static int on_key(void *context, const unsigned char *key, size_t size)
{
    struct search *s = context;
    if (s->matched == s->depth && s->depth <= s->path->step_count) {
        const struct json_step *step = &s->path->steps[s->depth - 1];
        s->is_field = step->type == STEP_FIELD && step->field.size == size &&
                      memcmp(step->field.at, key, size) == 0;
    }
    return 1;
}

static int open_value(struct search *s, bool is_array)
{
    if (fits(s) && s->depth < s->path->step_count) {
        s->matched++;
        must(s->matched <= JSON_PATH_STEPS_MAX);
        s->is_array[s->matched] = is_array;
        s->element[s->matched] = 0;
        s->is_field = false;
    }
    s->depth++;
    return 1;
}

static int on_start_map(void *context)
{
    return open_value(context, false);
}

static int on_start_array(void *context)
{
    return open_value(context, true);
}

static int on_end(void *context)
{
    struct search *s = context;
    must(s->depth > 0);
    must(s->matched <= s->depth);
    s->depth--;
    if (s->matched > s->depth) {
        s->matched = s->depth;
    }
    return 1;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_start_map,
    .yajl_map_key = on_key,
    .yajl_end_map = on_end,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end,
};

static bool parse(struct piece json, const yajl_callbacks *calls, void *context)
{
    yajl_handle parser = json_reader_new(calls, context);
    const bool is_json = json_reader_feed(parser, json.at, json.size) == 0 &&
                         yajl_complete_parse(parser) == yajl_status_ok;
    yajl_free(parser);
    return is_json;
}

/* Two passes, so that nothing is found in a text that is not JSON. */
int json_path_find(const struct json_path *p, struct piece json,
                   void (*found)(void *context, struct piece value), void *context)
{
    struct search s = {.path = p, .found = found, .context = context};
    if (!parse(json, NULL, NULL)) {
        return -1;
    }
    must(parse(json, &callbacks, &s));
    return s.count;
}
