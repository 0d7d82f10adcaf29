/* A JSON writer. It places commas, quotes and escapes, and checks nesting.
 *
 *     struct json j = json_begin(&out);
 *     json_object(&j, NULL);
 *     json_text(&j, "verb", "races");
 *     json_u64(&j, "events", 15);
 *     json_end(&j);
 *
 * The key is NULL inside arrays and for the outermost value. Bytes that are not UTF-8 become
 * U+FFFD. */
#ifndef CLEW_BASE_JSON_H
#define CLEW_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

enum { JSON_DEPTH_MAX = 32 };

struct json {
    struct out *out;
    int depth;
    bool is_pretty; /* a value per line, indented by two */
    char closer[JSON_DEPTH_MAX];
    bool has_value[JSON_DEPTH_MAX];
};

struct json json_begin(struct out *out);

void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j);

void json_text(struct json *j, const char *key, const char *text);
void json_u64(struct json *j, const char *key, uint64_t number);
void json_i64(struct json *j, const char *key, int64_t number);
void json_double(struct json *j, const char *key, double number);
/* A number of thousandths, exactly: 1500 is 1.500. */
void json_thousandths(struct json *j, const char *key, uint64_t thousandths);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

/* Writes only the quoted and escaped string, for writers of JSON lines that format the rest
 * themselves. */
void json_quote(struct out *out, const char *bytes, size_t size);

#endif
