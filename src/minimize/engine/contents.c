#include "minimize/engine/contents.h"

#include <string.h>

#include "base/mem.h"

void contents_put(struct contents *c, const struct plan_content *content)
{
    struct plan_content kept = {
        .name = content->name, .bytes = mem_zero(content->size + 1, 1), .size = content->size};
    if (content->size > 0) {
        memcpy((char *)kept.bytes, content->bytes, content->size);
    }
    vec_each (&c->list, at) {
        if (at->name == content->name) {
            mem_free((void *)at->bytes);
            *at = kept;
            return;
        }
    }
    vec_push(&c->list, kept);
}

void contents_release(struct contents *c)
{
    vec_each (&c->list, at) {
        mem_free((void *)at->bytes);
    }
    vec_release(&c->list);
}
