/* Quoted words: the form of names in the text forms of traces and schedules. A name of harmless
 * characters stands bare; any other is put in quotes, with escapes \" \\ \n \r \t and \xNN, so that
 * every sequence of bytes comes back the same.
 *
 *     struct words w = {.at = line, .end = line + size};
 *     struct word word;
 *     if (!words_take(&w, &word)) { ... w.wrong is the error, w.at its place ... }
 *     words_release(&w);
 */
#ifndef CLEW_TRACE_QUOTED_WORD_H
#define CLEW_TRACE_QUOTED_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "base/vec.h"

enum { WORD_SIZE_MAX = 1 << 20 }; /* bytes a word stands for */

struct word {
    const char *text; /* in the line, or in the reader's memory until the next word is taken */
    size_t size;
    bool is_quoted;
};

/* A line under parsing. */
struct words {
    const char *at;
    const char *end;
    const char *wrong; /* the error of the last call */
    VEC(char) unescaped;
};

void words_release(struct words *w);

/* Each takes its element and advances past it, or returns false with w->wrong set and w->at at the
 * fault. A part of a word ends at any of the characters `stops` too, unless it is in quotes. */
MUST_USE bool words_take(struct words *w, struct word *word);
MUST_USE bool words_take_part(struct words *w, const char *stops, struct word *word);
MUST_USE bool words_take_u64(struct words *w, uint64_t *number);
MUST_USE bool words_take_i64(struct words *w, int64_t *number);

/* Skips the character c if it is next; returns whether it was. */
bool words_skip(struct words *w, char c);

/* Skips blanks; false when the line ends there. */
bool words_are_left(struct words *w);

/* Whether a word ends here: at a blank or the end of the line. */
bool words_is_gap(const struct words *w);

bool word_is(const struct word *word, const char *text);

/* Writes bytes as a word, or as a part of one. */
void word_print(struct out *out, const char *bytes, size_t size);
void word_print_part(struct out *out, const char *stops, const char *bytes, size_t size);

#endif
