#include "cli/verbs/diff_same_hash.h"

#include <stdio.h>
#include <string.h>

/* One of the two, and how far it was looked at. */
struct side {
    const struct schedule *schedule;
    const char *name;
    size_t at;     /* the choice that comes next */
    uint32_t step; /* which step that is, from 1; UINT32_MAX: there is none */
};

static void find_step(struct side *s, uint32_t before)
{
    const struct schedule *of = s->schedule;
    if (s->at == of->choices.count) {
        s->step = UINT32_MAX;
    } else {
        s->step = of->choices.at[s->at].step != 0 ? of->choices.at[s->at].step : before + 1;
    }
}

static struct side side_of(const struct schedule *s, const char *name)
{
    struct side side = {.schedule = s, .name = name};
    find_step(&side, 0);
    return side;
}

static void pass(struct side *s)
{
    s->at++;
    find_step(s, s->step);
}

static const struct choice *choice_of(const struct side *s)
{
    return &s->schedule->choices.at[s->at];
}

static bool names_all(const struct schedule *s)
{
    return s->choices.count >= s->steps;
}

/* The choice without its place and, unless both have one, its fingerprint. */
static void print(const struct side *s, bool has_fingerprint, struct out *out)
{
    struct choice c = *choice_of(s);
    c.step = 0;
    c.message.has_fingerprint = c.message.has_fingerprint && has_fingerprint;
    out_open_memory(out);
    schedule_print_choice(s->schedule, &c, out);
    out->used--; /* the end of the line */
}

/* Both name this step: whether they name the same. */
static bool agree(const struct side *a, const struct side *b, char *text, size_t size)
{
    const bool has_fingerprint =
        choice_of(a)->message.has_fingerprint && choice_of(b)->message.has_fingerprint;
    struct out first;
    struct out second;
    print(a, has_fingerprint, &first);
    print(b, has_fingerprint, &second);
    const bool is_same =
        first.used == second.used && memcmp(first.buffer, second.buffer, first.used) == 0;
    if (!is_same) {
        (void)snprintf(text, size, "step %u is \"%.*s\" in the first and \"%.*s\" in the second",
                       a->step, (int)first.used, first.buffer, (int)second.used, second.buffer);
    }
    out_abandon(&first);
    out_abandon(&second);
    return is_same;
}

/* Only `s` names its next step: whether that may be the default all the same. */
static bool may_be_default(const struct side *s, char *text, size_t size)
{
    if (names_all(s->schedule)) {
        return true;
    }
    struct out line;
    print(s, false, &line);
    (void)snprintf(text, size, "step %u is \"%.*s\" in the %s alone", s->step, (int)line.used,
                   line.buffer, s->name);
    out_abandon(&line);
    return false;
}

static void compare_choices(struct side a, struct side b, char *text, size_t size)
{
    bool is_well = true;
    while (is_well && (a.step != UINT32_MAX || b.step != UINT32_MAX)) {
        const uint32_t step = a.step < b.step ? a.step : b.step;
        const bool in_a = a.step == step;
        const bool in_b = b.step == step;
        is_well =
            in_a && in_b ? agree(&a, &b, text, size) : may_be_default(in_a ? &a : &b, text, size);
        if (in_a) {
            pass(&a);
        }
        if (in_b) {
            pass(&b);
        }
    }
}

static bool is_same_name(const struct schedule *a, uint32_t x, const struct schedule *b, uint32_t y)
{
    return strcmp(names_text(&a->names, x), names_text(&b->names, y)) == 0;
}

const struct content *one_hash_content(const struct schedule *b, const struct schedule *a,
                                       const struct message_name *m)
{
    vec_each (&b->contents, other) {
        const struct message_name *n = &other->message;
        if (is_same_name(a, m->source, b, n->source) &&
            is_same_name(a, m->destination, b, n->destination) &&
            is_same_name(a, m->type, b, n->type) && m->occurrence == n->occurrence) {
            return other;
        }
    }
    return NULL;
}

static bool is_same_content(const struct schedule *a, const struct content *content,
                            const struct schedule *b, const struct content *other)
{
    return content->size == other->size &&
           (content->size == 0 || memcmp(a->content_bytes.at + content->offset,
                                         b->content_bytes.at + other->offset, content->size) == 0);
}

/* True when the contents of requests in both are equal. */
static bool have_same_contents(const struct schedule *a, const struct schedule *b, char *text,
                               size_t size)
{
    vec_each (&a->contents, content) {
        const struct message_name *m = &content->message;
        const struct content *other = one_hash_content(b, a, m);
        if (other != NULL && !is_same_content(a, content, b, other)) {
            (void)snprintf(text, size, "the content of %s>%s/%s#%u differs",
                           names_text(&a->names, m->source), names_text(&a->names, m->destination),
                           names_text(&a->names, m->type), m->occurrence);
            return false;
        }
    }
    return true;
}

void one_hash_doubt(const struct schedule *first, const struct schedule *second, char *text,
                    size_t size)
{
    *text = '\0';
    if (first->steps != 0 && second->steps != 0 && first->steps != second->steps) {
        (void)snprintf(text, size, "the first has %u steps, and the second %u", first->steps,
                       second->steps);
    } else if (have_same_contents(first, second, text, size)) {
        compare_choices(side_of(first, "first"), side_of(second, "second"), text, size);
    }
}
