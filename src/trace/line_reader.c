#include "trace/line_reader.h"

#include <string.h>

int lines_next(struct lines *l, struct err *e)
{
    struct in *in = l->in;
    in_skip(in, l->taken);
    l->taken = 0;
    size_t searched = 0;
    const char *end = NULL;
    while (end == NULL) {
        const ssize_t available = in_fill(in, searched + 1, e);
        if (available <= 0) {
            return (int)available;
        }
        if ((size_t)available == searched) {
            break; /* the last line lacks its end */
        }
        end = memchr(in->at + searched, '\n', (size_t)available - searched);
        searched = (size_t)available;
        if (end == NULL && searched > LINE_SIZE_MAX) {
            return err_set(e, "byte %llu: line %llu is longer than %d bytes",
                           (unsigned long long)in->offset, (unsigned long long)l->number + 1,
                           LINE_SIZE_MAX);
        }
    }
    l->text = in->at;
    l->size = end == NULL ? searched : (size_t)(end - in->at);
    l->taken = l->size + (end != NULL);
    l->lacks_end = end == NULL;
    l->offset = in->offset;
    l->number++;
    return 1;
}
