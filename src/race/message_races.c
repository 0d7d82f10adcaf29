#include "race/message_races.h"

#include "base/bits.h"
#include "base/sort.h"
#include "order/ancestors.h"
#include "order/descendants.h"
#include "order/saturate.h"
#include "wire/must.h"

/* One task's messages, and the racing pairs among them: for each message a suffix of the earlier
 * ones (in a plain relation), or any pairs (decided one by one). */
struct box {
    struct race_groups *y;
    const struct swap_input *in;
    const struct inbox *x;
    struct ancestors *ancestors; /* where messages are counted in a plain relation, else NULL */
    const uint32_t *from;        /* per rank: the first rank of the suffix; NULL: see pairs */
    /* Per rank, where there is a suffix: ranks of it that the send knows of nevertheless. */
    const struct buckets *known;
    struct bits pairs; /* a bit per (later, earlier) rank */
};

static struct bucket known_at(const struct box *b, uint32_t rank)
{
    return b->known == NULL ? (struct bucket){0} : bucket_at(b->known, rank);
}

static bool races(const struct box *b, uint32_t earlier, uint32_t later)
{
    if (b->from == NULL) {
        return bits_has(b->pairs, (size_t)later * b->x->count + earlier);
    }
    if (earlier < b->from[later] ||
        !inbox_may_swap(&b->x->messages[earlier], &b->x->messages[later])) {
        return false;
    }
    const struct bucket known = known_at(b, later);
    for (uint32_t i = 0; i < known.count; i++) {
        if (known.at[i] == earlier) {
            return false;
        }
    }
    return true;
}

/* ---- counting ---- */

/* How many entries of a class's track the message of this rank races with: those of the suffix,
 * without those of its own stream and its own send. */
static uint64_t count_before(const struct box *b, uint32_t class, const struct track *track,
                             uint32_t rank)
{
    const struct message *m = &b->x->messages[rank];
    const uint32_t from = b->from[rank];
    uint64_t count = track_count(track, from, rank);
    if (m->stream != 0 && count > 0) {
        const struct track own = inbox_track(b->in->inboxes, class, m->stream);
        count -= track_count(&own, from, rank);
    }
    for (uint32_t like = b->x->like_before[rank]; like != RANK_NONE && like >= from && count > 0;
         like = b->x->like_before[like]) {
        count -= track_count(track, like, like + 1);
    }
    const struct bucket known = known_at(b, rank);
    for (uint32_t i = 0; i < known.count; i++) {
        count -= track_count(track, known.at[i], known.at[i] + 1);
    }
    return count;
}

/* The first entry of the track that the message races with, where there is one. */
static uint32_t first_before(const struct box *b, const struct track *track, uint32_t rank)
{
    uint32_t i = track_from(track, b->from[rank]);
    while (!races(b, track->ranks[i], rank)) {
        must(i + 1 < track->count);
        i++;
    }
    return i;
}

static uint64_t count_pairs(const struct box *b)
{
    const uint32_t class = inbox_class(b->in->inboxes, b->x->task);
    const struct track all = inbox_track(b->in->inboxes, class, 0);
    uint64_t count = 0;
    for (uint32_t rank = 0; rank < b->x->count; rank++) {
        count += count_before(b, class, &all, rank);
    }
    return count;
}

/* ---- the conflicting accesses of racing messages ---- */

static struct race_pair accesses_of(const struct box *b, const struct track *earlier, uint32_t i,
                                    const struct track *later, uint32_t k)
{
    must(i < earlier->count);
    must(k < later->count);
    const event_id a = earlier->events[i];
    const event_id z = later->events[k];
    return (struct race_pair){
        .first = a < z ? a : z,
        .second = a < z ? z : a,
        .send = b->x->messages[later->ranks[k]].send,
        .receive = b->x->messages[earlier->ranks[i]].receive,
    };
}

/* Two classes of accesses that conflict, one in handlers of the messages received earlier, the
 * other in those received later. */
static void count_conflict(struct box *b, uint32_t earlier_class, uint32_t later_class)
{
    const struct track *earlier = &b->in->inboxes->tracks[earlier_class];
    const struct track *later = &b->in->inboxes->tracks[later_class];
    struct race_pair first = {0};
    uint64_t total = 0;
    for (uint32_t k = 0; k < later->count; k++) {
        const uint64_t count = count_before(b, earlier_class, earlier, later->ranks[k]);
        if (count > 0 && total == 0) {
            first = accesses_of(b, earlier, first_before(b, earlier, later->ranks[k]), later, k);
        }
        total += count;
    }
    if (total > 0) {
        b->y->stats->conflict_pairs += total;
        race_groups_add(b->y, &first, total);
    }
}

/* The same for pairs that were decided one by one. */
static void count_decided(struct box *b, uint32_t earlier_class, uint32_t later_class)
{
    const struct track *earlier = &b->in->inboxes->tracks[earlier_class];
    const struct track *later = &b->in->inboxes->tracks[later_class];
    struct race_pair first = {0};
    uint64_t total = 0;
    for (uint32_t k = 0; k < later->count; k++) {
        const uint32_t rank = later->ranks[k];
        for (uint32_t i = 0; i < earlier->count && earlier->ranks[i] < rank; i++) {
            if (!races(b, earlier->ranks[i], rank)) {
                continue;
            }
            if (total == 0) {
                first = accesses_of(b, earlier, i, later, k);
            }
            total++;
        }
        if (limit_is_over(&b->y->watch, 1)) {
            break;
        }
    }
    if (total > 0) {
        b->y->stats->conflict_pairs += total;
        race_groups_add(b->y, &first, total);
    }
}

static void each_conflict(struct box *b, uint32_t earlier_class, uint32_t later_class)
{
    const struct track *earlier = &b->in->inboxes->tracks[earlier_class];
    const struct track *later = &b->in->inboxes->tracks[later_class];
    for (uint32_t k = 0; k < later->count; k++) {
        const uint32_t rank = later->ranks[k];
        for (uint32_t i = 0; i < earlier->count && earlier->ranks[i] < rank; i++) {
            if (limit_is_over(&b->y->watch, 1)) {
                return;
            }
            if (races(b, earlier->ranks[i], rank)) {
                const struct race_pair pair = accesses_of(b, earlier, i, later, k);
                b->y->stats->conflict_pairs++;
                race_groups_add(b->y, &pair, 1);
            }
        }
    }
}

/* Every two classes of one variable, in either order. */
static void report_conflicts(struct box *b)
{
    const struct access_class *classes = b->in->accesses->classes;
    const struct bucket own = bucket_at(&b->in->inboxes->classes, b->x->task);
    void (*const tell)(struct box * box, uint32_t earlier, uint32_t later) =
        race_groups_keeps_pairs(b->y) ? each_conflict
        : b->from != NULL             ? count_conflict
        : b->ancestors != NULL        ? count_decided
                                      : each_conflict;
    for (uint32_t i = 0, first = 0; i < own.count; i++) {
        const struct access_class *a = &classes[own.at[i]];
        first = a->variable == classes[own.at[first]].variable ? first : i;
        for (uint32_t k = first; k < own.count && classes[own.at[k]].variable == a->variable; k++) {
            if (access_classes_clash(a, &classes[own.at[k]])) {
                tell(b, own.at[i], own.at[k]);
            }
        }
    }
}

/* ---- the messages as such ---- */

/* Reported only if the user asks for messages alone, whatever their handlers access. */
static struct race_pair messages_of(const struct box *b, uint32_t earlier, uint32_t later)
{
    return (struct race_pair){
        .first = EVENT_NONE,
        .second = EVENT_NONE,
        .send = b->x->messages[later].send,
        .receive = b->x->messages[earlier].receive,
    };
}

/* By the place of the earlier receive, so that they are counted and not enumerated. */
static void count_messages_at(struct box *b, uint32_t place)
{
    const struct track track = inbox_track(b->in->inboxes, place, 0);
    for (uint32_t later = 0; later < b->x->count; later++) {
        const uint64_t count = count_before(b, place, &track, later);
        if (count > 0) {
            const uint32_t earlier = track.ranks[first_before(b, &track, later)];
            const struct race_pair pair = messages_of(b, earlier, later);
            race_groups_add(b->y, &pair, count);
        }
        if (limit_is_over(&b->y->watch, 1)) {
            return;
        }
    }
}

static void report_messages(struct box *b)
{
    if (b->from != NULL && !race_groups_keeps_pairs(b->y)) {
        vec_each (&b->in->inboxes->place_of.entries, place) {
            if (place->key >> 32 == b->x->task) {
                count_messages_at(b, place->value);
            }
        }
        return;
    }
    for (uint32_t later = 0; later < b->x->count; later++) {
        for (uint32_t earlier = 0; earlier < later && !limit_is_over(&b->y->watch, 1); earlier++) {
            if (races(b, earlier, later)) {
                const struct race_pair pair = messages_of(b, earlier, later);
                race_groups_add(b->y, &pair, 1);
            }
        }
    }
}

static void report_decided(struct box *b, uint32_t earlier, uint32_t later,
                           enum race_verdict verdict)
{
    race_groups_decided(b->y, &(struct race_decided){
                                  .verdict = verdict,
                                  .is_message = true,
                                  .a = b->x->messages[later].send,
                                  .b = b->x->messages[earlier].receive,
                              });
}

/* ---- a box at a time ---- */

/* The cost of deciding a pair of messages, for the budget. */
enum { JUDGE_STEPS = 16 };

static void report_box(struct box *b)
{
    report_conflicts(b);
    if (b->y->o->skips_data) {
        report_messages(b);
    }
}

static void judge_pair(struct box *b, const struct judge *judge, uint32_t earlier, uint32_t later)
{
    const struct message *first = &b->x->messages[earlier];
    must(earlier < later);
    must(later < b->x->count);
    const struct message *second = &b->x->messages[later];
    if (!inbox_may_swap(first, second)) {
        return;
    }
    const enum race_verdict verdict =
        limit_is_over(&b->y->watch, JUDGE_STEPS)
            ? RACE_UNKNOWN
            : judge->message(judge->self, second->send, first->receive);
    b->y->stats->message_candidates++;
    b->y->stats->message_races += verdict == RACE_YES;
    report_decided(b, earlier, later, verdict);
    if (verdict == RACE_YES) {
        bits_add(b->pairs, (size_t)later * b->x->count + earlier);
    }
}

/* Decides a message's pairs with those received before it. Where no time is left and nobody wants
 * to hear of each, they are counted as unknown, all at once. */
static void judge_rank(struct box *b, const struct judge *judge, uint32_t later,
                       const uint32_t *all_from)
{
    if (limit_is_over(&b->y->watch, 1) && b->y->o->decided == NULL) {
        struct box open = *b;
        open.from = all_from;
        const uint32_t class = inbox_class(b->in->inboxes, b->x->task);
        const struct track all = inbox_track(b->in->inboxes, class, 0);
        const uint64_t count = count_before(&open, class, &all, later);
        b->y->stats->message_candidates += count;
        b->y->stats->unknown += count;
        return;
    }
    for (uint32_t earlier = 0; earlier < later; earlier++) {
        judge_pair(b, judge, earlier, later);
    }
}

static void judge_box(struct box *b, const struct judge *judge, struct arena *scratch)
{
    const bool has_time = !limit_is_over(&b->y->watch, 1);
    const uint32_t *all_from = arena_array(scratch, uint32_t, b->x->count); /* from the first on */
    if (has_time) {
        b->pairs = bits_take(scratch, (size_t)b->x->count * b->x->count);
    }
    for (uint32_t later = 0; later < b->x->count; later++) {
        if (race_groups_takes(b->y)) {
            judge_rank(b, judge, later, all_from);
        }
    }
    if (has_time) {
        report_box(b);
    }
}

void swap_judge(struct race_groups *y, const struct swap_input *in, const struct judge *judge)
{
    struct arena scratch = {0};
    for (uint32_t task = 0; task < in->inboxes->task_count; task++) {
        struct box b = {.y = y, .in = in, .x = &in->inboxes->of_task[task]};
        if (b.x->count > 1) {
            judge_box(&b, judge, &scratch);
            arena_release(&scratch);
        }
    }
}

/* How much of the receiving task's main chain the send of a message knows. */
static uint32_t heard(const struct hb *hb, const struct message *m)
{
    const struct contexts *c = &hb->contexts;
    const struct graph_span in =
        graph_span_at(graph_into(&hb->graph, c->of[m->receive]), c->position[m->receive]);
    size_t i = 0;
    while (in.at[i].event != m->send) {
        i++;
        must(i < in.count);
    }
    return hb->before.heard[&in.at[i] - hb->graph.in];
}

/* No time is left for any pair of the box. */
static void leave_open(struct box *b, uint64_t candidates)
{
    if (b->y->o->decided == NULL) {
        b->y->stats->unknown += candidates;
        return;
    }
    for (uint32_t later = 0; later < b->x->count; later++) {
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            if (races(b, earlier, later)) {
                report_decided(b, earlier, later, RACE_UNKNOWN);
            }
        }
    }
}

/* Where a receive, or a handler that leads nowhere but back to its main chain, comes before the
 * main chain of its task. Never falls from rank to rank. */
static uint32_t place_of(const struct hb *hb, event_id receive)
{
    const struct contexts *c = &hb->contexts;
    const uint32_t context = c->of[receive];
    if (!context_is_handler(c, context)) {
        return c->position[receive];
    }
    const event_id next = c->list[context].next;
    return next == EVENT_NONE ? POSITION_NONE : c->position[next];
}

/* The receives of a box that the sends of its messages know of, beyond main chains. */
struct knowing {
    struct map first_in; /* context to the first of its sends, plus one */
    uint32_t *next_in;   /* per rank: another message sent in the same context, plus one */
    struct bucket_items items;
};

/* Whether a message is among the messages of a suffix that the later one races with. */
static bool is_counted(const struct box *b, uint32_t earlier, uint32_t later)
{
    return earlier < later && earlier >= b->from[later] &&
           inbox_may_swap(&b->x->messages[earlier], &b->x->messages[later]);
}

/* The later messages that are sent in this part of a context know of the earlier one. */
static void add_known(const struct box *b, struct knowing *k, uint32_t earlier,
                      struct descendant part)
{
    const struct contexts *c = &b->in->hb->contexts;
    const uint32_t *first = map_get(&k->first_in, part.context);
    for (uint32_t at = first == NULL ? 0 : *first; at != 0; at = k->next_in[at - 1]) {
        const uint32_t later = at - 1;
        if (is_counted(b, earlier, later) &&
            part.position <= c->position[b->x->messages[later].send]) {
            bucket_add(&k->items, later, earlier);
        }
    }
}

/* Finds the later messages whose sends happen after the receive of this one, through sends of its
 * handler. False if that takes too many steps. */
static bool find_known(const struct box *b, struct knowing *k, uint32_t earlier)
{
    const struct contexts *c = &b->in->hb->contexts;
    const event_id receive = b->x->messages[earlier].receive;
    const uint32_t context = c->of[receive];
    struct descendants d = {0};
    if (!context_is_handler(c, context)) {
        return true;
    }
    if (!descendants_find(&d, b->in->hb, receive)) {
        return false;
    }
    add_known(b, k, earlier, (struct descendant){context, c->position[receive]});
    for (uint32_t i = 0; i < d.count; i++) {
        add_known(b, k, earlier, d.list[i]);
    }
    return true;
}

static int by_both(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct bucket_item *a = left;
    const struct bucket_item *b = right;
    const int order = (a->bucket > b->bucket) - (a->bucket < b->bucket);
    return order != 0 ? order : (a->event > b->event) - (a->event < b->event);
}

/* A receive may be found twice, by two ways. */
static void forget_doubles(struct bucket_items *items)
{
    sort_stable(items->list.at, items->list.count, sizeof *items->list.at, by_both, NULL);
    size_t kept = 0;
    vec_each (&items->list, item) {
        if (kept == 0 || by_both(item, &items->list.at[kept - 1], NULL) != 0) {
            items->list.at[kept++] = *item;
        }
    }
    items->list.count = kept;
}

/* Sets b->known; false when a handler of the box leads further than a few steps. */
static bool find_all_known(struct box *b, struct arena *scratch)
{
    const struct hb *hb = b->in->hb;
    struct knowing k = {.next_in = arena_array(scratch, uint32_t, b->x->count)};
    for (uint32_t rank = 0; rank < b->x->count; rank++) {
        const uint32_t context = hb->contexts.of[b->x->messages[rank].send];
        uint32_t *first = map_slot(&k.first_in, context, 0, NULL);
        k.next_in[rank] = *first;
        *first = rank + 1;
    }
    bool is_found = true;
    for (uint32_t rank = 0; rank < b->x->count && is_found; rank++) {
        is_found = find_known(b, &k, rank);
    }
    if (is_found && k.items.list.count > 0) {
        forget_doubles(&k.items);
        struct buckets *known = arena_array(scratch, struct buckets, 1);
        *known = buckets_sort(&k.items, b->x->count, scratch);
        b->known = known;
    }
    map_release(&k.first_in);
    vec_release(&k.items.list);
    return is_found;
}

static void box_add(struct box *b, uint32_t earlier, uint32_t later)
{
    if (inbox_may_swap(&b->x->messages[earlier], &b->x->messages[later])) {
        bits_add(b->pairs, (size_t)later * b->x->count + earlier);
        b->y->stats->message_races++;
    }
}

/* The pairs of these messages, whose handlers lead out, with those received later. */
static void decide_some(struct box *b, const uint32_t *ranks, uint32_t count)
{
    event_id receives[ANCESTORS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        receives[i] = b->x->messages[ranks[i]].receive;
    }
    ancestors_run(b->ancestors, receives, count);
    for (uint32_t later = ranks[0] + 1; later < b->x->count; later++) {
        const uint64_t known = ancestors_of(b->ancestors, b->x->messages[later].send);
        for (uint32_t i = 0; i < count && ranks[i] < later; i++) {
            if ((known >> i & 1) == 0) {
                box_add(b, ranks[i], later);
            }
        }
    }
    (void)limit_is_over(&b->y->watch, b->ancestors->node_count);
}

/* Decides every pair of a box in which handlers lead out: the earlier messages that the send of a
 * later one knows are then no prefix of the list. */
static void decide_box(struct box *b, struct arena *scratch)
{
    const struct hb *hb = b->in->hb;
    uint32_t *place = arena_array(scratch, uint32_t, b->x->count);
    bool *is_out = arena_array(scratch, bool, b->x->count);
    for (uint32_t rank = 0; rank < b->x->count; rank++) {
        const event_id receive = b->x->messages[rank].receive;
        place[rank] = place_of(hb, receive);
        is_out[rank] = context_is_handler(&hb->contexts, hb->contexts.of[receive]) &&
                       saturate_leads_out(hb, receive);
    }
    uint32_t some[ANCESTORS_MAX];
    uint32_t count = 0;
    for (uint32_t later = 0; later < b->x->count; later++) {
        const uint32_t known = heard(hb, &b->x->messages[later]);
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            if (place[earlier] >= known && !is_out[earlier]) {
                box_add(b, earlier, later);
            }
        }
    }
    for (uint32_t rank = 0; rank < b->x->count; rank++) {
        if (!is_out[rank]) {
            continue;
        }
        some[count++] = rank;
        if (count == ANCESTORS_MAX) {
            decide_some(b, some, count);
            count = 0;
        }
    }
    if (count > 0) {
        decide_some(b, some, count);
    }
}

/* Counts the suffix of each message that it can come before. */
static void find_suffixes(struct box *b, uint32_t *from)
{
    const struct hb *hb = b->in->hb;
    for (uint32_t rank = 0; rank < b->x->count; rank++) {
        const uint32_t known = heard(hb, &b->x->messages[rank]);
        uint32_t low = 0;
        uint32_t high = rank;
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (place_of(hb, b->x->messages[middle].receive) < known) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        from[rank] = low;
    }
}

static void count_box(struct box *b, struct arena *scratch)
{
    uint32_t *from = arena_array(scratch, uint32_t, b->x->count);
    b->from = from; /* all 0: everything before is a candidate */
    const uint64_t candidates = count_pairs(b);
    b->y->stats->message_candidates += candidates;
    if (limit_is_over(&b->y->watch, b->x->count)) {
        leave_open(b, candidates);
        return;
    }
    find_suffixes(b, from);
    if (find_all_known(b, scratch)) {
        b->y->stats->message_races += count_pairs(b);
    } else {
        b->from = NULL;
        b->pairs = bits_take(scratch, (size_t)b->x->count * b->x->count);
        decide_box(b, scratch);
    }
    for (uint32_t later = 0; b->y->o->decided != NULL && later < b->x->count; later++) {
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            if (inbox_may_swap(&b->x->messages[earlier], &b->x->messages[later])) {
                report_decided(b, earlier, later, races(b, earlier, later) ? RACE_YES : RACE_NO);
            }
        }
    }
    report_box(b);
}

void swap_count(struct race_groups *y, const struct swap_input *in)
{
    struct arena arena = {0};
    struct arena scratch = {0};
    struct ancestors ancestors;
    ancestors_build(&ancestors, in->hb, &arena);
    for (uint32_t task = 0; task < in->inboxes->task_count; task++) {
        struct box b = {
            .y = y, .in = in, .x = &in->inboxes->of_task[task], .ancestors = &ancestors};
        if (b.x->count > 1) {
            count_box(&b, &scratch);
            arena_release(&scratch);
        }
    }
    arena_release(&arena);
}
