#include "atomicity/variable_accesses.h"

#include "base/sort.h"

/* Numbers of accesses, rising: events rise with them. */
struct run {
    const uint32_t *at;
    size_t count;
    uint8_t which;
    bool is_related;
};

typedef VEC(uint32_t) number_list;

static struct run run_of(const struct frame *f, uint32_t variable, uint8_t which)
{
    const struct variable *v = &f->variables.list.at[variable];
    return (struct run){
        .at = f->variables.by_variable.at + v->first, .count = v->count, .which = which};
}

static int compare_numbers(const void *left, const void *right, const void *context)
{
    (void)context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The accesses to resources above and below x. Resources are few: all are looked at. */
static struct run run_of_related(const struct frame *f, uint32_t x, number_list *numbers)
{
    const struct variables *v = &f->variables;
    const char *name = trace_name(f->trace, v->list.at[x].name);
    for (uint32_t i = 0; variable_is_resource(name) && i < v->list.count; i++) {
        if (!variable_is_below_or_above(name, trace_name(f->trace, v->list.at[i].name))) {
            continue;
        }
        for (uint32_t k = 0; k < v->list.at[i].count; k++) {
            vec_push(numbers, v->by_variable.at[v->list.at[i].first + k]);
        }
    }
    sort_stable(numbers->at, numbers->count, sizeof *numbers->at, compare_numbers, NULL);
    return (struct run){.at = numbers->at, .count = numbers->count, .is_related = true};
}

static void count_run(const struct frame *f, const struct run *run, uint32_t *count_of)
{
    for (size_t i = 0; i < run->count; i++) {
        count_of[f->variables.accesses.at[run->at[i]].task]++;
    }
}

/* Where each task's part begins, from how many it has. */
static void lay_out(struct sketch *s, uint32_t *count_of, uint32_t task_count)
{
    uint32_t thread_count = 0;
    for (uint32_t task = 0; task < task_count; task++) {
        thread_count += count_of[task] > 0;
    }
    s->threads = arena_array(&s->arena, struct sketch_thread, (size_t)thread_count + 1);
    for (uint32_t task = 0; task < task_count; task++) {
        if (count_of[task] == 0) {
            continue;
        }
        const uint32_t end = s->count + count_of[task];
        s->threads[s->thread_count++] =
            (struct sketch_thread){.task = task, .first = s->count, .end = end};
        count_of[task] = s->count;
        s->count = end;
    }
    s->list = arena_array(&s->arena, struct sketch_access, (size_t)s->count + 1);
}

/* Deals two runs out to the tasks, in the order of the list. */
static void deal(struct sketch *s, struct run one, struct run other, uint32_t *next_of)
{
    const struct variables *v = &s->frame->variables;
    for (uint32_t dealt = 0; dealt < s->count; dealt++) {
        must(one.count + other.count == s->count - dealt);
        struct run *run =
            other.count == 0 || (one.count > 0 && one.at[0] < other.at[0]) ? &one : &other;
        const struct access *a = &v->accesses.at[run->at[0]];
        s->list[next_of[a->task]++] = (struct sketch_access){.number = run->at[0],
                                                             .event = a->event,
                                                             .which = run->which,
                                                             .is_write = a->is_write,
                                                             .is_related = run->is_related};
        run->at++;
        run->count--;
    }
}

/* The threads are of different tasks, and share the list out among them. */
static void sketch_check(const struct sketch *s, const uint32_t *next_of)
{
    for (uint32_t i = 0; i < s->thread_count; i++) {
        const struct sketch_thread *thread = &s->threads[i];
        must(thread->first < thread->end);
        must(thread->first == (i == 0 ? 0 : s->threads[i - 1].end));
        must(i == 0 || s->threads[i - 1].task < thread->task);
        must(next_of[thread->task] == thread->end);
    }
    must(s->count == (s->thread_count == 0 ? 0 : s->threads[s->thread_count - 1].end));
}

void sketch_build(struct sketch *s, const struct frame *f, uint32_t x, uint32_t y)
{
    must(x != y);
    must(x < f->variables.list.count);
    must(y == VARIABLE_NONE || y < f->variables.list.count);
    *s = (struct sketch){.frame = f, .variables = {x, y}};
    const uint32_t task_count = (uint32_t)f->trace->tables.tasks.count;
    struct arena scratch = {0};
    uint32_t *count_of = arena_array(&scratch, uint32_t, (size_t)task_count + 1);
    number_list related = {0};
    const struct run one = run_of(f, x, 0);
    const struct run other = y != VARIABLE_NONE ? run_of(f, y, 1) : run_of_related(f, x, &related);
    count_run(f, &one, count_of);
    count_run(f, &other, count_of);
    lay_out(s, count_of, task_count);
    deal(s, one, other, count_of);
    sketch_check(s, count_of);
    vec_release(&related);
    arena_release(&scratch);
}

void sketch_release(struct sketch *s)
{
    arena_release(&s->arena);
}
