#include "trace/quoted_word.h"

#include <string.h>

#include "base/utf8.h"

/* The letters after a backslash, and the characters they stand for. */
static const char escape_letters[] = "\"\\nrt";
static const char escape_meanings[] = "\"\\\n\r\t";

void words_release(struct words *w)
{
    vec_release(&w->unescaped);
}

/* Whether the character may stand outside quotes: visible ASCII that does not separate words or
 * their parts, and all bytes that are not ASCII (which are written bare only when they are UTF-8).
 */
static bool is_bare(char c)
{
    const unsigned char byte = (unsigned char)c;
    return byte > ' ' && byte != 0x7f && c != '"' && c != '\\' && c != '@' && c != '=' && c != '#';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool stop(struct words *w, const char *wrong)
{
    w->wrong = wrong;
    return false;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return -1;
}

/* The character that the escape at w->at, behind its backslash, stands for; -1 when it is none. */
static int take_escape(struct words *w)
{
    const size_t rest = (size_t)(w->end - w->at);
    if (rest == 0) {
        return -1;
    }
    const char *letter = memchr(escape_letters, w->at[0], sizeof escape_letters - 1);
    if (letter != NULL) {
        w->at++;
        return escape_meanings[letter - escape_letters];
    }
    if (w->at[0] != 'x' || rest < 3 || hex_digit(w->at[1]) < 0 || hex_digit(w->at[2]) < 0) {
        return -1;
    }
    const int byte = hex_digit(w->at[1]) << 4 | hex_digit(w->at[2]);
    w->at += 3;
    return byte;
}

static bool take_quoted(struct words *w, struct word *word)
{
    vec_clear(&w->unescaped);
    w->at++;
    while (w->at < w->end && *w->at != '"') {
        if (w->unescaped.count == WORD_SIZE_MAX) {
            return stop(w, "a name of more than a mebibyte");
        }
        int byte = (unsigned char)*w->at++;
        if (byte == '\\' && (byte = take_escape(w)) < 0) {
            return stop(w, "no such escape (there are \\\" \\\\ \\n \\r \\t and \\x00 to \\xff)");
        }
        vec_push(&w->unescaped, (char)byte);
    }
    if (w->at == w->end) {
        return stop(w, "the quotes are not closed on this line");
    }
    w->at++;
    const bool is_empty = w->unescaped.count == 0;
    *word = (struct word){is_empty ? "" : w->unescaped.at, w->unescaped.count, .is_quoted = true};
    return true;
}

bool words_take(struct words *w, struct word *word)
{
    return words_take_part(w, "", word);
}

bool words_take_part(struct words *w, const char *stops, struct word *word)
{
    if (w->at < w->end && *w->at == '"') {
        return take_quoted(w, word);
    }
    const char *from = w->at;
    while (w->at < w->end && is_bare(*w->at) && (*stops == '\0' || strchr(stops, *w->at) == NULL)) {
        w->at++;
    }
    if (w->at == from) {
        return stop(w, "a name was expected (odd characters go in quotes)");
    }
    if (w->at - from > WORD_SIZE_MAX) {
        return stop(w, "a name of more than a mebibyte");
    }
    *word = (struct word){from, (size_t)(w->at - from), .is_quoted = false};
    return true;
}

bool words_take_u64(struct words *w, uint64_t *number)
{
    const char *from = w->at;
    *number = 0;
    for (; w->at < w->end && *w->at >= '0' && *w->at <= '9'; w->at++) {
        if (__builtin_mul_overflow(*number, 10u, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*w->at - '0'), number)) {
            return stop(w, "the number is out of range");
        }
    }
    return w->at > from || stop(w, "a number was expected");
}

bool words_take_i64(struct words *w, int64_t *number)
{
    const bool is_negative = words_skip(w, '-');
    uint64_t size = 0;
    if (!words_take_u64(w, &size)) {
        return false;
    }
    if (size > (uint64_t)INT64_MAX + is_negative) {
        return stop(w, "the number is out of range");
    }
    *number = (int64_t)(is_negative ? -size : size);
    return true;
}

bool words_skip(struct words *w, char c)
{
    const bool is_there = w->at < w->end && *w->at == c;
    w->at += is_there;
    return is_there;
}

bool words_are_left(struct words *w)
{
    while (w->at < w->end && is_blank(*w->at)) {
        w->at++;
    }
    return w->at < w->end;
}

bool words_is_gap(const struct words *w)
{
    return w->at == w->end || is_blank(*w->at);
}

bool word_is(const struct word *word, const char *text)
{
    return strlen(text) == word->size && memcmp(word->text, text, word->size) == 0;
}

static bool can_stand_bare(const char *bytes, size_t size)
{
    size_t i = 0;
    while (i < size && is_bare(bytes[i])) {
        const size_t length = (signed char)bytes[i] >= 0 ? 1 : utf8_size(bytes + i, size - i);
        if (length == 0) {
            return false;
        }
        i += length;
    }
    return size > 0 && i == size;
}

static bool has_any(const char *bytes, size_t size, const char *stops)
{
    for (; *stops != '\0'; stops++) {
        if (size > 0 && memchr(bytes, *stops, size) != NULL) {
            return true;
        }
    }
    return false;
}

static void print_quoted(struct out *out, const char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    out_char(out, '"');
    for (size_t i = 0; i < size;) {
        const unsigned char c = (unsigned char)bytes[i];
        const size_t length = utf8_size(bytes + i, size - i);
        const char *meaning = memchr(escape_meanings, c, sizeof escape_meanings - 1);
        if (meaning != NULL) {
            const char escape[2] = {'\\', escape_letters[meaning - escape_meanings]};
            out_bytes(out, escape, sizeof escape);
        } else if (length == 0 || c < ' ' || c == 0x7f) {
            const char escape[4] = {'\\', 'x', digits[c >> 4], digits[c & 15]};
            out_bytes(out, escape, sizeof escape);
        } else {
            out_bytes(out, bytes + i, length);
        }
        i += length == 0 ? 1 : length;
    }
    out_char(out, '"');
}

void word_print(struct out *out, const char *bytes, size_t size)
{
    word_print_part(out, "", bytes, size);
}

void word_print_part(struct out *out, const char *stops, const char *bytes, size_t size)
{
    if (can_stand_bare(bytes, size) && !has_any(bytes, size, stops)) {
        out_bytes(out, bytes, size);
    } else {
        print_quoted(out, bytes, size);
    }
}
