#include "base/yaml.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/quoted_text.h"
#include "base/suggest.h"

enum { SIZE_MAX_YAML = 1 << 20, DEPTH_MAX = 64, KEYS_MAX = 1000 };

int yaml_refuse(const struct yaml_node *n, struct err *e, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return err_set(e, "line %u, column %u: %s", n->line, n->column, text);
}

/* Reading: libyaml's events become nodes, children before their parents are complete. */

struct reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the current event */
    struct arena *arena;
    unsigned depth;
    struct err *e;
};

static struct yaml_node place_of(yaml_mark_t mark)
{
    return (struct yaml_node){.line = (uint32_t)mark.line + 1, .column = (uint32_t)mark.column + 1};
}

/* Moves to the next event. */
static int advance(struct reader *r)
{
    yaml_event_delete(&r->event);
    if (yaml_parser_parse(&r->parser, &r->event) != 0) {
        return 0;
    }
    const bool has_mark = r->parser.error != YAML_READER_ERROR;
    const struct yaml_node place = place_of(has_mark ? r->parser.problem_mark : r->parser.mark);
    return yaml_refuse(&place, r->e, "%s",
                       r->parser.problem == NULL ? "this is no YAML" : r->parser.problem);
}

static int refuse_event(struct reader *r, const char *what)
{
    const struct yaml_node place = place_of(r->event.start_mark);
    return yaml_refuse(&place, r->e, "%s", what);
}

static int read_node(struct reader *r, struct yaml_node *n);

static int read_text(struct reader *r, struct yaml_node *n)
{
    if (r->event.data.scalar.anchor != NULL || r->event.data.scalar.tag != NULL) {
        return refuse_event(r, "anchors and tags are not understood here");
    }
    n->kind = YAML_TEXT;
    n->size = r->event.data.scalar.length;
    n->text = arena_text(r->arena, (const char *)r->event.data.scalar.value, n->size);
    return 0;
}

/* Items under construction: a list whose length is not known yet. */
struct item {
    struct item *next;
    struct yaml_node node;
};

/* A key of a mapping, into n->key; the event behind it is the value's. */
static int read_key(struct reader *r, const struct item *first, struct yaml_node *n)
{
    if (r->event.type != YAML_SCALAR_EVENT) {
        return refuse_event(r, "a key was expected");
    }
    struct yaml_node *key = arena_new(r->arena, struct yaml_node);
    *key = place_of(r->event.start_mark);
    if (read_text(r, key) < 0) {
        return -1;
    }
    for (const struct item *other = first; other != NULL; other = other->next) {
        if (other->node.key->size == key->size &&
            memcmp(other->node.key->text, key->text, key->size) == 0) {
            return yaml_refuse(key, r->e, "%s is there already, in line %u",
                               shown(key->text, key->size).text, other->node.key->line);
        }
    }
    n->key = key;
    return advance(r);
}

static int read_items(struct reader *r, yaml_event_type_t end, struct yaml_node *n)
{
    struct item *first = NULL;
    struct item **last = &first;
    for (; r->event.type != end; n->item_count++) {
        struct item *item = arena_new(r->arena, struct item);
        const struct yaml_node *key = NULL;
        if (n->kind == YAML_MAP && n->item_count == KEYS_MAX) {
            return refuse_event(r, "a mapping has at most a thousand keys");
        }
        if (n->kind == YAML_MAP && read_key(r, first, &item->node) < 0) {
            return -1;
        }
        key = item->node.key;
        if (read_node(r, &item->node) < 0 || advance(r) < 0) {
            return -1;
        }
        item->node.key = key;
        *last = item;
        last = &item->next;
    }
    struct yaml_node *items = arena_array(r->arena, struct yaml_node, n->item_count);
    n->items = items;
    for (; first != NULL; first = first->next) {
        *items++ = first->node;
    }
    return 0;
}

/* Reads the node that begins with the current event; afterwards its last event is the current one.
 */
static int read_node(struct reader *r, struct yaml_node *n)
{
    *n = place_of(r->event.start_mark);
    if (r->event.type == YAML_SCALAR_EVENT) {
        return read_text(r, n);
    }
    const bool is_map = r->event.type == YAML_MAPPING_START_EVENT;
    if (!is_map && r->event.type != YAML_SEQUENCE_START_EVENT) {
        return refuse_event(r, "aliases are not understood here");
    }
    const bool has_anchor = is_map ? r->event.data.mapping_start.anchor != NULL ||
                                         r->event.data.mapping_start.tag != NULL
                                   : r->event.data.sequence_start.anchor != NULL ||
                                         r->event.data.sequence_start.tag != NULL;
    if (has_anchor) {
        return refuse_event(r, "anchors and tags are not understood here");
    }
    if (++r->depth > DEPTH_MAX) {
        return refuse_event(r, "this is nested too deeply");
    }
    n->kind = is_map ? YAML_MAP : YAML_LIST;
    if (advance(r) < 0) {
        return -1;
    }
    const int result = read_items(r, is_map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT, n);
    r->depth--;
    return result;
}

static int read_document(struct reader *r, const struct yaml_node **root)
{
    do {
        if (advance(r) < 0) {
            return -1;
        }
    } while (r->event.type == YAML_STREAM_START_EVENT ||
             r->event.type == YAML_DOCUMENT_START_EVENT);
    if (r->event.type == YAML_STREAM_END_EVENT) {
        return 0;
    }
    struct yaml_node *n = arena_new(r->arena, struct yaml_node);
    if (read_node(r, n) < 0) {
        return -1;
    }
    do {
        if (advance(r) < 0) {
            return -1;
        }
        if (r->event.type == YAML_DOCUMENT_START_EVENT) {
            return refuse_event(r, "only one document was expected");
        }
    } while (r->event.type != YAML_STREAM_END_EVENT);
    *root = n;
    return 0;
}

int yaml_read(struct yaml *y, struct in *in, struct err *e)
{
    const ssize_t size = in_fill(in, SIZE_MAX_YAML + 1, e);
    if (size < 0) {
        return -1;
    }
    if (size > SIZE_MAX_YAML) {
        return err_set(e, "more than a mebibyte");
    }
    struct reader r = {.arena = &y->arena, .e = e};
    if (yaml_parser_initialize(&r.parser) == 0) {
        return err_set(e, "out of memory");
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)in->at, (size_t)size);
    const int result = read_document(&r, &y->root);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    return result;
}

void yaml_release(struct yaml *y)
{
    arena_release(&y->arena);
    y->root = NULL;
}

/* Queries */

const struct yaml_node *yaml_field(const struct yaml_node *map, const char *key)
{
    for (size_t i = 0; i < map->item_count; i++) {
        if (map->kind == YAML_MAP && strcmp(map->items[i].key->text, key) == 0) {
            return &map->items[i];
        }
    }
    return NULL;
}

int yaml_want(const struct yaml_node *n, enum yaml_kind kind, struct err *e)
{
    static const char *const names[] = {"a word or number", "a list (- ...)",
                                        "a mapping (key: value)"};
    return n->kind == kind ? 0 : yaml_refuse(n, e, "%s was expected", names[kind]);
}

/* "there is no KIND "wrd" here (did you mean word?)", or the words there are: "a, b or c". */
static int refuse_unknown(const struct yaml_node *n, const char *what, const char *const *words,
                          struct err *e)
{
    struct suggest nearest = {.wanted = n->text};
    char all[240] = "";
    size_t used = 0;
    for (size_t i = 0; words[i] != NULL; i++) {
        suggest_try(&nearest, words[i]);
        const char *before = i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ";
        const int size = snprintf(all + used, sizeof all - used, "%s%s", before, words[i]);
        used = used + (size_t)size < sizeof all ? used + (size_t)size : sizeof all - 1;
    }
    const struct shown name = shown(n->text, n->size);
    return nearest.nearest == NULL
               ? yaml_refuse(n, e, "there is no %s %s here: %s", what, name.text, all)
               : yaml_refuse(n, e, "there is no %s %s here (did you mean %s?)", what, name.text,
                             nearest.nearest);
}

static bool is_one_of(const struct yaml_node *n, const char *const *words, size_t *index)
{
    for (*index = 0; words[*index] != NULL; ++*index) {
        if (strcmp(words[*index], n->text) == 0) {
            return true;
        }
    }
    return false;
}

int yaml_want_fields(const struct yaml_node *n, const char *const *fields, struct err *e)
{
    if (yaml_want(n, YAML_MAP, e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < n->item_count; i++) {
        size_t index = 0;
        if (!is_one_of(n->items[i].key, fields, &index)) {
            return refuse_unknown(n->items[i].key, "key", fields, e);
        }
    }
    return 0;
}

int yaml_want_word(const struct yaml_node *n, const char *const *words, size_t *index,
                   struct err *e)
{
    if (yaml_want(n, YAML_TEXT, e) < 0) {
        return -1;
    }
    return is_one_of(n, words, index) ? 0 : refuse_unknown(n, "choice", words, e);
}

int yaml_want_i64(const struct yaml_node *n, int64_t least, int64_t most, int64_t *number,
                  struct err *e)
{
    if (yaml_want(n, YAML_TEXT, e) < 0) {
        return -1;
    }
    const bool is_negative = n->text[0] == '-';
    int64_t value = 0;
    size_t i = is_negative ? 1 : 0;
    bool is_number = n->size > i;
    for (; i < n->size && is_number; i++) {
        const int digit = n->text[i] - '0';
        is_number = digit >= 0 && digit <= 9 && !__builtin_mul_overflow(value, 10, &value) &&
                    !(is_negative ? __builtin_sub_overflow(value, digit, &value)
                                  : __builtin_add_overflow(value, digit, &value));
    }
    if (!is_number || value < least || value > most) {
        return yaml_refuse(n, e, "a number from %" PRId64 " to %" PRId64 " was expected, not %s",
                           least, most, shown(n->text, n->size).text);
    }
    *number = value;
    return 0;
}
