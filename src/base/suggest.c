#include "base/suggest.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 63 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: three rows of the usual table, the third for swapped neighbours. */
size_t suggest_distance(const char *a, const char *b)
{
    const size_t a_size = strlen(a);
    const size_t b_size = strlen(b);
    if (a_size > WORD_MAX || b_size > WORD_MAX) {
        return a_size > b_size ? a_size : b_size;
    }
    size_t rows[3][WORD_MAX + 1] = {0};
    for (size_t j = 0; j <= b_size; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        const size_t *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            const size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = smaller(replaced, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = smaller(row[j], above2[j - 2] + 1);
            }
        }
    }
    return rows[a_size % 3][b_size];
}

/* A word is close enough with a third of its letters wrong, or as a completion of the wanted one.
 */
void suggest_try(struct suggest *s, const char *word)
{
    const size_t size = strlen(s->wanted);
    const bool is_begun = size > 1 && strncmp(s->wanted, word, size) == 0;
    const size_t distance = is_begun ? 1 : suggest_distance(s->wanted, word);
    const size_t allowed = 1 + (size > 3 ? size / 3 : 0);
    if (distance <= allowed && distance < size && (s->nearest == NULL || distance < s->distance)) {
        s->nearest = word;
        s->distance = distance;
    }
}
