/* Packed columns: numbers as base64 of variable-length integers, seven bits a byte, the low ones
 * first, in an element of the page.
 *
 *     struct column c = column_begin(out, 0, "task");
 *     column_add(&c, 3);
 *     column_end(&c);
 *
 *     <script type="text/plain" id="column-0-task">Aw==</script>
 *
 * A script decodes them faster than JSON, and no byte of them can be taken for markup. */
#ifndef CLEW_PAGE_COLUMNS_H
#define CLEW_PAGE_COLUMNS_H

#include <stdint.h>

#include "base/out.h"

struct column {
    struct out *out;
    uint32_t group; /* bytes that wait for a group of three */
    uint32_t group_count;
    uint32_t used;
    char text[1024];
};

struct column column_begin(struct out *out, size_t run, const char *name);
void column_add(struct column *c, uint64_t number);
void column_add_signed(struct column *c, int64_t number); /* zigzag: small for small distances */
void column_end(struct column *c);

#endif
