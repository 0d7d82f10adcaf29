#include "base/yaml.h"
#include "fuzz.h"

/* Every node has a place and is of its kind; what is below it is too. */
static size_t walk(const struct yaml_node *n)
{
    size_t count = 1;
    must(n->line > 0);
    must(n->column > 0);
    must(n->kind != YAML_TEXT || n->text[n->size] == '\0');
    for (size_t i = 0; i < n->item_count; i++) {
        must((n->items[i].key != NULL) == (n->kind == YAML_MAP));
        count += walk(&n->items[i]);
    }
    return count;
}

FUZZ_ENTRY(yaml)
{
    struct yaml y = {0};
    struct err e = {.text = ""};
    struct in in;
    in_open_memory(&in, bytes, size);
    if (yaml_read(&y, &in, &e) < 0) {
        must(e.text[0] != '\0');
    } else if (y.root != NULL) {
        must(walk(y.root) > 0);
    }
    yaml_release(&y);
}
