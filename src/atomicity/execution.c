#include "atomicity/execution.h"

#include "base/map.h"

/* An event of several steps happens with the last of them that needs anything. */
static bool is_pending(const struct model_thread *thread, uint32_t step)
{
    return step + 1 < thread->count && thread->steps[step + 1].event == thread->steps[step].event &&
           thread->steps[step + 1].kind != STEP_UNLOCK;
}

void execution_expand(const struct model *m, const struct place *steps, size_t count,
                      event_list *events)
{
    const struct contexts *c = &m->frame->hb.contexts;
    struct arena scratch = {0};
    uint32_t *done = arena_array(&scratch, uint32_t, (size_t)m->thread_count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct model_thread *thread = &m->threads[steps[i].thread];
        const uint32_t end =
            c->position[thread->steps[steps[i].step].event] + !is_pending(thread, steps[i].step);
        for (; done[steps[i].thread] < end; done[steps[i].thread]++) {
            vec_push(events, context_event(c, thread->task, done[steps[i].thread]));
        }
    }
    arena_release(&scratch);
}

/* ---- checking ---- */

/* Who holds a lock, as the events themselves tell. */
struct holder {
    uint32_t task; /* that holds it alone, plus one; 0: nobody */
    uint32_t depth;
    uint32_t shared_count;
};

struct check {
    const struct frame *f;
    const struct execution_claim *c;
    struct arena arena;
    uint32_t *rank;        /* per event: its place in the execution plus one, 0: not in it */
    uint32_t *position;    /* per task: how many of its events came */
    struct holder *locks;  /* by lock */
    struct map shared_of;  /* (task, lock) to how often it is held in shared mode */
    VEC(uint32_t) version; /* per variable: how often it was written */
    struct map seen;       /* (task, variable) to the version of its last read */
    struct err *e;
};

static int refuse(const struct check *c, event_id id, const char *why)
{
    return err_set(c->e, "event %u could not happen there: %s", id, why);
}

static int take_lock(struct check *c, event_id id, uint32_t task, const struct section *s)
{
    struct holder *h = &c->locks[s->lock];
    if (h->task != 0 && h->task != task + 1) {
        return refuse(c, id, "its lock is held by another task");
    }
    if (s->is_shared && h->task == 0) {
        h->shared_count++;
        ++*map_slot(&c->shared_of, map_pair(task, s->lock), 0, NULL);
        return 0;
    }
    const uint32_t *own =
        h->shared_count == 0 ? NULL : map_get(&c->shared_of, map_pair(task, s->lock));
    if (h->shared_count > (own == NULL ? 0 : *own)) {
        return refuse(c, id, "its lock is held by others that share it");
    }
    h->task = task + 1;
    h->depth++;
    return 0;
}

static void give_lock(struct check *c, uint32_t task, const struct section *s)
{
    struct holder *h = &c->locks[s->lock];
    if (h->task == task + 1) {
        h->depth--;
        h->task = h->depth == 0 ? 0 : h->task;
        return;
    }
    uint32_t *own = map_slot(&c->shared_of, map_pair(task, s->lock), 0, NULL);
    if (*own > 0) {
        --*own;
        h->shared_count--;
    }
}

/* Sections say what is held, where a trace does not show it by itself (waits, locks that another
 * task is seen to take): their ends are events too. */
static int check_locks(struct check *c)
{
    const struct frame *f = c->f;
    const size_t task_count = f->trace->tables.tasks.count;
    uint32_t *next = arena_array(&c->arena, uint32_t, task_count + 1);
    for (size_t task = 0; task < task_count; task++) {
        next[task] = f->first[task];
    }
    for (size_t i = 0; i < c->c->count; i++) {
        const event_id id = c->c->events[i];
        const uint32_t task = trace_at(f->trace, id)->task;
        for (; next[task] < f->first[task + 1] && f->marks[next[task]].event <= id; next[task]++) {
            const struct mark *mark = &f->marks[next[task]];
            if (mark->kind == MARK_POINT) {
                continue;
            }
            const struct section *s = &f->hb.sections.list[mark->section];
            if (mark->kind == MARK_UNLOCK) {
                give_lock(c, task, s);
            } else if (take_lock(c, id, task, s) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int check_tasks(struct check *c)
{
    for (size_t i = 0; i < c->c->count; i++) {
        const event_id id = c->c->events[i];
        const uint32_t task = trace_at(c->f->trace, id)->task;
        if (c->f->hb.contexts.position[id] != c->position[task]++) {
            return refuse(c, id, "its task did something else first");
        }
        c->rank[id] = (uint32_t)i + 1;
    }
    return 0;
}

static int check_edges(struct check *c)
{
    vec_each (&c->f->hb.edges.list, edge) {
        if (c->rank[edge->to] != 0 &&
            (c->rank[edge->from] == 0 || c->rank[edge->from] > c->rank[edge->to])) {
            return refuse(c, edge->to, "what must come before has not");
        }
    }
    return 0;
}

static bool has_versions(const struct variables *v)
{
    vec_each (&v->list, variable) {
        if (variable->is_checked) {
            return true;
        }
    }
    return false;
}

static int check_versions(struct check *c)
{
    const struct variables *v = &c->f->variables;
    struct map access_of = {0};
    if (!has_versions(v)) {
        return 0;
    }
    for (uint32_t i = 0; i < v->accesses.count; i++) {
        if (v->list.at[v->accesses.at[i].variable].is_checked) {
            map_put(&access_of, v->accesses.at[i].event, i);
        }
    }
    vec_reserve(&c->version, v->list.count);
    for (size_t i = 0; i < v->list.count; i++) {
        vec_push(&c->version, 0);
    }
    int result = 0;
    for (size_t i = 0; i < c->c->count && result == 0; i++) {
        const uint32_t *number = map_get(&access_of, c->c->events[i]);
        if (number == NULL) {
            continue;
        }
        const struct access *a = &v->accesses.at[*number];
        const uint64_t key = map_pair(a->task, a->variable);
        if (!a->is_write) {
            map_put(&c->seen, key, c->version.at[a->variable]);
        } else {
            const uint32_t *seen = map_get(&c->seen, key);
            if (a->partner != ACCESS_NONE && *seen != c->version.at[a->variable]) {
                result = refuse(c, a->event, "the version it asks for is no more");
            }
            c->version.at[a->variable]++;
        }
    }
    map_release(&access_of);
    return result;
}

static int check_places(struct check *c)
{
    uint32_t last = 0;
    for (size_t i = 0; i < c->c->place_count; i++) {
        const uint32_t rank = c->rank[c->c->places[i]];
        if (rank <= last) {
            return refuse(c, c->c->places[i], "it was claimed to come later");
        }
        last = rank;
    }
    return 0;
}

int execution_check(const struct frame *f, const struct execution_claim *claim, struct err *e)
{
    struct check c = {.f = f, .c = claim, .e = e};
    c.rank = arena_array(&c.arena, uint32_t, f->trace->events.count + 1);
    c.locks = arena_array(&c.arena, struct holder, (size_t)f->hb.sections.lock_count + 1);
    c.position = arena_array(&c.arena, uint32_t, f->trace->tables.tasks.count + 1);
    int result = check_tasks(&c);
    if (result == 0) {
        result = check_edges(&c);
    }
    if (result == 0) {
        result = check_locks(&c);
    }
    if (result == 0) {
        result = check_versions(&c);
    }
    if (result == 0) {
        result = check_places(&c);
    }
    map_release(&c.shared_of);
    map_release(&c.seen);
    vec_release(&c.version);
    arena_release(&c.arena);
    return result;
}

/* ---- reads ---- */

/* Which write each read saw in the trace: the last one listed before it. */
static uint32_t *writers_in_trace(const struct variables *v, struct arena *a)
{
    uint32_t *last = arena_array(a, uint32_t, v->list.count + 1);
    uint32_t *writer = arena_array(a, uint32_t, v->accesses.count + 1);
    for (uint32_t i = 0; i < v->accesses.count; i++) {
        const struct access *access = &v->accesses.at[i];
        writer[i] = last[access->variable];
        if (access->is_write) {
            last[access->variable] = i + 1;
        }
    }
    return writer;
}

bool execution_keeps_reads(const struct frame *f, const event_id *events, size_t count)
{
    const struct variables *v = &f->variables;
    struct arena scratch = {0};
    const uint32_t *writer = writers_in_trace(v, &scratch);
    uint32_t *last = arena_array(&scratch, uint32_t, v->list.count + 1);
    event_id *last_event = arena_array(&scratch, event_id, f->trace->tables.tasks.count + 1);
    struct map access_of = {0};
    for (uint32_t i = 0; i < v->accesses.count; i++) {
        map_put(&access_of, v->accesses.at[i].event, i);
    }
    for (size_t i = 0; i < count; i++) {
        last_event[trace_at(f->trace, events[i])->task] = events[i];
    }
    bool is_kept = true;
    for (size_t i = 0; i < count && is_kept; i++) {
        const uint32_t *number = map_get(&access_of, events[i]);
        if (number == NULL) {
            continue;
        }
        const struct access *a = &v->accesses.at[*number];
        if (a->is_write) {
            last[a->variable] = *number + 1;
        } else {
            is_kept = last[a->variable] == writer[*number] || last_event[a->task] == a->event;
        }
    }
    map_release(&access_of);
    arena_release(&scratch);
    return is_kept;
}
