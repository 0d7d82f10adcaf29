#include "sim/request.h"

#include <stdio.h>
#include <string.h>

#include "sim/fenced_buffer.h"
#include "sim/handler_guard.h"
#include "sim/net.h"
#include "sim/state_hash.h"

void request_begin(struct sim *s)
{
    if (s->plan->pick.wants != NULL) {
        return;
    }
    vec_clear(&s->requests.list);
    vec_clear(&s->requests.bytes);
}

void request_close(struct sim *s)
{
    vec_release(&s->requests.list);
    vec_release(&s->requests.bytes);
    pen_close(&s->requests.pen);
}

static void note(struct sim *s, uint64_t name, const struct clew_message *m)
{
    vec_push(&s->requests.list, (struct request){.name = name,
                                                 .type = (uint32_t)m->type,
                                                 .offset = (uint32_t)s->requests.bytes.count,
                                                 .size = (uint32_t)m->size});
    vec_reserve(&s->requests.bytes, s->requests.bytes.count + m->size + 1);
    if (m->size > 0) {
        memcpy(s->requests.bytes.at + s->requests.bytes.count, m->bytes, m->size);
    }
    s->requests.bytes.count += m->size;
    must(vec_last(&s->requests.list)->offset + m->size == s->requests.bytes.count);
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
    vec_each (&s->requests.list, r) {
        if (r->name == name) {
            return r;
        }
    }
    return NULL;
}

/* The question to the system, and its answer. */
struct shrinking {
    struct clew_message message;
    uint32_t index;
    size_t size;
    bool is_any;
};

static void ask(struct sim *s)
{
    struct shrinking *asked = s->requests.shrinking;
    s->run.doing = "shrink";
    asked->is_any =
        s->system->shrink(&asked->message, asked->index, s->requests.pen.bytes, &asked->size);
}

/* Whether the system writes within its buffer only. */
static int check_answer(const struct sim *s, const struct shrinking *asked, struct err *e)
{
    if (!pen_is_whole(&s->requests.pen)) {
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
    if (s->requests.failure[0] != '\0') {
        return err_set(e, "%s", s->requests.failure);
    }
    struct shrinking asked = {.message = {.from = CLEW_CLIENT,
                                          .type = (int)r->type,
                                          .bytes = s->requests.bytes.at + r->offset,
                                          .size = r->size},
                              .index = index};
    if (pen_open(&s->requests.pen, r->size, e) < 0) {
        return -1;
    }
    s->requests.shrinking = &asked;
    const bool is_whole = guard_try(s, ask, e);
    s->requests.shrinking = NULL;
    if (!is_whole || check_answer(s, &asked, e) < 0) {
        (void)err_wrap(e, "shrink of %s fails", s->system->messages[r->type]);
        (void)snprintf(s->requests.failure, sizeof s->requests.failure, "%.*s",
                       (int)sizeof s->requests.failure - 1, e->text);
        return -1;
    }
    must(asked.size <= r->size || !asked.is_any);
    *smaller =
        (struct plan_content){.name = name, .bytes = s->requests.pen.bytes, .size = asked.size};
    return asked.is_any;
}

size_t request_size(struct world *w, uint64_t name)
{
    const struct request *r = find(sim_of(w), name);
    return r == NULL ? 0 : r->size;
}
