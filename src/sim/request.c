/* What requests bring, for those who try to make it smaller. */
#include <string.h>

#include "sim/state.h"

void request_begin(struct sim *s)
{
    if (s->plan->pick.wants != NULL) {
        return;
    }
    vec_clear(&s->requests);
    vec_clear(&s->request_bytes);
}

void request_close(struct sim *s)
{
    vec_release(&s->requests);
    vec_release(&s->request_bytes);
    vec_release(&s->smaller_bytes);
}

static void note(struct sim *s, uint64_t name, const struct clew_message *m)
{
    vec_push(&s->requests, (struct request){.name = name,
                                            .type = (uint32_t)m->type,
                                            .offset = (uint32_t)s->request_bytes.count,
                                            .size = (uint32_t)m->size});
    vec_reserve(&s->request_bytes, s->request_bytes.count + m->size + 1);
    if (m->size > 0) {
        memcpy(s->request_bytes.at + s->request_bytes.count, m->bytes, m->size);
    }
    s->request_bytes.count += m->size;
}

struct clew_message request_content(struct sim *s, uint64_t name, const struct clew_message *m)
{
    struct clew_message brought = *m;
    for (size_t i = 0; i < s->plan->content_count; i++) {
        const struct plan_content *c = &s->plan->contents[i];
        if (c->name == name) {
            brought.bytes = c->bytes;
            brought.size = c->size;
        }
    }
    if (s->system->shrink != NULL && s->plan->pick.wants == NULL) {
        note(s, name, &brought);
    }
    return brought;
}

static const struct request *find(const struct sim *s, uint64_t name)
{
    vec_each (&s->requests, r) {
        if (r->name == name) {
            return r;
        }
    }
    return NULL;
}

/* What the system is asked, and what it says. */
struct shrinking {
    struct clew_message message;
    uint32_t index;
    size_t size;
    bool is_any;
};

static void ask(struct sim *s)
{
    struct shrinking *asked = s->shrinking;
    s->doing = "shrink";
    asked->is_any =
        s->system->shrink(&asked->message, asked->index, s->smaller_bytes.at, &asked->size);
}

bool request_shrink(struct world *w, uint64_t name, uint32_t index, struct plan_content *smaller)
{
    struct sim *s = sim_of(w);
    const struct request *r = find(s, name);
    if (r == NULL) {
        return false;
    }
    struct shrinking asked = {.message = {.from = CLEW_CLIENT,
                                          .type = (int)r->type,
                                          .bytes = s->request_bytes.at + r->offset,
                                          .size = r->size},
                              .index = index};
    vec_reserve(&s->smaller_bytes, asked.message.size + 1);
    s->shrinking = &asked;
    const bool is_whole = guard_try(s, ask);
    s->shrinking = NULL;
    *smaller =
        (struct plan_content){.name = name, .bytes = s->smaller_bytes.at, .size = asked.size};
    return is_whole && asked.is_any && asked.size <= asked.message.size;
}

size_t request_size(struct world *w, uint64_t name)
{
    const struct request *r = find(sim_of(w), name);
    return r == NULL ? 0 : r->size;
}
