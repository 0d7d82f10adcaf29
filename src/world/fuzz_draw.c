#include <string.h>

#include "base/suggest.h"
#include "base/yaml.h"
#include "world/fuzz.h"

/* Names */

static uint32_t count_of(const char *const *names)
{
    uint32_t count = 0;
    while (names[count] != NULL) {
        count++;
    }
    return count;
}

/* The index of the name, or the number of names when it is none of them. */
static uint32_t index_of(const char *const *names, const char *name)
{
    uint32_t i = 0;
    while (names[i] != NULL && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

/* Checks a name at this place; NULL is any. */
static int check_name(const char *const *names, const char *what, const char *name,
                      const struct yaml_node *place, struct err *e)
{
    if (name == NULL || names[index_of(names, name)] != NULL) {
        return 0;
    }
    struct suggest nearest = {.wanted = name};
    for (; *names != NULL; names++) {
        suggest_try(&nearest, *names);
    }
    return nearest.nearest == NULL
               ? yaml_refuse(place, e, "the system has no %s \"%.60s\"", what, name)
               : yaml_refuse(place, e, "the system has no %s \"%.60s\" (did you mean %s?)", what,
                             name, nearest.nearest);
}

static int check_event(const struct fuzz_event *event, const struct fuzz_names *names,
                       struct err *e)
{
    const struct yaml_node place = {.line = event->line, .column = event->column};
    return check_name(names->nodes, "node", event->node, &place, e) < 0
               ? -1
               : check_name(names->messages, "message", event->type, &place, e);
}

int fuzz_check(const struct fuzz *f, const struct fuzz_names *names, struct err *e)
{
    vec_each (&f->initial, event) {
        if (check_event(event, names, e) < 0) {
            return -1;
        }
    }
    vec_each (&f->generators, event) {
        if (check_event(event, names, e) < 0) {
            return -1;
        }
    }
    vec_each (&f->channels, channel) {
        const struct yaml_node place = {.line = channel->line, .column = channel->column};
        const bool is_client = channel->from != NULL && strcmp(channel->from, FUZZ_CLIENT) == 0;
        if ((!is_client && check_name(names->nodes, "node", channel->from, &place, e) < 0) ||
            check_name(names->nodes, "node", channel->to, &place, e) < 0) {
            return -1;
        }
    }
    return 0;
}

static bool is_drawn(const struct fuzz_event *event)
{
    bool is_any = event->kind != FUZZ_REQUEST || event->node == NULL;
    for (size_t i = 0; i < event->number_count; i++) {
        is_any = is_any || event->numbers[i].least != event->numbers[i].most;
    }
    return is_any;
}

bool fuzz_is_drawn(const struct fuzz *f)
{
    vec_each (&f->initial, event) {
        if (is_drawn(event)) {
            return true;
        }
    }
    return f->generators.count > 0;
}

/* Drawing */

struct drawing {
    const struct fuzz *fuzz;
    const struct fuzz_names *names;
    struct prng *prng;
    struct arena *arena;
    uint64_t *drawn; /* of each generator */
};

static int64_t draw_number(struct drawing *d, const struct fuzz_range *range)
{
    must(range->least <= range->most);
    const uint64_t span = (uint64_t)range->most - (uint64_t)range->least + 1;
    const uint64_t offset = span == 0 ? prng_next(d->prng) : prng_below(d->prng, span);
    return (int64_t)((uint64_t)range->least + offset);
}

static void draw_bytes(struct drawing *d, const struct fuzz_event *event,
                       struct fuzz_injection *injection)
{
    if (event->text != NULL) {
        injection->bytes = event->text;
        injection->size = event->text_size;
        return;
    }
    unsigned char *bytes =
        arena_array(d->arena, unsigned char, event->number_count * event->number_size + 1);
    injection->bytes = bytes;
    injection->size = event->number_count * event->number_size;
    for (size_t i = 0; i < event->number_count; i++) {
        const uint64_t number = (uint64_t)draw_number(d, &event->numbers[i]);
        for (uint32_t byte = 0; byte < event->number_size; byte++) {
            *bytes++ = (unsigned char)(number >> (8 * byte));
        }
    }
}

static struct fuzz_injection draw_event(struct drawing *d, const struct fuzz_event *event)
{
    struct fuzz_injection injection = {.event = event};
    if (event->kind == FUZZ_WAIT) {
        return injection;
    }
    injection.node = event->node != NULL ? index_of(d->names->nodes, event->node)
                                         : (uint32_t)prng_below(d->prng, count_of(d->names->nodes));
    must(d->names->nodes[injection.node] != NULL);
    if (event->kind == FUZZ_REQUEST) {
        injection.type = index_of(d->names->messages, event->type);
        must(d->names->messages[injection.type] != NULL);
        draw_bytes(d, event, &injection);
    }
    return injection;
}

/* The weight of the generator as the next one; 0 when it is not allowed. */
static uint64_t weight_of(const struct drawing *d, size_t generator)
{
    const struct fuzz_event *event = &d->fuzz->generators.at[generator];
    must(event->weight >= 1);
    must(event->needs == SIZE_MAX || event->needs < d->fuzz->generators.count);
    const bool is_allowed = d->drawn[generator] < event->most &&
                            (event->needs == SIZE_MAX || d->drawn[event->needs] > 0);
    return is_allowed ? event->weight : 0;
}

/* The next generator by weight; SIZE_MAX when none may be drawn. */
static size_t draw_generator(struct drawing *d)
{
    const size_t count = d->fuzz->generators.count;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += weight_of(d, i);
    }
    if (total == 0) {
        return SIZE_MAX;
    }
    uint64_t at = prng_below(d->prng, total);
    size_t i = 0;
    while (at >= weight_of(d, i)) {
        at -= weight_of(d, i);
        i++;
    }
    must(i < count);
    return i;
}

struct fuzz_injections fuzz_draw(const struct fuzz *f, const struct fuzz_names *names,
                                 struct prng *prng, struct arena *arena)
{
    struct drawing d = {.fuzz = f,
                        .names = names,
                        .prng = prng,
                        .arena = arena,
                        .drawn = arena_array(arena, uint64_t, f->generators.count + 1)};
    struct fuzz_injections drawn = {
        .list = arena_array(arena, struct fuzz_injection, f->initial.count + f->event_count + 1)};
    vec_each (&f->initial, event) {
        drawn.list[drawn.count++] = draw_event(&d, event);
    }
    for (uint64_t i = 0; i < f->event_count; i++) {
        const size_t generator = draw_generator(&d);
        if (generator == SIZE_MAX) {
            break;
        }
        d.drawn[generator]++;
        drawn.list[drawn.count++] = draw_event(&d, &f->generators.at[generator]);
    }
    must(drawn.count <= f->initial.count + f->event_count);
    return drawn;
}
