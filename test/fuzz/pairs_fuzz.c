#include "fuzz.h"

#include "atomicity/pairs.h"

FUZZ_ENTRY(pairs)
{
    struct pairs p = {0};
    struct err e = {0};
    if (pairs_parse(&p, (const char *)bytes, size, &e) == 0) {
        vec_each (&p.list, pair) {
            must(pair->x[0] != '\0');
            must(pair->y[0] != '\0');
        }
    }
    pairs_release(&p);
}
