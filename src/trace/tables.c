#include "trace/tables.h"

#include <string.h>

static const char *const order_names[ORDER_KIND_COUNT] = {
#define ORDER(id, name, meaning) name,
    ORDER_KIND_LIST(ORDER)
#undef ORDER
};

const char *order_kind_name(enum order_kind kind)
{
    must(kind < ORDER_KIND_COUNT);
    return order_names[kind];
}

const char *order_kind_meaning(enum order_kind kind)
{
    static const char *const meanings[ORDER_KIND_COUNT] = {
#define ORDER(id, name, meaning) meaning,
        ORDER_KIND_LIST(ORDER)
#undef ORDER
    };
    must(kind < ORDER_KIND_COUNT);
    return meanings[kind];
}

void tables_init(struct tables *t)
{
    *t = (struct tables){0};
    names_init(&t->names);
}

void tables_release(struct tables *t)
{
    names_release(&t->names);
    vec_release(&t->tasks);
    map_release(&t->task_of);
}

uint32_t tables_task(struct tables *t, uint32_t node, uint32_t name)
{
    bool is_new = false;
    const uint32_t *index =
        map_slot(&t->task_of, map_pair(node, name), (uint32_t)t->tasks.count, &is_new);
    if (is_new) {
        vec_push(&t->tasks, (struct task){.node = node, .name = name});
    }
    return *index;
}

uint32_t tables_task_text(struct tables *t, const char *text, size_t size)
{
    const char *at = memrchr(text, '@', size);
    if (at == NULL) {
        return tables_task(t, 0, names_intern(&t->names, text, size));
    }
    const size_t name_size = (size_t)(at - text);
    const uint32_t name = names_intern(&t->names, text, name_size);
    const uint32_t node = names_intern(&t->names, at + 1, size - name_size - 1);
    return tables_task(t, node, name);
}
