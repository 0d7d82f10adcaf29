/* Suggestions: the word that the user probably meant. */
#ifndef CLEW_BASE_SUGGEST_H
#define CLEW_BASE_SUGGEST_H

#include <stddef.h>

/* The edit distance: the number of letters to insert, remove, replace or swap with their neighbour
 * to turn one word into the other. Words longer than 63 letters are as far apart as they are long.
 */
size_t suggest_distance(const char *a, const char *b);

/* A search for the nearest of some words, shown one by one; {.wanted = word} begins it. */
struct suggest {
    const char *wanted;
    const char *nearest; /* NULL when none is near enough to be meant */
    size_t distance;
};

void suggest_try(struct suggest *s, const char *word);

#endif
