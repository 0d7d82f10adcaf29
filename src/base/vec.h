/* Growable arrays, typed by macro, owned by the struct that holds them.
 *
 *     VEC(struct edge) edges = {0};
 *     vec_push(&edges, (struct edge){.from = a, .to = b});
 *     vec_each (&edges, edge) { use(edge->from); }
 *     vec_release(&edges);
 */
#ifndef CLEW_BASE_VEC_H
#define CLEW_BASE_VEC_H

#include <stddef.h>

#include "wire/must.h"

#define VEC(type)        \
    struct {             \
        type *at;        \
        size_t count;    \
        size_t capacity; \
    }

/* Grows to at least `wanted` elements; growth is by half, so a push is amortized O(1). */
void *vec_grown(void *at, size_t *capacity, size_t wanted, size_t element_size);

/* NOLINTBEGIN(bugprone-sizeof-expression): an element may be a pointer. */
#define vec_reserve(v, wanted)                                                             \
    ((wanted) > (v)->capacity                                                              \
         ? (void)((v)->at = vec_grown((v)->at, &(v)->capacity, (wanted), sizeof *(v)->at)) \
         : (void)0)
/* NOLINTEND(bugprone-sizeof-expression) */
/* The element may look at the array, which it is not in yet. */
#define vec_push(v, ...)                     \
    do {                                     \
        vec_reserve((v), (v)->count + 1);    \
        (v)->at[(v)->count] = (__VA_ARGS__); \
        (v)->count++;                        \
    } while (0)
/* The address of the element with this index; checked. */
#define vec_at(v, index) (must((index) < (v)->count), &(v)->at[index])
#define vec_last(v) (&(v)->at[(v)->count - 1])
#define vec_pop(v) ((v)->at[--(v)->count])
#define vec_clear(v) ((void)((v)->count = 0))
/* An empty vector has no array to point behind. */
#define vec_each(v, item)                                                              \
    for (__typeof__((v)->at + 0) item = (v)->at,                                       \
                                 item##_end = item == NULL ? item : item + (v)->count; \
         item != item##_end; item++)
#define vec_release(v)                  \
    do {                                \
        vec_free((v)->at);              \
        (v)->at = NULL;                 \
        (v)->count = (v)->capacity = 0; \
    } while (0)

void vec_free(void *at);

#endif
