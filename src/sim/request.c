/* What requests bring, for those who try to make it smaller. */
#include <stdio.h>
#include <string.h>

#include "sim/sim_state.h"

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
    pen_close(&s->pen);
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
    asked->is_any = s->system->shrink(&asked->message, asked->index, s->pen.bytes, &asked->size);
}

/* Whether the system keeps to what it may write. */
static int check_answer(const struct sim *s, const struct shrinking *asked, struct err *e)
{
    if (!pen_is_whole(&s->pen)) {
        return err_set(e, "it writes more than the %zu bytes that the request has",
                       asked->message.size);
    }
    return asked->is_any && asked->size > asked->message.size
               ? err_set(e, "it says %zu bytes, and the request has %zu", asked->size,
                         asked->message.size)
               : 0;
}

int request_shrink(struct world *w, uint64_t name, uint32_t index, struct plan_content *smaller,
                   struct err *e)
{
    struct sim *s = sim_of(w);
    const struct request *r = find(s, name);
    if (r == NULL) {
        return 0;
    }
    if (s->shrink_failure[0] != '\0') {
        return err_set(e, "%s", s->shrink_failure);
    }
    struct shrinking asked = {.message = {.from = CLEW_CLIENT,
                                          .type = (int)r->type,
                                          .bytes = s->request_bytes.at + r->offset,
                                          .size = r->size},
                              .index = index};
    if (pen_open(&s->pen, r->size, e) < 0) {
        return -1;
    }
    s->shrinking = &asked;
    const bool is_whole = guard_try(s, ask, e);
    s->shrinking = NULL;
    if (!is_whole || check_answer(s, &asked, e) < 0) {
        (void)err_wrap(e, "shrink of %s fails", s->system->messages[r->type]);
        (void)snprintf(s->shrink_failure, sizeof s->shrink_failure, "%.*s",
                       (int)sizeof s->shrink_failure - 1, e->text);
        return -1;
    }
    *smaller = (struct plan_content){.name = name, .bytes = s->pen.bytes, .size = asked.size};
    return asked.is_any;
}

size_t request_size(struct world *w, uint64_t name)
{
    const struct request *r = find(sim_of(w), name);
    return r == NULL ? 0 : r->size;
}
