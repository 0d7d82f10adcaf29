/* After Garg and Waldecker (1994), as offline/least_cut.c. A process in an unwanted state takes its
 * reports as they arrive. One in a wanted state waits until it must advance: because a report that
 * was taken needs one of its own, or because one of its own certainly precedes the latest report
 * taken.
 *
 * The second condition is not checked each time, since a process may also advance later.
 * online_is_found checks all processes before it reports a cut. */
#include "monitor/online/online_cut.h"

#include "base/mem.h"
#include "base/vec.h"

struct follower {
    uint64_t next;    /* the ordinal of its first report that was not taken */
    uint64_t reached; /* reports of a lower ordinal must be taken */
    bool is_wanted;
    bool is_queued;
};

struct online {
    const struct source *sources;
    uint32_t process_count;
    int64_t skew;
    uint16_t bit;
    struct follower *processes;
    uint32_t wanted_count;
    int64_t latest;      /* time of the latest report taken */
    VEC(uint32_t) queue; /* processes to visit */
};

struct online *online_new(const struct ingest *in, unsigned bit)
{
    must(bit < ONLINE_MAX);
    struct online *o = mem_zero(1, sizeof *o);
    *o = (struct online){
        .sources = in->sources,
        .process_count = in->process_count,
        .skew = in->skew,
        .bit = (uint16_t)(1U << bit),
        .processes = mem_zero(in->process_count, sizeof *o->processes),
        .latest = INT64_MIN,
    };
    return o;
}

void online_free(struct online *o)
{
    if (o != NULL) {
        vec_release(&o->queue);
        mem_free(o->processes);
        mem_free(o);
    }
}

void online_begin(struct online *o, uint32_t process, bool is_wanted)
{
    must(process < o->process_count);
    struct follower *f = &o->processes[process];
    o->wanted_count += (uint32_t)is_wanted - (uint32_t)f->is_wanted;
    f->is_wanted = is_wanted;
    must(o->wanted_count <= o->process_count);
}

static void enqueue(struct online *o, uint32_t process)
{
    if (!o->processes[process].is_queued) {
        o->processes[process].is_queued = true;
        vec_push(&o->queue, process);
    }
}

/* The sender must have passed the send of the received message. */
static void reach(struct online *o, const struct held *receive)
{
    must(receive->need_process < o->process_count);
    struct follower *sender = &o->processes[receive->need_process];
    const uint64_t need = held_need(receive, sender->next);
    if (sender->reached <= need) {
        sender->reached = need + 1;
        if (sender->next < sender->reached) {
            enqueue(o, receive->need_process);
        }
    }
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Advances the process as far as it must. A receive reaches other processes only, so that the state
 * of this one is written back once. */
static void run(struct online *o, uint32_t process)
{
    const struct source *source = &o->sources[process];
    struct follower *f = &o->processes[process];
    uint64_t next = f->next;
    int64_t latest = o->latest;
    bool is_wanted = f->is_wanted;
    must(next >= source->first);
    for (; next < source->fed; next++) {
        const struct held *held = source_held(source, next);
        const bool is_over =
            latest > held->time && (uint64_t)latest - (uint64_t)held->time > (uint64_t)o->skew;
        if (is_wanted && next >= f->reached && !is_over) {
            break;
        }
        latest = later(latest, held->time);
        if (held_is_receive(held)) {
            if (held->need_process < o->process_count) {
                latest = later(latest, held->need_time);
                reach(o, held);
            }
        } else if (held->slot != REPORT_NO_SLOT) {
            is_wanted = (held->wanted & o->bit) != 0;
        }
    }
    o->wanted_count += (uint32_t)is_wanted - (uint32_t)f->is_wanted;
    o->latest = latest;
    f->next = next;
    must(next <= source->fed);
    must(o->wanted_count <= o->process_count);
    f->is_wanted = is_wanted;
}

/* Processes are visited in sequence; this many ahead is prefetched, with some of its next reports.
 */
enum { AHEAD = 2 };

static void expect(const struct online *o, uint32_t process)
{
    enum { IN_LINE = 2, LINES_MAX = 24 };
    if (process < o->process_count) {
        const struct source *source = &o->sources[process];
        uint64_t next = o->processes[process].next;
        for (int i = 0; i < LINES_MAX && next < source->fed; i++, next += IN_LINE) {
            __builtin_prefetch(source_held(source, next));
        }
    }
}

/* Visits all processes once, in order: those still ahead are not queued. */
static void run_all(struct online *o)
{
    for (uint32_t p = 0; p < o->process_count; p++) {
        o->processes[p].is_queued = true;
    }
    for (uint32_t p = 0; p < o->process_count; p++) {
        expect(o, p + AHEAD);
        o->processes[p].is_queued = false;
        run(o, p);
    }
    while (o->queue.count > 0) {
        const uint32_t process = vec_pop(&o->queue);
        o->processes[process].is_queued = false;
        run(o, process);
    }
}

void online_go_on(struct online *o)
{
    run_all(o);
}

/* Advances all processes that must, until a fixpoint. */
static void sweep(struct online *o)
{
    int64_t latest = 0;
    do {
        latest = o->latest;
        run_all(o);
    } while (latest != o->latest);
}

bool online_is_found(struct online *o)
{
    /* A process in an unwanted state has taken all its reports: the others cannot change it. */
    if (o->wanted_count < o->process_count) {
        return false;
    }
    sweep(o);
    return o->wanted_count == o->process_count;
}

void online_pass(struct online *o, int64_t horizon)
{
    o->latest = horizon > o->latest ? horizon : o->latest;
    sweep(o);
}
