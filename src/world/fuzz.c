#include "world/fuzz.h"

#include <string.h>

#include "base/suggest.h"
#include "base/yaml.h"
#include "world/world.h"

enum { EVENTS_MAX = 100000, NUMBERS_MAX = 4096, STEPS_MAX = 1 << 30 };

static const char *const kind_keys[] = {
#define KIND(id, key) [FUZZ_##id] = (key),
    FUZZ_KIND_LIST(KIND)
#undef KIND
        [FUZZ_KIND_COUNT] = NULL,
};

_Static_assert(sizeof kind_keys / sizeof *kind_keys == FUZZ_KIND_COUNT + 1,
               "a key for each kind, and the end");

static const char *const net_words[] = {"fifo", "datagram", NULL};

/* The keys of an event; those of a generator follow the others. */
#define KIND(id, key) key,
static const char *const initial_fields[] = {FUZZ_KIND_LIST(KIND) "to", "text", "numbers",
                                             "number_size", NULL};
static const char *const generator_fields[] = {FUZZ_KIND_LIST(KIND) "to",
                                               "text",
                                               "numbers",
                                               "number_size",
                                               "name",
                                               "weight",
                                               "most",
                                               "needs",
                                               NULL};
#undef KIND

struct reader {
    struct fuzz *fuzz;
    struct err *e;
};

static const char *keep(struct reader *r, const struct yaml_node *n)
{
    return arena_text(&r->fuzz->arena, n->text, n->size);
}

/* Reads a number into *number where the field exists. */
static int read_count(struct reader *r, const struct yaml_node *map, const char *key, int64_t most,
                      uint64_t *number)
{
    const struct yaml_node *n = yaml_field(map, key);
    int64_t value = 0;
    if (n == NULL) {
        return 0;
    }
    if (yaml_want_i64(n, 1, most, &value, r->e) < 0) {
        return -1;
    }
    *number = (uint64_t)value;
    return 0;
}

/* "any" is NULL. */
static int read_node(struct reader *r, const struct yaml_node *n, const char **node)
{
    if (yaml_want(n, YAML_TEXT, r->e) < 0) {
        return -1;
    }
    *node = strcmp(n->text, "any") == 0 ? NULL : keep(r, n);
    return 0;
}

/* Bytes of requests */

/* "3" or "1..3". */
static int read_range(struct reader *r, const struct yaml_node *n, struct fuzz_range *range)
{
    if (yaml_want(n, YAML_TEXT, r->e) < 0) {
        return -1;
    }
    const char *dots = strstr(n->text, "..");
    struct yaml_node least = *n;
    struct yaml_node most = *n;
    if (dots != NULL) {
        least.size = (size_t)(dots - n->text);
        least.text = arena_text(&r->fuzz->arena, n->text, least.size);
        most.text = dots + 2;
        most.size = n->size - least.size - 2;
        most.column += (uint32_t)least.size + 2;
    }
    if (yaml_want_i64(&least, INT64_MIN, INT64_MAX, &range->least, r->e) < 0) {
        return -1;
    }
    return yaml_want_i64(&most, range->least, INT64_MAX, &range->most, r->e);
}

static int read_numbers(struct reader *r, const struct yaml_node *n, struct fuzz_event *event)
{
    if (yaml_want(n, YAML_LIST, r->e) < 0) {
        return -1;
    }
    if (n->item_count > NUMBERS_MAX) {
        return yaml_refuse(n, r->e, "at most %d numbers", NUMBERS_MAX);
    }
    struct fuzz_range *ranges = arena_array(&r->fuzz->arena, struct fuzz_range, n->item_count);
    for (size_t i = 0; i < n->item_count; i++) {
        if (read_range(r, &n->items[i], &ranges[i]) < 0) {
            return -1;
        }
    }
    event->numbers = ranges;
    event->number_count = n->item_count;
    return 0;
}

static int read_bytes(struct reader *r, const struct yaml_node *map, struct fuzz_event *event)
{
    static const char *const sizes[] = {"1", "2", "4", "8", NULL};
    const struct yaml_node *text = yaml_field(map, "text");
    const struct yaml_node *numbers = yaml_field(map, "numbers");
    const struct yaml_node *size = yaml_field(map, "number_size");
    size_t index = 2;
    if (text != NULL && numbers != NULL) {
        return yaml_refuse(numbers->key, r->e, "text or numbers, not both");
    }
    if (size != NULL && yaml_want_word(size, sizes, &index, r->e) < 0) {
        return -1;
    }
    event->number_size = 1u << index;
    must(event->number_size <= sizeof(uint64_t));
    if (text != NULL) {
        if (yaml_want(text, YAML_TEXT, r->e) < 0) {
            return -1;
        }
        event->text = keep(r, text);
        event->text_size = text->size;
    }
    return numbers == NULL ? 0 : read_numbers(r, numbers, event);
}

/* Events */

/* The one key that names the kind of an event; NULL with the error when there is none or another.
 */
static const struct yaml_node *find_kind(struct reader *r, const struct yaml_node *map,
                                         enum fuzz_kind *kind)
{
    const struct yaml_node *found = NULL;
    for (enum fuzz_kind k = 0; k < FUZZ_KIND_COUNT; k++) {
        const struct yaml_node *n = yaml_field(map, kind_keys[k]);
        if (n != NULL && found != NULL) {
            (void)yaml_refuse(n->key, r->e, "an event is one thing, and this is %s already",
                              kind_keys[*kind]);
            return NULL;
        }
        if (n != NULL) {
            found = n;
            *kind = k;
        }
    }
    if (found == NULL) {
        (void)yaml_refuse(map, r->e,
                          "an event is a request, crash, restart, partition, heal or wait");
    }
    return found;
}

static int read_request(struct reader *r, const struct yaml_node *map, const struct yaml_node *type,
                        struct fuzz_event *event)
{
    const struct yaml_node *to = yaml_field(map, "to");
    event->type = keep(r, type);
    if (to == NULL) {
        return yaml_refuse(map, r->e, "a request says whom it goes to (to: NODE, or any)");
    }
    return read_node(r, to, &event->node) < 0 ? -1 : read_bytes(r, map, event);
}

static int read_event(struct reader *r, const struct yaml_node *map, const char *const *fields,
                      struct fuzz_event *event)
{
    *event = (struct fuzz_event){.weight = 1,
                                 .most = UINT64_MAX,
                                 .needs = SIZE_MAX,
                                 .line = map->line,
                                 .column = map->column};
    if (yaml_want_fields(map, fields, r->e) < 0) {
        return -1;
    }
    const struct yaml_node *what = find_kind(r, map, &event->kind);
    if (what == NULL || yaml_want(what, YAML_TEXT, r->e) < 0) {
        return -1;
    }
    event->name = event->kind == FUZZ_REQUEST || event->kind == FUZZ_WAIT ? keep(r, what)
                                                                          : kind_keys[event->kind];
    if (event->kind == FUZZ_REQUEST) {
        return read_request(r, map, what, event);
    }
    static const char *const only_requests[] = {"to", "text", "numbers", "number_size"};
    for (size_t i = 0; i < sizeof only_requests / sizeof *only_requests; i++) {
        const struct yaml_node *n = yaml_field(map, only_requests[i]);
        if (n != NULL) {
            return yaml_refuse(n->key, r->e, "only requests have this");
        }
    }
    if (event->kind == FUZZ_WAIT) {
        event->condition = strcmp(event->name, "rest") == 0 ? NULL : event->name;
        event->line = what->line;
        event->column = what->column;
        return 0;
    }
    return read_node(r, what, &event->node);
}

static int read_initial(struct reader *r, const struct yaml_node *list)
{
    if (yaml_want(list, YAML_LIST, r->e) < 0) {
        return -1;
    }
    if (list->item_count > EVENTS_MAX) {
        return yaml_refuse(list, r->e, "at most %d events", EVENTS_MAX);
    }
    for (size_t i = 0; i < list->item_count; i++) {
        struct fuzz_event event;
        if (read_event(r, &list->items[i], initial_fields, &event) < 0) {
            return -1;
        }
        vec_push(&r->fuzz->initial, event);
    }
    return 0;
}

/* Generators */

static int read_generator(struct reader *r, const struct yaml_node *map)
{
    struct fuzz_event event;
    if (read_event(r, map, generator_fields, &event) < 0 ||
        read_count(r, map, "weight", 1000000, &event.weight) < 0 ||
        read_count(r, map, "most", EVENTS_MAX, &event.most) < 0) {
        return -1;
    }
    if (event.kind == FUZZ_WAIT || event.kind == FUZZ_START) {
        return yaml_refuse(map, r->e, "waits and starts stand among the initial events only");
    }
    const struct yaml_node *name = yaml_field(map, "name");
    if (name != NULL) {
        if (yaml_want(name, YAML_TEXT, r->e) < 0) {
            return -1;
        }
        event.name = keep(r, name);
    }
    vec_push(&r->fuzz->generators, event);
    return 0;
}

/* Finds the prerequisite of the index-th generator. */
static int read_needs(struct reader *r, const struct yaml_node *map, size_t index)
{
    const struct yaml_node *needs = yaml_field(map, "needs");
    struct fuzz *f = r->fuzz;
    if (needs == NULL) {
        return 0;
    }
    if (yaml_want(needs, YAML_TEXT, r->e) < 0) {
        return -1;
    }
    struct suggest nearest = {.wanted = needs->text};
    for (size_t i = 0; i < f->generators.count; i++) {
        if (i != index && strcmp(f->generators.at[i].name, needs->text) == 0) {
            f->generators.at[index].needs = i;
            return 0;
        }
        if (i != index) {
            suggest_try(&nearest, f->generators.at[i].name);
        }
    }
    return nearest.nearest == NULL
               ? yaml_refuse(needs, r->e, "no other generator is called so")
               : yaml_refuse(needs, r->e, "no other generator is called so (did you mean %s?)",
                             nearest.nearest);
}

static int read_generate(struct reader *r, const struct yaml_node *map)
{
    static const char *const fields[] = {"events", "from", NULL};
    if (yaml_want_fields(map, fields, r->e) < 0 ||
        read_count(r, map, "events", EVENTS_MAX, &r->fuzz->event_count) < 0) {
        return -1;
    }
    const struct yaml_node *from = yaml_field(map, "from");
    if (from == NULL || r->fuzz->event_count == 0) {
        return yaml_refuse(map, r->e, "it says how many events (events: N), and from what (from:)");
    }
    if (yaml_want(from, YAML_LIST, r->e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < from->item_count; i++) {
        if (read_generator(r, &from->items[i]) < 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < from->item_count; i++) {
        if (read_needs(r, &from->items[i], i) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The rest */

static int read_channel(struct reader *r, const struct yaml_node *map)
{
    static const char *const fields[] = {"from", "to", "net", NULL};
    struct fuzz_channel channel = {.line = map->line, .column = map->column};
    size_t net = 0;
    if (yaml_want_fields(map, fields, r->e) < 0) {
        return -1;
    }
    const struct yaml_node *from = yaml_field(map, "from");
    const struct yaml_node *to = yaml_field(map, "to");
    const struct yaml_node *kind = yaml_field(map, "net");
    if (kind == NULL) {
        return yaml_refuse(map, r->e, "it says how messages travel (net: fifo, or datagram)");
    }
    if ((from != NULL && read_node(r, from, &channel.from) < 0) ||
        (to != NULL && read_node(r, to, &channel.to) < 0) ||
        yaml_want_word(kind, net_words, &net, r->e) < 0) {
        return -1;
    }
    must(net < sizeof net_words / sizeof *net_words - 1);
    channel.is_fifo = net == 0;
    vec_push(&r->fuzz->channels, channel);
    return 0;
}

static int read_channels(struct reader *r, const struct yaml_node *list)
{
    if (yaml_want(list, YAML_LIST, r->e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < list->item_count; i++) {
        if (read_channel(r, &list->items[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

static int read_net(struct reader *r, const struct yaml_node *n)
{
    size_t net = 0;
    if (yaml_want_word(n, net_words, &net, r->e) < 0) {
        return -1;
    }
    r->fuzz->net = net_words[net];
    return 0;
}

static int read_fingerprint(struct reader *r, const struct yaml_node *n)
{
    static const char *const words[] = {"property", "what", "any", NULL};
    _Static_assert(sizeof words / sizeof *words == FUZZ_BY_NOTHING + 2, "a word for each");
    size_t index = 0;
    if (yaml_want_word(n, words, &index, r->e) < 0) {
        return -1;
    }
    r->fuzz->fingerprint = (enum fuzz_fingerprint)index;
    return 0;
}

static int read_faults(struct reader *r, const struct yaml_node *n)
{
    struct fault_budget budget;
    struct err why = {.text = ""};
    if (yaml_want(n, YAML_TEXT, r->e) < 0) {
        return -1;
    }
    if (fault_budget_parse(&budget, n->text, &why) < 0) {
        return yaml_refuse(n, r->e, "%s", why.text);
    }
    r->fuzz->faults = keep(r, n);
    return 0;
}

static int read_weights(struct reader *r, const struct yaml_node *n)
{
    struct pick_weights weights;
    struct err why = {.text = ""};
    if (yaml_want(n, YAML_TEXT, r->e) < 0) {
        return -1;
    }
    if (weights_parse(&weights, n->text, &why) < 0) {
        return yaml_refuse(n, r->e, "%s", why.text);
    }
    r->fuzz->weights = keep(r, n);
    return 0;
}

static const struct {
    const char *key;
    int (*read)(struct reader *r, const struct yaml_node *n);
} parts[] = {{"initial", read_initial},   {"generate", read_generate},
             {"channels", read_channels}, {"net", read_net},
             {"faults", read_faults},     {"fingerprint", read_fingerprint},
             {"weights", read_weights}};

static int read_root(struct reader *r, const struct yaml_node *root)
{
    static const char *const fields[] = {"initial", "generate",    "channels",    "net",
                                         "steps",   "check_every", "fingerprint", "faults",
                                         "weights", NULL};
    if (yaml_want_fields(root, fields, r->e) < 0 ||
        read_count(r, root, "steps", STEPS_MAX, &r->fuzz->steps_max) < 0 ||
        read_count(r, root, "check_every", STEPS_MAX, &r->fuzz->check_every) < 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct yaml_node *n = yaml_field(root, parts[i].key);
        if (n != NULL && parts[i].read(r, n) < 0) {
            return -1;
        }
    }
    return 0;
}

int fuzz_read(struct fuzz *f, struct in *in, struct err *e)
{
    struct yaml y = {0};
    struct reader r = {.fuzz = f, .e = e};
    f->check_every = 1;
    int result = yaml_read(&y, in, e);
    if (result == 0 && y.root != NULL) {
        result = read_root(&r, y.root);
    }
    yaml_release(&y);
    must(f->check_every >= 1);
    return result;
}

void fuzz_release(struct fuzz *f)
{
    vec_release(&f->initial);
    vec_release(&f->generators);
    vec_release(&f->channels);
    arena_release(&f->arena);
}
