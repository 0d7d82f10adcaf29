#include "atomicity/execution.h"

#include "atomicity/version.h"
#include "base/map.h"

void segments_add(struct segments *x, const struct frame *f, event_id event)
{
    const struct segment segment = {.task = trace_at(f->trace, event)->task,
                                    .end = f->hb.contexts.position[event] + 1};
    if (x->list.count > 0 && vec_last(&x->list)->task == segment.task) {
        *vec_last(&x->list) = segment;
    } else {
        vec_push(&x->list, segment);
    }
}

/* An event of several steps happens with the last of them that needs anything. */
static bool is_pending(const struct model_thread *thread, uint32_t step)
{
    return step + 1 < thread->count && thread->steps[step + 1].event == thread->steps[step].event &&
           thread->steps[step + 1].kind != STEP_UNLOCK;
}

void segments_add_steps(struct segments *x, const struct model *m, const struct stretch *steps,
                        size_t count)
{
    const size_t task_count = m->begin == NULL ? 0 : m->frame->trace->tables.tasks.count;
    for (size_t task = x->begin.count; task < task_count; task++) {
        vec_push(&x->begin, m->begin[task]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct model_thread *thread = &m->threads[steps[i].thread];
        uint32_t end = steps[i].end;
        while (end > steps[i].first && is_pending(thread, end - 1)) {
            end--;
        }
        if (end > steps[i].first) {
            segments_add(x, m->frame, thread->steps[end - 1].event);
        }
    }
}

void segments_release(struct segments *x)
{
    vec_release(&x->begin);
    vec_release(&x->list);
}

/* The position in the list when the segments begin. */
static event_id listed_end(const struct segments *x)
{
    event_id end = 0;
    vec_each (&x->begin, begin) {
        end = *begin > end ? *begin : end;
    }
    return end;
}

void segments_events(const struct segments *x, const struct frame *f, event_list *events)
{
    struct arena scratch = {0};
    uint32_t *done = arena_array(&scratch, uint32_t, f->trace->tables.tasks.count + 1);
    const event_id end = listed_end(x);
    for (event_id event = 0; event < end; event++) {
        const uint32_t task = trace_at(f->trace, event)->task;
        if (event < x->begin.at[task]) {
            vec_push(events, event);
            done[task]++;
        }
    }
    vec_each (&x->list, segment) {
        for (; done[segment->task] < segment->end; done[segment->task]++) {
            vec_push(events, context_event(&f->hb.contexts, segment->task, done[segment->task]));
        }
    }
    arena_release(&scratch);
}

/* ---- checking ---- */

/* The holder of a lock, as the events themselves tell. */
struct holder {
    uint32_t task; /* that holds it alone, plus one; 0: nobody */
    uint32_t depth;
    uint32_t shared_count;
};

struct check {
    const struct frame *f;
    const struct execution_claim *c;
    struct arena arena;
    uint32_t *done;       /* per task: how many of its events came */
    uint32_t *mark;       /* per task: its first mark that did not */
    struct holder *locks; /* by lock */
    struct map shared_of; /* (task, lock) to how often it is held in shared mode */
    size_t place_count;   /* places that came */
    struct err *e;
};

static int refuse(const struct check *c, event_id id, const char *why)
{
    return err_set(c->e, "event %u could not happen there: %s", id, why);
}

static int take_lock(struct check *c, event_id id, const struct section *s)
{
    struct holder *h = &c->locks[s->lock];
    if (h->task != 0 && h->task != s->task + 1) {
        return refuse(c, id, "its lock is held by another task");
    }
    if (s->is_shared && h->task == 0) {
        h->shared_count++;
        ++*map_slot(&c->shared_of, map_pair(s->task, s->lock), 0, NULL);
        return 0;
    }
    const uint32_t *own =
        h->shared_count == 0 ? NULL : map_get(&c->shared_of, map_pair(s->task, s->lock));
    if (h->shared_count > (own == NULL ? 0 : *own)) {
        return refuse(c, id, "its lock is held by others that share it");
    }
    h->task = s->task + 1;
    h->depth++;
    return 0;
}

static void give_lock(struct check *c, const struct section *s)
{
    struct holder *h = &c->locks[s->lock];
    if (h->task == s->task + 1) {
        h->depth--;
        h->task = h->depth == 0 ? 0 : h->task;
        return;
    }
    uint32_t *own = map_slot(&c->shared_of, map_pair(s->task, s->lock), 0, NULL);
    if (*own > 0) {
        --*own;
        h->shared_count--;
    }
}

/* Whether all events that must come before this one have happened. */
static int check_orders(struct check *c, event_id id)
{
    const struct hb *hb = &c->f->hb;
    const uint32_t task = trace_at(c->f->trace, id)->task;
    const struct graph_span in =
        graph_span_at(graph_into(&hb->graph, task), hb->contexts.position[id]);
    for (size_t i = 0; i < in.count; i++) {
        const event_id from = in.at[i].event;
        const uint32_t other = trace_at(c->f->trace, from)->task;
        if (other != task && c->done[other] <= hb->contexts.position[from]) {
            return refuse(c, id, "what must come before has not");
        }
    }
    return 0;
}

/* Sections tell the locks held where the events alone do not (waits, locks that another
 * task is seen to take): their ends are marks too. */
static int check_mark(struct check *c, const struct mark *mark)
{
    if (mark->kind != MARK_POINT && frame_is_version(c->f, mark->section)) {
        return 0; /* check_versions has its own view of them */
    }
    switch (mark->kind) {
    case MARK_POINT: return check_orders(c, mark->event);
    case MARK_LOCK: return take_lock(c, mark->event, &c->f->hb.sections.list[mark->section]);
    case MARK_UNLOCK: give_lock(c, &c->f->hb.sections.list[mark->section]); return 0;
    }
    bug("mark");
}

/* The places that are claimed for this segment come in it. */
static void pass_places(struct check *c, const struct segment *segment, uint32_t begin)
{
    const struct execution_claim *claim = c->c;
    uint32_t from = begin;
    for (; c->place_count < claim->place_count; c->place_count++) {
        const event_id place = claim->places[c->place_count];
        const uint32_t position = c->f->hb.contexts.position[place];
        if (trace_at(c->f->trace, place)->task != segment->task || position < from ||
            position >= segment->end) {
            return;
        }
        from = position + 1;
    }
}

static int check_segment(struct check *c, const struct segment *segment)
{
    const struct frame *f = c->f;
    const struct context *events = &f->hb.contexts.list[segment->task];
    const uint32_t begin = c->done[segment->task];
    must(segment->end <= events->count);
    if (segment->end <= begin) {
        return refuse(c, context_event(&f->hb.contexts, segment->task, segment->end - 1),
                      "it has happened before");
    }
    const event_id last = context_event(&f->hb.contexts, segment->task, segment->end - 1);
    uint32_t *next = &c->mark[segment->task];
    for (; *next < f->first[segment->task + 1] && f->marks[*next].event <= last; ++*next) {
        if (check_mark(c, &f->marks[*next]) < 0) {
            return -1;
        }
    }
    c->done[segment->task] = segment->end;
    pass_places(c, segment, begin);
    return 0;
}

/* ---- versions ---- */

static bool has_versions(const struct variables *v)
{
    vec_each (&v->list, variable) {
        if (variable->is_checked) {
            return true;
        }
    }
    return false;
}

/* Whether a write to the one resource changes the version of the other. */
static bool changes(const struct frame *f, const struct access *write, uint32_t variable)
{
    const struct variable *a = &f->variables.list.at[write->variable];
    const struct variable *b = &f->variables.list.at[variable];
    return write->variable == variable ||
           (a->node == b->node && variable_is_below_or_above(trace_name(f->trace, a->name),
                                                             trace_name(f->trace, b->name)));
}

/* Tasks that have read a version and have yet to ask for it. */
typedef VEC(const struct access *) asking_list;

/* A write happens; its own question, if it has one, is answered. */
static int pass_write(struct check *c, const struct access *write, asking_list *asking)
{
    size_t kept = 0;
    for (size_t i = 0; i < asking->count; i++) {
        const struct access *ask = asking->at[i];
        if (ask->task != write->task && changes(c->f, write, ask->variable)) {
            return refuse(c, ask->event, "the version it asks for is no more");
        }
        if (ask != write) {
            asking->at[kept++] = ask;
        }
    }
    asking->count = kept;
    return 0;
}

/* Per access, the write in this execution that asks for the version it has read, plus one. */
static const uint32_t *find_asks(struct check *c)
{
    const struct variables *v = &c->f->variables;
    uint32_t *ask_of = arena_array(&c->arena, uint32_t, v->accesses.count + 1);
    for (uint32_t i = 0; i < v->accesses.count; i++) {
        const struct access *a = &v->accesses.at[i];
        if (a->asked != ACCESS_NONE && c->f->hb.contexts.position[a->event] < c->done[a->task]) {
            ask_of[a->asked] = i + 1;
        }
    }
    return ask_of;
}

/* No version changes between the access that showed it and the write that asks for it. */
static int check_versions(struct check *c)
{
    const struct variables *v = &c->f->variables;
    if (!has_versions(v)) {
        return 0;
    }
    const uint32_t *ask_of = find_asks(c);
    asking_list asking = {0};
    event_list events = {0};
    int result = 0;
    segments_events(c->c->segments, c->f, &events);
    for (size_t i = 0; i < events.count && result == 0; i++) {
        const uint32_t number = c->f->access_of[events.at[i]];
        if (number == ACCESS_NONE) {
            continue;
        }
        if (v->accesses.at[number].is_write) {
            result = pass_write(c, &v->accesses.at[number], &asking);
        }
        if (ask_of[number] != 0) {
            vec_push(&asking, &v->accesses.at[ask_of[number] - 1]);
        }
    }
    vec_release(&asking);
    vec_release(&events);
    return result;
}

/* How many events of a task are listed before `begin`. O(log). */
static uint32_t events_before(const struct contexts *c, uint32_t task, event_id begin)
{
    uint32_t low = 0;
    uint32_t high = c->list[task].count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (context_event(c, task, middle) < begin) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A task that was held back while others went on, from its event `next` on, holds nothing that
 * they may have wanted, and none of them has done anything that must come after. */
static int check_held_back(const struct check *c, uint32_t task, event_id next)
{
    const struct frame *f = c->f;
    if (frame_is_holding(f, task, c->mark[task])) {
        return refuse(c, next, "others would have waited for a lock that its task holds");
    }
    for (uint32_t other = 0; other < f->hb.contexts.task_count; other++) {
        if (other != task && c->done[other] > 0 &&
            hb_is_before(&f->hb, next, context_event(&f->hb.contexts, other, c->done[other] - 1))) {
            return refuse(c, next, "it comes before what has happened");
        }
    }
    return 0;
}

/* The position of a task, and the locks it holds, when all events before `begin` have happened as
 * listed. */
static int start_task(struct check *c, uint32_t task, event_id begin)
{
    const struct frame *f = c->f;
    const uint32_t mark = c->mark[task];
    int result = 0;
    for (uint32_t i = 0; mark > f->first[task] && i < f->held_after[mark - 1].count && result == 0;
         i++) {
        const uint32_t section = f->held[f->held_after[mark - 1].first + i];
        result = take_lock(c, begin, &f->hb.sections.list[section]);
    }
    return result;
}

/* The events listed before the segments have happened. */
static int start(struct check *c)
{
    const struct frame *f = c->f;
    const struct segments *x = c->c->segments;
    const event_id end = listed_end(x);
    for (uint32_t task = 0; task < f->hb.contexts.task_count; task++) {
        const event_id begin = x->begin.count == 0 ? 0 : x->begin.at[task];
        c->mark[task] = frame_mark_from(f, task, begin);
        c->done[task] = events_before(&f->hb.contexts, task, begin);
    }
    int result = 0;
    for (uint32_t task = 0; task < x->begin.count && result == 0; task++) {
        const uint32_t done = c->done[task];
        const bool is_at_end = done == f->hb.contexts.list[task].count;
        const event_id next = is_at_end ? EVENT_NONE : context_event(&f->hb.contexts, task, done);
        result = next < end ? check_held_back(c, task, next) : start_task(c, task, end);
    }
    return result;
}

int execution_check(const struct frame *f, const struct execution_claim *claim, struct err *e)
{
    const uint32_t task_count = (uint32_t)f->trace->tables.tasks.count;
    struct check c = {.f = f, .c = claim, .e = e};
    c.locks = arena_array(&c.arena, struct holder, (size_t)f->hb.sections.lock_count + 1);
    c.done = arena_array(&c.arena, uint32_t, (size_t)task_count + 1);
    c.mark = arena_array(&c.arena, uint32_t, (size_t)task_count + 1);
    int result = start(&c);
    for (size_t i = 0; i < claim->segments->list.count && result == 0; i++) {
        result = check_segment(&c, &claim->segments->list.at[i]);
    }
    if (result == 0 && c.place_count < claim->place_count) {
        result = refuse(&c, claim->places[c.place_count], "it was claimed to come later");
    }
    if (result == 0) {
        result = check_versions(&c);
    }
    map_release(&c.shared_of);
    arena_release(&c.arena);
    return result;
}

bool execution_is_listed(const struct frame *f)
{
    struct segments all = {0};
    struct err e = {0};
    for (event_id event = 0; event < f->trace->events.count; event++) {
        segments_add(&all, f, event);
    }
    const bool is_possible =
        execution_check(f, &(struct execution_claim){.segments = &all}, &e) == 0;
    segments_release(&all);
    return is_possible;
}

/* ---- reads ---- */

static bool keeps_reads(const struct frame *f, const event_list *events, struct arena *scratch)
{
    const struct variables *v = &f->variables;
    uint32_t *last = arena_array(scratch, uint32_t, v->list.count + 1);
    event_id *last_event = arena_array(scratch, event_id, f->trace->tables.tasks.count + 1);
    for (size_t i = 0; i < v->list.count; i++) {
        last[i] = ACCESS_NONE;
    }
    vec_each (events, event) {
        last_event[trace_at(f->trace, *event)->task] = *event;
    }
    vec_each (events, event) {
        const uint32_t number = f->access_of[*event];
        if (number == ACCESS_NONE) {
            continue;
        }
        const struct access *a = &v->accesses.at[number];
        if (a->is_read && last[a->variable] != f->writer[number] &&
            last_event[a->task] != a->event) {
            return false;
        }
        if (a->is_write) {
            last[a->variable] = number;
        }
    }
    return true;
}

bool execution_keeps_reads(const struct frame *f, const struct segments *x)
{
    struct arena scratch = {0};
    event_list events = {0};
    segments_events(x, f, &events);
    const bool is_kept = keeps_reads(f, &events, &scratch);
    vec_release(&events);
    arena_release(&scratch);
    return is_kept;
}

/* Whether a write of another task passes through the section's resource behind its beginning.
 * `place`: per event its place in the execution, counted from 1. */
static bool is_overtaken(const struct frame *f, const struct section *section,
                         const uint32_t *place)
{
    const struct lock *l = &f->hb.sections.locks[section->lock];
    for (uint32_t i = 0; i < l->count; i++) {
        const struct section *other = &f->hb.sections.list[f->hb.sections.by_lock[l->first + i]];
        if (other->task != section->task && place[other->end] > place[section->begin]) {
            return true;
        }
    }
    return false;
}

bool execution_keeps_versions(const struct frame *f, const struct segments *x)
{
    must(f->version_first <= f->hb.sections.lock_count);
    if (f->hb.sections.lock_count == f->version_first) {
        return true;
    }
    struct arena scratch = {0};
    event_list events = {0};
    bool is_kept = true;
    segments_events(x, f, &events);
    uint32_t *place = arena_array(&scratch, uint32_t, f->trace->events.count + 1);
    for (uint32_t i = 0; i < events.count; i++) {
        place[events.at[i]] = i + 1;
    }
    for (uint32_t i = 0; i < f->hb.sections.count && is_kept; i++) {
        const struct section *s = &f->hb.sections.list[i];
        is_kept = !version_is_awaited(s, f->version_first) || place[s->begin] == 0 ||
                  place[s->end] != 0 || !is_overtaken(f, s, place);
    }
    vec_release(&events);
    arena_release(&scratch);
    return is_kept;
}
