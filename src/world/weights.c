/* Weights of classes of operations, as users write them. */
#include <stdlib.h>
#include <string.h>

#include "world/world.h"

enum { WEIGHT_MAX = 1000000 };
_Static_assert(PICK_CLASS_COUNT == 5, "parse_one lists the classes in its message");

static int find_class(const char *text, size_t size)
{
    for (int i = 0; i < PICK_CLASS_COUNT; i++) {
        const char *name = pick_class_name((enum pick_class)i);
        if (strlen(name) == size && memcmp(name, text, size) == 0) {
            return i;
        }
    }
    return -1;
}

static int parse_one(struct pick_weights *w, const char *text, size_t size, struct err *e)
{
    const size_t name_size = strcspn(text, "=,");
    const int class = find_class(text, name_size);
    if (class < 0) {
        return err_set(e,
                       "\"%.*s\" is no class of operations; there are message, timer, write, "
                       "helper and request",
                       (int)name_size, text);
    }
    char *end = NULL;
    const unsigned long long weight =
        name_size < size ? strtoull(text + name_size + 1, &end, 10) : 0;
    if (end != text + size || text[name_size + 1] < '0' || text[name_size + 1] > '9' ||
        weight > WEIGHT_MAX) {
        return err_set(e, "\"%.*s\": a weight is a number up to %d, as in timer=1", (int)size, text,
                       WEIGHT_MAX);
    }
    w->of[class] = (uint32_t)weight;
    return 0;
}

int weights_parse(struct pick_weights *w, const char *text, struct err *e)
{
    struct pick_weights parsed;
    for (uint32_t i = 0; i < PICK_CLASS_COUNT; i++) {
        parsed.of[i] = 1;
    }
    while (true) {
        const size_t size = strcspn(text, ",");
        if (parse_one(&parsed, text, size, e) < 0) {
            return -1;
        }
        if (text[size] == '\0') {
            break;
        }
        text += size + 1;
    }
    if (!pick_weights_are_any(&parsed)) {
        return err_set(e, "all weights are 0");
    }
    *w = parsed;
    return 0;
}
