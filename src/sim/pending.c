/* The operations that could be next, in the default order: messages by age, writes that reach the
 * disk, helpers, timers by deadline, faults. An external fault that is due comes before timers. */
#include "sim/pending.h"

#include <string.h>

#include "pick/operation_name.h"
#include "sim/blocking.h"
#include "sim/fault.h"
#include "sim/handler_guard.h"
#include "sim/helper_tasks.h"
#include "sim/net.h"
#include "sim/state_hash.h"

/* Messages of one channel that may overtake each other are lines of their own for the strategies
 * that think in tasks: this many. */
enum { LINES_PER_CHANNEL = 8 };

/* Numbers of tasks: channels, then a disk and a timer line for each node, then external events,
 * then a line per fault, then a line for the helpers of each node. */
static uint32_t channel_task_count(const struct sim *s)
{
    return net_channel_count(s) * (s->channels.has_datagrams ? LINES_PER_CHANNEL : 1);
}

/* Timers that fire in any order are a line each. */
static uint32_t timer_lines(const struct sim *s)
{
    return s->system->timers_independent && s->timer_count > 0 ? s->timer_count : 1;
}

static uint32_t fault_task(const struct sim *s, uint32_t fault)
{
    return channel_task_count(s) + (1 + timer_lines(s)) * s->node_count + fault;
}

uint32_t pending_task_count(const struct sim *s)
{
    return fault_task(s, FAULT_LIMIT) + (s->helper_count > 0 ? s->node_count : 0);
}

uint32_t pending_help_task(const struct sim *s, uint32_t node)
{
    return fault_task(s, FAULT_LIMIT) + node;
}

static uint32_t parcel_task(const struct sim *s, const struct parcel *p)
{
    const uint32_t line = net_is_fifo(s, p) ? 0 : p->occurrence % LINES_PER_CHANNEL;
    return s->channels.has_datagrams ? p->channel * LINES_PER_CHANNEL + line : p->channel;
}

static uint32_t disk_task(const struct sim *s, uint32_t node)
{
    return channel_task_count(s) + node;
}

static uint32_t timer_task(const struct sim *s, uint32_t node, uint32_t timer)
{
    const uint32_t lines = timer_lines(s);
    return channel_task_count(s) + s->node_count + node * lines + (lines > 1 ? timer : 0);
}

/* The object that every step changes where the order of all of them matters; 0: none. */
static uint32_t common_object(const struct sim *s)
{
    return s->plan->is_ordered ? s->node_count + 1 : 0;
}

enum { WRITES_ALL = 3 };

/* A system that does so much at once that there is no room for one more is at fault. */
static void check_room(struct sim *s)
{
    if (s->pending.count == SIM_PENDING_MAX) {
        guard_end(s, OUTCOME_HANG, "operations pile up",
                  "more than %d messages, writes and faults could be the next", SIM_PENDING_MAX);
    }
}

static struct pick_operation *add(struct sim *s, const struct pick_operation *o,
                                  const struct origin *from)
{
    check_room(s);
    s->pending.origins[s->pending.count] = *from;
    s->pending.operations[s->pending.count] = *o;
    return &s->pending.operations[s->pending.count++];
}

void pending_add(struct sim *s, const struct pick_operation *o, const struct origin *from)
{
    struct pick_operation *added = add(s, o, from);
    if (o->fault != 0 || o->kind == EVENT_FAULT) {
        added->kind = EVENT_FAULT;
        added->is_external = true;
        added->task = fault_task(s, o->fault);
        added->objects[0] = PICK_EVERYTHING;
    } else {
        added->objects[0] = from->node + 1;
        added->objects[1] = common_object(s);
    }
    added->writes = WRITES_ALL;
    added->node = (uint16_t)from->node;
}

/* Listed again and again while it waits: made once, and in its place. All else of it is 0. */
void pending_make_delivery(const struct sim *s, struct parcel *p)
{
    struct pick_operation *o = &p->delivery;
    o->name = p->name;
    o->action = p->action;
    o->content = p->fingerprint;
    o->occurrence = p->occurrence;
    o->task = parcel_task(s, p);
    o->objects[0] = p->to + 1;
    o->objects[1] = common_object(s);
    o->writes = WRITES_ALL;
    o->node = (uint16_t)p->to;
    o->is_external = p->from < 0;
    o->kind = EVENT_RECV;
}

static void add_parcel(struct sim *s, struct parcel *p, bool is_overtaking)
{
    struct pick_operation *added =
        add(s, &p->delivery, &(struct origin){.parcel = p, .node = p->to, .cause = p->cause});
    added->is_unignorable = p->is_unignorable;
    added->is_overtaking = is_overtaking;
}

/* Whether its node is up and can be reached. */
static bool is_reached(const struct sim *s, const struct parcel *p)
{
    const struct node *nodes = s->core->nodes;
    const bool is_cut =
        p->from >= 0 && p->from != (int32_t)p->to && (nodes[p->to].is_cut || nodes[p->from].is_cut);
    return nodes[p->to].state != NULL && !is_cut;
}

void pending_parcel(struct sim *s, struct parcel *p)
{
    const bool is_next = !net_is_fifo(s, p) || net_is_first(s, p);
    const bool is_let_in = s->core->nodes[p->to].awaited.is_any ? block_is_awaited(s, p) : is_next;
    if (is_let_in && is_reached(s, p)) {
        add_parcel(s, p, !net_is_fifo(s, p) || !is_next);
    }
}

/* Nobody is down, cut off or blocked: whatever is next in its channel can come. */
static bool is_all_well(const struct sim *s)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        const struct node *n = &s->core->nodes[i];
        if (n->state == NULL || n->is_cut || n->awaited.is_any) {
            return false;
        }
    }
    return true;
}

enum { HEADS_MAX = 128 };

/* Only the heads of channels, by age: where most messages wait behind others. */
static void list_heads(struct sim *s, uint32_t channel_count)
{
    struct parcel *heads[HEADS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < channel_count; i++) {
        struct parcel *head = s->core->queues[i].first;
        if (head == NULL) {
            continue;
        }
        uint32_t at = count++;
        for (; at > 0 && heads[at - 1]->age > head->age; at--) {
            heads[at] = heads[at - 1];
        }
        heads[at] = head;
    }
    const bool is_well = is_all_well(s);
    for (uint32_t i = 0; i < count; i++) {
        if (is_well) {
            add_parcel(s, heads[i], false);
        } else {
            pending_parcel(s, heads[i]);
        }
    }
}

/* A node that waits for one message takes it from anywhere in its channel. */
static bool is_any_blocked(const struct sim *s)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (s->core->nodes[i].awaited.is_any) {
            return true;
        }
    }
    return false;
}

static void list_parcels(struct sim *s)
{
    const uint32_t channel_count = net_channel_count(s);
    if (!s->channels.has_datagrams && channel_count <= HEADS_MAX &&
        channel_count < s->core->parcel_count && !is_any_blocked(s)) {
        list_heads(s, channel_count);
        return;
    }
    const bool is_plain = !s->channels.has_datagrams && is_all_well(s);
    for (struct parcel *p = s->core->oldest; p != NULL; p = p->newer) {
        if (!is_plain) {
            pending_parcel(s, p);
        } else if (net_is_first(s, p)) {
            add_parcel(s, p, false);
        }
    }
}

static void list_write(struct sim *s, uint32_t node)
{
    const struct disk_write *w = s->core->nodes[node].disk.first;
    pending_add(s,
                &(struct pick_operation){.name = name_occurrence(s->names.writes[node], w->ticket),
                                         .action = s->names.writes[node],
                                         .occurrence = w->ticket,
                                         .task = disk_task(s, node),
                                         .kind = EVENT_FILE_SYNC},
                &(struct origin){.node = node, .cause = w->cause});
}

/* Those of slow disks come where nothing else can: whatever anybody does may hold them up. */
static void list_writes(struct sim *s, bool is_slow)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        const struct node *n = &s->core->nodes[i];
        if (n->disk.first != NULL && n->disk.is_slow == is_slow && !n->awaited.is_any) {
            list_write(s, i);
            if (is_slow) {
                s->pending.operations[s->pending.count - 1].objects[0] = PICK_EVERYTHING;
            }
        }
    }
}

/* The timer of a node that fires next; timer_count when none is set. */
static uint32_t next_timer(const struct sim *s, const struct node *n)
{
    uint32_t next = s->timer_count;
    for (uint32_t i = 0; i < s->timer_count; i++) {
        const struct timer *t = &n->timers[i];
        if (t->is_set &&
            (next == s->timer_count || t->deadline < n->timers[next].deadline ||
             (t->deadline == n->timers[next].deadline && t->set_at < n->timers[next].set_at))) {
            next = i;
        }
    }
    return next;
}

static uint64_t deadline(const struct sim *s, const struct origin *from)
{
    return s->core->nodes[from->node].timers[from->number].deadline;
}

/* Moves the last of those pending before all that have later deadlines, from `first` on. */
static void settle(struct sim *s, uint32_t first)
{
    for (uint32_t i = s->pending.count - 1;
         i > first && deadline(s, &s->pending.origins[i - 1]) > deadline(s, &s->pending.origins[i]);
         i--) {
        const struct pick_operation moved = s->pending.operations[i];
        const struct origin moved_from = s->pending.origins[i];
        s->pending.operations[i] = s->pending.operations[i - 1];
        s->pending.origins[i] = s->pending.origins[i - 1];
        s->pending.operations[i - 1] = moved;
        s->pending.origins[i - 1] = moved_from;
    }
}

static void put_timer(struct sim *s, uint32_t at, uint32_t node, uint32_t number)
{
    const struct timer *timer = &s->core->nodes[node].timers[number];
    const uint64_t what = s->names.timers[node][number];
    s->pending.operations[at] = (struct pick_operation){
        .name = name_occurrence(what, timer->occurrence),
        .action = what,
        .occurrence = timer->occurrence,
        .task = timer_task(s, node, number),
        .objects = {s->skew_max > 0 ? PICK_EVERYTHING : node + 1, common_object(s)},
        .writes = WRITES_ALL,
        .node = (uint16_t)node,
        .kind = EVENT_TIMER_FIRE};
    s->pending.origins[at] = (struct origin){.node = node, .cause = timer->cause, .number = number};
}

static void add_timer(struct sim *s, uint32_t node, uint32_t number)
{
    check_room(s);
    put_timer(s, s->pending.count++, node, number);
}

/* Whether the timer, which is the next of its node, is not held up by the node itself. */
static bool is_ready(const struct sim *s, const struct node *n, uint32_t timer)
{
    return timer < s->timer_count && !n->timers[timer].is_resting && !n->awaited.is_any;
}

/* Whether clocks may differ so much that it fires: no other node has a timer to fire that is due
 * earlier by more than the bound. */
static bool is_within_skew(const struct sim *s, const struct node *n, uint32_t timer)
{
    const uint64_t deadline = n->timers[timer].deadline;
    for (uint32_t i = 0; s->skew_max > 0 && i < s->node_count; i++) {
        const struct node *other = &s->core->nodes[i];
        const uint32_t next = next_timer(s, other);
        if (other != n && is_ready(s, other, next) &&
            other->timers[next].deadline + s->skew_max < deadline) {
            return false;
        }
    }
    return true;
}

static bool can_fire(const struct sim *s, const struct node *n, uint32_t timer)
{
    return is_ready(s, n, timer) && is_within_skew(s, n, timer);
}

void pending_timer(struct sim *s, uint32_t node, uint32_t number)
{
    const struct node *n = &s->core->nodes[node];
    const bool is_next = s->system->timers_independent || next_timer(s, n) == number;
    if (n->timers[number].is_set && is_next && can_fire(s, n, number)) {
        add_timer(s, node, number);
    }
}

/* By deadline, as if all clocks ran alike. */
static void list_timers(struct sim *s)
{
    const uint32_t first = s->pending.count;
    for (uint32_t i = 0; s->timer_count > 0 && i < s->node_count; i++) {
        const struct node *n = &s->core->nodes[i];
        const uint32_t next = next_timer(s, n);
        const uint32_t lines = timer_lines(s);
        for (uint32_t k = 0; k < lines; k++) {
            const uint32_t timer = lines > 1 ? k : next;
            if (timer < s->timer_count && n->timers[timer].is_set && can_fire(s, n, timer)) {
                add_timer(s, i, timer);
                settle(s, first);
            }
        }
    }
}

/* Whether `listing` notes every difference between this list and the next: each node that is up
 * takes the first message of each channel, and no pending operation depends on the others. */
static bool can_be_followed(const struct sim *s)
{
    bool is_simple = !s->channels.has_datagrams && s->skew_max == 0 && !s->pending.is_requested;
    for (uint32_t i = 0; is_simple && i < s->node_count; i++) {
        const struct node *n = &s->core->nodes[i];
        is_simple = !n->awaited.is_any && n->disk.first == NULL && n->helps == NULL;
    }
    return is_simple;
}

static void note_nothing(struct listing *l)
{
    l->filled_count = 0;
    l->has_timers_moved = false;
}

void pending_list(struct sim *s)
{
    struct listing *l = &s->pending.listing;
    s->pending.count = 0;
    list_parcels(s);
    l->parcels_end = s->pending.count;
    if (s->system->disk_size > 0) {
        list_writes(s, false);
    }
    help_list(s);
    fault_list_outside(s);
    l->timers_first = s->pending.count;
    list_timers(s);
    l->timers_end = s->pending.count;
    if (s->system->disk_size > 0 && s->pending.count == 0) {
        list_writes(s, true);
    }
    fault_list(s);
    must(l->parcels_end <= l->timers_first);
    must(l->timers_first <= l->timers_end);
    must(l->timers_end <= s->pending.count);
    l->is_kept = can_be_followed(s);
    note_nothing(l);
}

/* Following a list. A step takes one operation away; a message that its node's code sends may be
 * the first of its channel, and the node's timers may be others. After any other change the list is
 * made again (pending_forget). */

static void move_entry(struct sim *s, uint32_t to, uint32_t from)
{
    s->pending.operations[to] = s->pending.operations[from];
    s->pending.origins[to] = s->pending.origins[from];
}

static void close_gap(struct sim *s, uint32_t at)
{
    const uint32_t behind = --s->pending.count - at;
    memmove(&s->pending.operations[at], &s->pending.operations[at + 1],
            behind * sizeof *s->pending.operations);
    memmove(&s->pending.origins[at], &s->pending.origins[at + 1],
            behind * sizeof *s->pending.origins);
}

static void open_gap(struct sim *s, uint32_t at)
{
    check_room(s);
    const uint32_t behind = s->pending.count++ - at;
    memmove(&s->pending.operations[at + 1], &s->pending.operations[at],
            behind * sizeof *s->pending.operations);
    memmove(&s->pending.origins[at + 1], &s->pending.origins[at],
            behind * sizeof *s->pending.origins);
}

static void put_parcel(struct sim *s, uint32_t at, struct parcel *p)
{
    s->pending.operations[at] = p->delivery;
    s->pending.operations[at].is_unignorable = p->is_unignorable;
    s->pending.origins[at] = (struct origin){.parcel = p, .node = p->to, .cause = p->cause};
}

/* There are `more` messages more. */
static void count_parcels(struct listing *l, int more)
{
    l->parcels_end += (uint32_t)more;
    l->timers_first += (uint32_t)more;
    l->timers_end += (uint32_t)more;
}

/* The first of a channel that was empty, by its age. */
static void insert_parcel(struct sim *s, struct parcel *p)
{
    uint32_t at = s->pending.listing.parcels_end;
    while (at > 0 && s->pending.origins[at - 1].parcel->age > p->age) {
        at--;
    }
    open_gap(s, at);
    put_parcel(s, at, p);
    count_parcels(&s->pending.listing, 1);
}

/* The message at this place has arrived. The one behind it in its channel comes instead, where its
 * age puts it; NULL: there is none. */
static void replace_parcel(struct sim *s, uint32_t at, struct parcel *behind)
{
    if (behind == NULL || !is_reached(s, behind)) {
        close_gap(s, at);
        count_parcels(&s->pending.listing, -1);
        return;
    }
    const uint32_t end = s->pending.listing.parcels_end;
    for (; at + 1 < end && s->pending.origins[at + 1].parcel->age < behind->age; at++) {
        move_entry(s, at, at + 1);
    }
    /* Where a fault has reordered the channel, it may be older than the one that was before it. */
    for (; at > 0 && s->pending.origins[at - 1].parcel->age > behind->age; at--) {
        move_entry(s, at, at - 1);
    }
    put_parcel(s, at, behind);
}

/* Without datagrams, the task of a delivery is its channel. */
static void follow_parcels(struct sim *s, uint32_t choice)
{
    const struct listing *l = &s->pending.listing;
    const bool is_delivery = s->pending.operations[choice].kind == EVENT_RECV;
    const uint32_t taken = is_delivery ? s->pending.operations[choice].task : UINT32_MAX;
    if (is_delivery) {
        replace_parcel(s, choice, s->core->queues[taken].first);
    }
    for (uint32_t i = 0; i < l->filled_count; i++) {
        struct parcel *first = s->core->queues[l->filled[i]].first;
        if (l->filled[i] != taken && is_reached(s, first)) {
            insert_parcel(s, first);
        }
    }
}

/* Whether the timer at this place comes before one of a node with this deadline. */
static bool is_due_before(const struct sim *s, uint32_t at, uint32_t node, uint64_t when)
{
    const uint64_t due = deadline(s, &s->pending.origins[at]);
    return due < when || (due == when && s->pending.origins[at].node < node);
}

/* Of a node whose timers fire in the order of their deadlines: its one that could be next. */
static void follow_timer(struct sim *s, uint32_t node)
{
    struct listing *l = &s->pending.listing;
    const struct node *n = &s->core->nodes[node];
    uint32_t last = l->timers_first;
    while (last < l->timers_end && s->pending.origins[last].node != node) {
        last++;
    }
    const bool was_any = last < l->timers_end;
    for (; was_any && last + 1 < l->timers_end; last++) {
        move_entry(s, last, last + 1);
    }
    const uint32_t next = next_timer(s, n);
    const bool is_any = is_ready(s, n, next);
    if (is_any && !was_any) {
        open_gap(s, last);
        l->timers_end++;
    } else if (was_any && !is_any) {
        close_gap(s, last);
        l->timers_end--;
    }
    if (is_any) {
        const uint64_t when = n->timers[next].deadline;
        for (; last > l->timers_first && !is_due_before(s, last - 1, node, when); last--) {
            move_entry(s, last, last - 1);
        }
        put_timer(s, last, node, next);
    }
}

/* Whether faults may depend on which messages are on their way or which timers are set. */
static bool has_moving_faults(const struct fault_budget *b)
{
    return (b->most[FAULT_DROP] | b->most[FAULT_DUPLICATE] | b->most[FAULT_REORDER] |
            b->most[FAULT_SKEW]) != 0;
}

void pending_follow(struct sim *s, uint32_t choice)
{
    struct listing *l = &s->pending.listing;
    if (!l->is_kept || s->pending.is_requested) {
        pending_list(s);
        return;
    }
    const uint32_t node = s->pending.origins[choice].node;
    follow_parcels(s, choice);
    const bool is_any_timer = timer_lines(s) > 1;
    if (l->has_timers_moved && !is_any_timer) {
        follow_timer(s, node);
    }
    if ((l->has_timers_moved && is_any_timer) || has_moving_faults(&s->plan->faults)) {
        s->pending.count = l->timers_first;
        list_timers(s);
        l->timers_end = s->pending.count;
        fault_list(s);
    }
    note_nothing(l);
}
