#include "race/observed/message_history.h"

#include "wire/must.h"

void arrivals_release(struct arrivals *a)
{
    vec_release(&a->heads);
    vec_release(&a->records);
    vec_release(&a->races);
    triples_release(&a->record_of);
    triples_release(&a->race_of);
}

static void report(struct arrivals *a, uint32_t task, const struct arrival *first,
                   const struct arrival *second)
{
    uint32_t *slot = triples_slot(&a->race_of, task, second->send_location, first->location);
    const bool is_new = *slot == TRIPLE_ABSENT;
    const struct arrival_race race = {
        .task = task, .first = *first, .second = *second, .pair_count = 1};
    if (is_new) {
        *slot = (uint32_t)a->races.count;
        vec_push(&a->races, race);
    } else {
        a->races.at[*slot].pair_count++;
    }
    if (is_new || a->keeps_every_receive) {
        a->found(a->owner, &race);
    }
}

static void report_unseen(struct arrivals *a, uint32_t task, const struct arrival *arrival,
                          const uint32_t *seen)
{
    for (uint32_t id = a->heads.at[task]; id != ARRIVAL_NONE;) {
        const struct arrival_record *r = &a->records.at[id];
        const struct arrival *first =
            r->last.send_index == arrival->send_index ? &r->before : &r->last;
        const bool is_one_stream = arrival->stream != 0 && arrival->stream == first->stream;
        if (first->clock > seen[first->column] && !is_one_stream) {
            report(a, task, first, arrival);
        }
        /* The rest is older in the same chain. */
        if (r->last.clock <= seen[r->last.column] && r->last.column == arrival->column) {
            break;
        }
        id = r->older;
    }
}

static void push_front(struct arrivals *a, uint32_t task, uint32_t id)
{
    struct arrival_record *r = &a->records.at[id];
    uint32_t *head = &a->heads.at[task];
    r->newer = ARRIVAL_NONE;
    r->older = *head;
    if (*head != ARRIVAL_NONE) {
        a->records.at[*head].newer = id;
    }
    *head = id;
    must(id < a->records.count);
}

static uint32_t record_new(struct arrivals *a, uint32_t task)
{
    must(a->records.count < ARRIVAL_NONE);
    const uint32_t id = (uint32_t)a->records.count;
    vec_push(&a->records, (struct arrival_record){0});
    push_front(a, task, id);
    return id;
}

static void move_to_front(struct arrivals *a, uint32_t task, uint32_t id)
{
    const struct arrival_record *r = &a->records.at[id];
    if (r->newer == ARRIVAL_NONE) {
        return;
    }
    a->records.at[r->newer].older = r->older;
    if (r->older != ARRIVAL_NONE) {
        a->records.at[r->older].newer = r->newer;
    }
    push_front(a, task, id);
}

void arrivals_add(struct arrivals *a, uint32_t task, const struct arrival *arrival,
                  const uint32_t *seen)
{
    while (a->heads.count <= task) {
        vec_push(&a->heads, ARRIVAL_NONE);
    }
    report_unseen(a, task, arrival, seen);
    uint32_t id = 0;
    if (a->keeps_every_receive) {
        id = record_new(a, task);
    } else {
        uint32_t *slot = triples_slot(&a->record_of, task, arrival->location, arrival->stream);
        if (*slot == TRIPLE_ABSENT) {
            *slot = record_new(a, task);
        }
        id = *slot;
        move_to_front(a, task, id);
    }
    struct arrival_record *r = &a->records.at[id];
    if (r->last.send_index != arrival->send_index) {
        r->before = r->last;
    }
    r->last = *arrival;
}
