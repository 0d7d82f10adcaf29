#include "import/json/json_tree.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/json_reader.h"

enum {
    CHUNK_SIZE = 1 << 18,
    DEPTH_MAX = 512,
    NUMBER_SIZE_MAX = 4096,
};

/* yajl scans a token again from its beginning when it is split between chunks, and keeps all of it.
 * So the reader scans the bytes first: it drops the rest of a string that is too long, and rejects
 * such a number. */
struct tree_reader {
    const struct json_tree *tree;
    void *context;
    yajl_handle parser;
    uint64_t run_offset; /* of the bytes that yajl currently reads */

    unsigned depth;
    uint8_t places[DEPTH_MAX + 1]; /* of the open values */
    bool is_array[DEPTH_MAX + 1];
    uint8_t place_next; /* of the next value, inside an object */
    bool is_too_deep;

    bool is_in_string;
    bool is_escaped;     /* by a backslash just before */
    unsigned hex_left;   /* digits of an escape still expected */
    size_t token_size;   /* of the string or number so far */
    bool is_leaving_out; /* drops the rest of the string */
    bool is_cut;         /* the next string of yajl is truncated */
};

static uint8_t place_of(const struct tree_reader *r, uint8_t parent, const char *key, size_t size)
{
    if (parent == JSON_ELSEWHERE) {
        return JSON_ELSEWHERE;
    }
    for (const struct json_place *p = r->tree->places; p->place != JSON_ELSEWHERE; p++) {
        const bool is_same = key == NULL ? p->key == NULL
                                         : p->key != NULL && strlen(p->key) == size &&
                                               memcmp(p->key, key, size) == 0;
        if (p->parent == parent && is_same) {
            return p->place;
        }
    }
    return JSON_ELSEWHERE;
}

/* The place of the next value. */
static uint8_t take_place(struct tree_reader *r)
{
    if (r->depth == 0) {
        return JSON_ROOT;
    }
    const uint8_t place = r->place_next;
    return place != UINT8_MAX ? place : place_of(r, r->places[r->depth], NULL, 0);
}

static int give_value(struct tree_reader *r, struct json_value value)
{
    const uint8_t place = take_place(r);
    if (place != JSON_ELSEWHERE && r->depth > 0) {
        r->tree->value(r->context, place, &value);
    }
    return 1;
}

static int on_string(void *context, const unsigned char *text, size_t size)
{
    struct tree_reader *r = context;
    const struct json_value value = {
        .text = {(const char *)text, size}, .is_string = true, .is_cut = r->is_cut};
    r->is_cut = false;
    return give_value(r, value);
}

static int on_number(void *context, const char *digits, size_t size)
{
    return give_value(context, (struct json_value){.text = {digits, size}});
}

static int on_null(void *context)
{
    (void)take_place(context);
    return 1;
}

static int on_boolean(void *context, int value)
{
    (void)value;
    return on_null(context);
}

static int on_key(void *context, const unsigned char *key, size_t size)
{
    struct tree_reader *r = context;
    r->is_cut = false;
    r->place_next = place_of(r, r->places[r->depth], (const char *)key, size);
    return 1;
}

/* The elements of an array have their own place, marked UINT8_MAX. */
static int open_value(struct tree_reader *r, bool is_array)
{
    const uint8_t place = take_place(r);
    if (r->depth == DEPTH_MAX) {
        r->is_too_deep = true;
        return 0;
    }
    r->places[++r->depth] = place;
    r->is_array[r->depth] = is_array;
    r->place_next = is_array ? UINT8_MAX : JSON_ELSEWHERE;
    if (place != JSON_ELSEWHERE) {
        r->tree->open(r->context, place, r->run_offset + yajl_get_bytes_consumed(r->parser) - 1);
    }
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
    struct tree_reader *r = context;
    const uint8_t place = r->places[r->depth--];
    r->place_next = r->depth > 0 && r->is_array[r->depth] ? UINT8_MAX : JSON_ELSEWHERE;
    if (place != JSON_ELSEWHERE) {
        r->tree->close(r->context, place);
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

static int fail(struct tree_reader *r, struct err *e)
{
    const uint64_t offset = r->run_offset + yajl_get_bytes_consumed(r->parser);
    if (r->is_too_deep) {
        return err_set(e, "byte %" PRIu64 ": values nested more than %d deep", offset, DEPTH_MAX);
    }
    return json_reader_fail(r->parser, offset, e);
}

static int feed(struct tree_reader *r, struct piece run, uint64_t offset, struct err *e)
{
    r->run_offset = offset;
    return run.size > 0 && json_reader_feed(r->parser, run.at, run.size) < 0 ? fail(r, e) : 0;
}

/* Whether a character of the string begins with this byte. */
static bool is_boundary(const struct tree_reader *r, char c)
{
    return !r->is_escaped && r->hex_left == 0 && ((unsigned char)c & 0xc0) != 0x80;
}

/* Scans one byte inside a string; true when it ends the string. */
static bool ends_string(struct tree_reader *r, char c)
{
    if (r->hex_left > 0) {
        r->hex_left--;
        return false;
    }
    if (r->is_escaped) {
        r->is_escaped = false;
        r->hex_left = c == 'u' ? 4 : 0;
        return false;
    }
    r->is_escaped = c == '\\';
    return c == '"';
}

static bool is_of_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Feeds yajl a chunk without the dropped parts. */
static int pass(struct tree_reader *r, struct piece chunk, uint64_t offset, struct err *e)
{
    size_t from = 0; /* the start of the bytes not yet fed */
    for (size_t i = 0; i < chunk.size; i++) {
        const char c = chunk.at[i];
        if (!r->is_in_string) {
            r->is_in_string = c == '"';
            r->token_size = is_of_number(c) ? r->token_size + 1 : 0;
            if (r->token_size > NUMBER_SIZE_MAX) {
                return err_set(e, "byte %" PRIu64 ": a number of more than %d digits", offset + i,
                               NUMBER_SIZE_MAX);
            }
            continue;
        }
        if (r->token_size++ >= JSON_STRING_MAX && !r->is_leaving_out && is_boundary(r, c)) {
            if (feed(r, (struct piece){chunk.at + from, i - from}, offset + from, e) < 0) {
                return -1;
            }
            r->is_leaving_out = r->is_cut = true;
        }
        if (ends_string(r, c)) {
            from = r->is_leaving_out ? i : from;
            r->is_in_string = r->is_leaving_out = false;
            r->token_size = 0;
        }
    }
    from = r->is_leaving_out ? chunk.size : from;
    return feed(r, piece_after(chunk, from), offset + from, e);
}

static int read_all(struct tree_reader *r, struct in *in, struct err *e)
{
    ssize_t available = 0;
    while ((available = in_fill(in, 1, e)) > 0) {
        const struct piece chunk = {in->at,
                                    in->available < CHUNK_SIZE ? in->available : CHUNK_SIZE};
        if (pass(r, chunk, in->offset, e) < 0) {
            return -1;
        }
        in_skip(in, chunk.size);
    }
    if (available < 0) {
        return -1;
    }
    if (r->depth > 0 || r->is_in_string) {
        return err_set(e, "byte %" PRIu64 ": the input ends in the middle of a value", in->offset);
    }
    r->run_offset = in->offset;
    return 0;
}

int json_tree_read(const struct json_tree *tree, struct in *in, void *context, struct err *e)
{
    struct tree_reader r = {.tree = tree, .context = context};
    if (in_fill(in, 3, e) < 0) {
        return -1;
    }
    in_skip(in, in->available >= 3 && memcmp(in->at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    r.parser = json_reader_new(&callbacks, &r);
    must(yajl_config(r.parser, yajl_allow_multiple_values, 1) != 0);
    /* Bodies with invalid UTF-8 are no reason to reject the whole capture. */
    must(yajl_config(r.parser, yajl_dont_validate_strings, 1) != 0);
    const int result = read_all(&r, in, e);
    yajl_free(r.parser);
    return result;
}

bool json_begins_with(struct piece text, const char *field)
{
    const char *const steps[] = {"{", "\"", field, "\"", ":"};
    text = piece_begins(text, "\xef\xbb\xbf") ? piece_after(text, 3) : text;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const bool is_name = i == 2 || i == 3;
        while (!is_name && text.size > 0 && strchr(" \t\r\n", text.at[0]) != NULL) {
            text = piece_after(text, 1);
        }
        if (!piece_begins(text, steps[i])) {
            return false;
        }
        text = piece_after(text, strlen(steps[i]));
    }
    return true;
}

double json_number(struct piece digits)
{
    char text[64] = "";
    if (digits.size >= sizeof text) {
        return 0;
    }
    memcpy(text, digits.at, digits.size);
    char *end = NULL;
    const double number = strtod(text, &end);
    return *end == '\0' ? number : 0;
}

int64_t json_whole(struct piece digits)
{
    char text[32] = "";
    if (digits.size >= sizeof text) {
        return 0;
    }
    memcpy(text, digits.at, digits.size);
    char *end = NULL;
    const long long number = strtoll(text, &end, 10);
    return *end == '\0' ? number : 0;
}
