#include "atomicity/shared_variable.h"

#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "order/object_key.h"
#include "trace/kind_table.h"

/* Where a task is. */
struct stand {
    uint32_t operation, operation_last; /* now, and the largest number so far */
    uint32_t region, region_count;      /* now (0: in none), and how many so far */
    uint32_t depth;                     /* of marked regions */
    uint32_t wait_count;                /* for conditions */
    event_id tested_from;               /* see struct access */
    bool has_waited;                    /* since its last access */
    struct scope_path path;
};

/* What the read-modify-writes at a place did to the value, as far as it is known. */
enum { CHANGES_NOTHING = 1, CHANGES_VALUE = 2 };

struct build {
    struct variables *v;
    const struct trace *t;
    struct map number_of[2]; /* scoped name to its variable of this life: plain, atomic */
    struct map life_of;      /* scoped name of a block to how often it was freed */
    struct map versioned;    /* (task, resource) to the last access that showed its version */
    struct map checked;      /* scoped names of resources whose writes are checked */
    struct map sync;         /* scoped names of locks, conditions, semaphores */
    struct map atomic;       /* scoped names that are written atomically, to the number of plain
                                writes of them */
    struct map changes;      /* places of atomic read-modify-writes, to the bits below */
    VEC(uint32_t) block_of;  /* per name: the name of its block, itself where it is none's part */
    VEC(uint32_t) class_of;  /* per name: its class plus one, 0: not known yet */
    VEC(uint32_t) last_task; /* per variable */
    VEC(uint32_t) life;      /* per variable */
    struct stand *stands;    /* per task */
    struct arena arena;
};

bool variable_is_resource(const char *name)
{
    return name[0] == '/';
}

bool variable_is_below_or_above(const char *name, const char *other)
{
    const size_t size = strlen(name);
    const size_t size_other = strlen(other);
    const size_t shorter = size < size_other ? size : size_other;
    const char *longer = size < size_other ? other : name;
    if (size == size_other || strncmp(name, other, shorter) != 0) {
        return false;
    }
    return longer[shorter] == '/' || (shorter > 0 && longer[shorter - 1] == '/');
}

/* ---- names ---- */

/* Where "+OFFSET" begins, the end of the text where there is none. */
static const char *find_offset(const char *name)
{
    const char *plus = strrchr(name, '+');
    const char *end = name + strlen(name);
    return plus != NULL && plus[1] != '\0' && strspn(plus + 1, "0123456789") == strlen(plus + 1)
               ? plus
               : end;
}

static uint32_t block_name(struct build *b, uint32_t name)
{
    while (b->block_of.count <= name) {
        vec_push(&b->block_of, UINT32_MAX);
    }
    if (b->block_of.at[name] == UINT32_MAX) {
        const char *text = trace_name(b->t, name);
        const uint32_t block =
            names_find(&b->t->tables.names, text, (size_t)(find_offset(text) - text));
        b->block_of.at[name] = block == 0 ? name : block;
    }
    return b->block_of.at[name];
}

/* "bank.c:42#3+8" without "#3". */
static uint32_t class_of_memory(struct names *classes, const char *name)
{
    const char *offset = find_offset(name);
    const char *mark = memrchr(name, '#', (size_t)(offset - name));
    const bool is_block = mark != NULL && mark + 1 < offset &&
                          strspn(mark + 1, "0123456789") == (size_t)(offset - mark - 1);
    if (!is_block) {
        return names_intern_text(classes, name);
    }
    struct arena scratch = {0};
    const size_t size = strlen(name) + 1;
    char *text = arena_array(&scratch, char, size);
    memcpy(text, name, (size_t)(mark - name));
    memcpy(text + (mark - name), offset, strlen(offset) + 1);
    const uint32_t class = names_intern_text(classes, text);
    arena_release(&scratch);
    return class;
}

/* The template follows the verb in the place of an access. */
static uint32_t class_of_resource(struct names *classes, const char *name, const char *place)
{
    const char *blank = strchr(place, ' ');
    return names_intern_text(classes,
                             blank != NULL && variable_is_resource(blank + 1) ? blank + 1 : name);
}

uint32_t variable_class(struct names *classes, const char *name, const char *place)
{
    return variable_is_resource(name) ? class_of_resource(classes, name, place)
                                      : class_of_memory(classes, name);
}

static uint32_t class_of(struct build *b, const struct event *e)
{
    while (b->class_of.count <= e->object) {
        vec_push(&b->class_of, 0);
    }
    if (b->class_of.at[e->object] == 0) {
        b->class_of.at[e->object] = variable_class(&b->v->classes, trace_name(b->t, e->object),
                                                   trace_name(b->t, e->location)) +
                                    1;
    }
    return b->class_of.at[e->object] - 1;
}

/* ---- accesses ---- */

/* A plain read of a name that is written by atomic operations alone, but for its initialization,
 * is used as a relaxed load. */
static bool is_used_as_load(const struct build *b, const struct event *e, uint64_t key)
{
    const uint32_t *plain_writes =
        e->kind == EVENT_READ || e->kind == EVENT_LOST ? map_get(&b->atomic, key) : NULL;
    return plain_writes != NULL && *plain_writes <= 1;
}

static uint32_t variable_number(struct build *b, const struct event *e)
{
    const uint64_t key = scope_name(b->t, e, e->object);
    const uint32_t *freed = map_get(&b->life_of, scope_name(b->t, e, block_name(b, e->object)));
    const uint32_t life = freed == NULL ? 0 : *freed;
    bool is_new = false;
    const bool is_atomic = event_class(e) == CLASS_ATOMIC || is_used_as_load(b, e, key);
    uint32_t *number = map_slot(&b->number_of[is_atomic], key, (uint32_t)b->v->list.count, &is_new);
    if (!is_new && b->life.at[*number] != life) {
        *number = (uint32_t)b->v->list.count;
        is_new = true;
    }
    if (is_new) {
        vec_push(&b->v->list, (struct variable){.node = trace_node_of(b->t, e),
                                                .name = e->object,
                                                .class = class_of(b, e),
                                                .is_atomic = is_atomic,
                                                .is_sync = map_get(&b->sync, key) != NULL});
        vec_push(&b->last_task, UINT32_MAX);
        vec_push(&b->life, life);
    }
    return *number;
}

/* A conditional write asks for the version that its task has seen last, by a read or by a write of
 * its own. One without such an access counts as plain. On a resource that is known to check, every
 * write asks. */
static void set_condition(struct build *b, const struct event *e, struct access *a)
{
    const bool is_known_to_check = map_get(&b->checked, scope_name(b->t, e, e->object)) != NULL;
    if (e->mode != ACCESS_CONDITIONAL && !is_known_to_check) {
        return;
    }
    const uint32_t *last = map_get(&b->versioned, map_pair(a->task, a->variable));
    if (last == NULL) {
        a->is_conditional = is_known_to_check;
        return;
    }
    /* The text of a read is the version it has seen, that of a write the one it asked for. */
    const struct access *versioned = &b->v->accesses.at[*last];
    const uint32_t version = versioned->is_write ? 0 : trace_at(b->t, versioned->event)->text;
    a->is_conditional = version == e->text || version == 0 || e->text == 0 || is_known_to_check;
    a->asked = a->is_conditional ? *last : ACCESS_NONE;
}

/* Keeps the version of the resource that the task knows after this access: a read without one tells
 * nothing new. */
static void learn_version(struct build *b, const struct event *e, const struct access *a)
{
    const uint32_t number = (uint32_t)b->v->accesses.count;
    bool is_new = false;
    uint32_t *versioned = map_slot(&b->versioned, map_pair(a->task, a->variable), number, &is_new);
    if (a->is_write || e->text != 0 || is_new) {
        *versioned = number;
    }
}

/* Operations at one line differ by what the program does with their results. */
static uint64_t change_key(const struct event *e)
{
    return map_pair(e->location, e->mode);
}

static bool changes_nothing(const struct build *b, const struct event *e)
{
    const uint32_t *changes =
        e->kind == EVENT_ATOMIC_RMW ? map_get(&b->changes, change_key(e)) : NULL;
    return changes != NULL && *changes == CHANGES_NOTHING && !event_is_blind(e);
}

/* The access of the task before its wait that this one, the first behind it, repeats: of the same
 * variable and at the same place. */
static event_id find_test(const struct build *b, const struct access *a)
{
    enum { ACCESSES_MAX = 1000 };
    const uint32_t location = trace_at(b->t, a->event)->location;
    const size_t count = b->v->accesses.count;
    for (size_t back = 1; back <= count && back <= ACCESSES_MAX && location != 0; back++) {
        const struct access *before = &b->v->accesses.at[count - back];
        if (before->task == a->task && before->operation != a->operation) {
            break;
        }
        if (before->task == a->task && before->variable == a->variable &&
            trace_at(b->t, before->event)->location == location) {
            return before->is_test && before->tested_from != EVENT_NONE ? before->tested_from
                                                                        : before->event;
        }
    }
    return EVENT_NONE;
}

static void add_access(struct build *b, event_id id)
{
    const struct event *e = trace_at(b->t, id);
    struct access a = {.event = id,
                       .task = e->task,
                       .variable = variable_number(b, e),
                       .asked = ACCESS_NONE,
                       .operation = b->stands[e->task].operation,
                       .region = b->stands[e->task].region,
                       .scope = scope_now(&b->stands[e->task].path),
                       .wait_count = b->stands[e->task].wait_count,
                       .is_write = e->kind != EVENT_READ && e->kind != EVENT_ATOMIC_LOAD &&
                                   !changes_nothing(b, e)};
    a.is_read = !a.is_write || (e->kind == EVENT_ATOMIC_RMW && !event_is_blind(e));
    struct stand *stand = &b->stands[e->task];
    if (stand->has_waited) {
        stand->has_waited = false;
        stand->tested_from = find_test(b, &a);
        a.is_test = true;
    }
    a.tested_from = stand->tested_from;
    struct variable *v = &b->v->list.at[a.variable];
    if (variable_is_resource(trace_name(b->t, e->object))) {
        if (a.is_write) {
            set_condition(b, e, &a);
        }
        learn_version(b, e, &a);
    }
    v->count++;
    v->is_written |= a.is_write;
    v->is_checked |= a.is_conditional;
    uint32_t *last_task = &b->last_task.at[a.variable];
    if (*last_task != a.task && v->task_count < 2) {
        v->task_count++;
        *last_task = a.task;
    }
    vec_push(&b->v->accesses, a);
}

/* Which resources ever refused a write by its version. */
static void collect_checked(struct build *b)
{
    const uint32_t conflict = names_find(&b->t->tables.names, "conflict", strlen("conflict"));
    for (event_id id = 0; conflict != 0 && id < b->t->events.count; id++) {
        const struct event *e = trace_at(b->t, id);
        if (e->kind == EVENT_RESPONSE && e->text == conflict) {
            map_put(&b->checked, scope_name(b->t, e, e->object), 1);
            vec_push(&b->v->refusals,
                     (struct refusal){.event = id, .task = e->task, .name = e->object});
        }
    }
}

static void collect_sync(struct build *b)
{
    trace_each (b->t, e) {
        if (event_class(e) == CLASS_SYNC && e->object != 0) {
            map_put(&b->sync, scope_name(b->t, e, e->object), 1);
        }
    }
}

static void collect_atomic(struct build *b)
{
    trace_each (b->t, e) {
        if (e->object != 0 && (e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW)) {
            map_put(&b->atomic, scope_name(b->t, e, e->object), 0);
        }
    }
    if (b->atomic.entries.count == 0) {
        return;
    }
    trace_each (b->t, e) {
        uint32_t *plain_writes = e->kind == EVENT_WRITE && e->object != 0
                                     ? map_get(&b->atomic, scope_name(b->t, e, e->object))
                                     : NULL;
        if (plain_writes != NULL) {
            ++*plain_writes;
        }
    }
}

/* Finds the atomic read-modify-writes that never change the value: `__sync_fetch_and_add(&n, 0)` is
 * a load. */
static void collect_changes(struct build *b)
{
    struct map value_of = {0}; /* scoped name to its last atomic access, if that has a value */
    trace_each (b->t, e) {
        const bool is_atomic = event_class(e) == CLASS_ATOMIC;
        if (e->object == 0 || (!is_atomic && e->kind != EVENT_WRITE)) {
            continue;
        }
        const uint64_t key = scope_name(b->t, e, e->object);
        const event_id id = (event_id)(e - b->t->events.at);
        const uint32_t *last = map_get(&value_of, key);
        const bool is_known = is_atomic && (e->has & HAS_VALUE) != 0;
        if (is_known && e->kind == EVENT_ATOMIC_RMW && e->location != 0 && last != NULL &&
            *last != EVENT_NONE) {
            *map_slot(&b->changes, change_key(e), 0, NULL) |=
                trace_at(b->t, *last)->value == e->value ? CHANGES_NOTHING : CHANGES_VALUE;
        }
        map_put(&value_of, key, is_known ? id : EVENT_NONE);
    }
    map_release(&value_of);
}

static void lay_out(struct variables *v)
{
    uint32_t first = 0;
    vec_each (&v->list, variable) {
        variable->first = first;
        first += variable->count;
        variable->count = 0;
    }
    vec_reserve(&v->by_variable, v->accesses.count);
    v->by_variable.count = v->accesses.count;
    for (uint32_t i = 0; i < v->accesses.count; i++) {
        struct variable *variable = &v->list.at[v->accesses.at[i].variable];
        v->by_variable.at[variable->first + variable->count++] = i;
    }
}

/* Whether the task reads again, in the same call, the value that an update has stored:
 * `slot[--count]` that is not optimized. */
static bool is_looked_at(const struct trace *t, const struct access *update, const struct access *a)
{
    return !a->is_write && a->scope == update->scope && a->operation == update->operation &&
           !event_is_blind(trace_at(t, a->event));
}

/* Which calls and rounds of loops have written a shared variable. An update that only adds
 * says nothing, unless its task looks at the result. */
static void collect_acts(struct build *b)
{
    const struct access **update = /* per task: its last one that nothing followed yet */
        arena_array(&b->arena, const struct access *, b->t->tables.tasks.count + 1);
    vec_each (&b->v->accesses, a) {
        const struct event *e = trace_at(b->t, a->event);
        const struct access *before = update[a->task];
        const bool is_same = before != NULL && before->variable == a->variable;
        const bool is_plain_write = a->is_write && e->kind == EVENT_WRITE;
        if (variable_is_shared(&b->v->list.at[a->variable]) &&
            ((is_plain_write && e->mode == MODE_UNSAID) ||
             (is_same && is_looked_at(b->t, before, a)))) {
            scope_act(&b->v->scopes, a->scope);
        }
        update[a->task] = is_plain_write && e->mode != MODE_UNSAID ? a : is_same ? NULL : before;
    }
}

/* Where the task is after the event. */
static void move(struct build *b, const struct event *e)
{
    struct stand *s = &b->stands[e->task];
    if (e->kind == EVENT_SCOPE) {
        scope_move(&b->v->scopes, &s->path, e);
    } else if (e->kind == EVENT_WAIT_END) {
        s->wait_count++;
        s->has_waited = true;
    } else if (e->kind == EVENT_OPERATION) {
        s->path.count = 0;
        s->operation = (e->has & HAS_COUNT) != 0 ? e->count : s->operation_last + 1;
        s->operation_last = s->operation > s->operation_last ? s->operation : s->operation_last;
    } else if (e->kind == EVENT_ATOMIC_BEGIN && s->depth++ == 0) {
        s->region = ++s->region_count;
    } else if (e->kind == EVENT_ATOMIC_END && s->depth > 0 && --s->depth == 0) {
        s->region = 0;
    }
}

/* The lists of variables are a partition of the accesses, each in the order of the trace. */
static void variables_check(const struct variables *v)
{
    size_t total = 0;
    vec_each (&v->list, variable) {
        const uint32_t *own = &v->by_variable.at[variable->first];
        must(variable->first == total);
        must(variable->task_count <= 2);
        must(variable->count == 0 || variable->task_count > 0);
        for (uint32_t i = 0; i < variable->count; i++) {
            must(v->accesses.at[own[i]].variable == (uint32_t)(variable - v->list.at));
            must(i == 0 || own[i - 1] < own[i]);
        }
        total += variable->count;
    }
    must(total == v->accesses.count);
    for (uint32_t i = 0; i < v->accesses.count; i++) {
        const struct access *a = &v->accesses.at[i];
        must(a->asked == ACCESS_NONE || a->asked < i);
        must(a->is_read || a->is_write);
        must(a->scope <= v->scopes.nodes.count);
    }
}

void variables_build(struct variables *v, const struct trace *t)
{
    struct build b = {.v = v, .t = t};
    names_init(&v->classes);
    b.stands = arena_array(&b.arena, struct stand, t->tables.tasks.count + 1);
    for (size_t i = 0; i < t->tables.tasks.count; i++) {
        b.stands[i] =
            (struct stand){.operation = 1, .operation_last = 1, .tested_from = EVENT_NONE};
    }
    collect_checked(&b);
    collect_sync(&b);
    collect_atomic(&b);
    collect_changes(&b);
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        move(&b, e);
        v->has_results |= e->kind == EVENT_READ && event_is_blind(e);
        if (e->kind == EVENT_FREE) {
            ++*map_slot(&b.life_of, scope_name(t, e, e->object), 0, NULL);
        } else if ((event_class(e) == CLASS_ACCESS || event_class(e) == CLASS_ATOMIC) &&
                   e->object != 0) {
            add_access(&b, id);
        } else if (e->kind == EVENT_LOST && e->object != 0) {
            vec_push(&v->lost, (struct lost){.event = id,
                                             .variable = variable_number(&b, e),
                                             .task = e->task,
                                             .operation = b.stands[e->task].operation});
        }
    }
    lay_out(v);
    collect_acts(&b);
    variables_check(v);
    map_release(&b.number_of[0]);
    map_release(&b.number_of[1]);
    map_release(&b.life_of);
    map_release(&b.versioned);
    map_release(&b.checked);
    map_release(&b.sync);
    map_release(&b.atomic);
    map_release(&b.changes);
    vec_release(&b.block_of);
    vec_release(&b.class_of);
    vec_release(&b.last_task);
    vec_release(&b.life);
    arena_release(&b.arena);
}

bool variables_began_anew(const struct variables *v, const struct trace *t, event_id first,
                          event_id second)
{
    const struct event *e = trace_at(t, first);
    size_t from = 0;
    size_t end = v->refusals.count;
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (v->refusals.at[middle].event <= first) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    for (; from < v->refusals.count && v->refusals.at[from].event < second; from++) {
        if (v->refusals.at[from].task == e->task && v->refusals.at[from].name == e->object) {
            return true;
        }
    }
    return false;
}

void variables_release(struct variables *v)
{
    vec_release(&v->list);
    vec_release(&v->accesses);
    vec_release(&v->by_variable);
    vec_release(&v->refusals);
    vec_release(&v->lost);
    names_release(&v->classes);
    scope_tree_release(&v->scopes);
    *v = (struct variables){0};
}
