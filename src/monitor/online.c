/* After Garg and Waldecker (1994), as least.c. A process in an unwanted state takes its reports as
 * they come; one in a wanted state waits, and its reports with it, until it must go on: because a
 * report that was taken needs one of them, or because it was over by the latest that was taken.
 *
 * That last is not looked for each time: it only makes processes go on that can also do so later.
 * All are looked at before a cut is told, and often enough that little is waiting. */
#include "monitor/online.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

struct waiting {
    VEC(struct online_report) reports;
    size_t head;      /* those before were taken */
    uint64_t reached; /* reports of a lower ordinal must be taken */
    bool is_wanted;
    bool is_queued;
};

struct online {
    uint32_t process_count;
    int64_t skew;
    struct waiting *processes;
    uint32_t wanted_count;
    int64_t latest;      /* time of the latest report taken */
    VEC(uint32_t) queue; /* processes to be looked at */
    uint64_t untidy;     /* reports that came since all were looked at */
};

struct online *online_new(uint32_t process_count, int64_t skew)
{
    struct online *o = mem_zero(1, sizeof *o);
    *o = (struct online){
        .process_count = process_count,
        .skew = skew,
        .processes = mem_zero(process_count, sizeof *o->processes),
        .latest = INT64_MIN,
    };
    return o;
}

void online_free(struct online *o)
{
    if (o != NULL) {
        for (uint32_t p = 0; p < o->process_count; p++) {
            vec_release(&o->processes[p].reports);
        }
        vec_release(&o->queue);
        mem_free(o->processes);
        mem_free(o);
    }
}

void online_begin(struct online *o, uint32_t process, bool is_wanted)
{
    must(process < o->process_count);
    struct waiting *w = &o->processes[process];
    o->wanted_count += (uint32_t)is_wanted - (uint32_t)w->is_wanted;
    w->is_wanted = is_wanted;
}

static void enqueue(struct online *o, uint32_t process)
{
    if (!o->processes[process].is_queued) {
        o->processes[process].is_queued = true;
        vec_push(&o->queue, process);
    }
}

static bool is_over(const struct online *o, int64_t time)
{
    return o->latest > time && (uint64_t)o->latest - (uint64_t)time > (uint64_t)o->skew;
}

static bool must_take(const struct online *o, const struct waiting *w)
{
    const struct online_report *next = &w->reports.at[w->head];
    return !w->is_wanted || next->ordinal < w->reached || is_over(o, next->time);
}

static void take(struct online *o, struct waiting *w)
{
    const struct online_report report = w->reports.at[w->head++];
    o->wanted_count += (uint32_t)report.is_wanted - (uint32_t)w->is_wanted;
    w->is_wanted = report.is_wanted;
    o->latest = report.time > o->latest ? report.time : o->latest;
    if (report.need_process != ONLINE_NONE) {
        struct waiting *sender = &o->processes[report.need_process];
        o->latest = report.need_time > o->latest ? report.need_time : o->latest;
        if (sender->reached <= report.need_ordinal) {
            sender->reached = report.need_ordinal + 1;
            enqueue(o, report.need_process);
        }
    }
}

/* What was taken goes, when it is more than what waits. */
static void tidy(struct waiting *w)
{
    const size_t left = w->reports.count - w->head;
    if (w->head > left) {
        memmove(w->reports.at, w->reports.at + w->head, left * sizeof *w->reports.at);
        w->reports.count = left;
        w->head = 0;
    }
}

static void run(struct online *o)
{
    while (o->queue.count > 0) {
        struct waiting *w = &o->processes[vec_pop(&o->queue)];
        w->is_queued = false;
        while (w->head < w->reports.count && must_take(o, w)) {
            take(o, w);
        }
        tidy(w);
    }
}

/* Makes all go on that must, until none must. */
static void sweep(struct online *o)
{
    int64_t latest = 0;
    do {
        latest = o->latest;
        for (uint32_t p = 0; p < o->process_count; p++) {
            const struct waiting *w = &o->processes[p];
            if (w->head < w->reports.count && must_take(o, w)) {
                enqueue(o, p);
                run(o);
            }
        }
    } while (latest != o->latest);
    o->untidy = 0;
}

void online_report(struct online *o, uint32_t process, const struct online_report *report)
{
    must(process < o->process_count);
    struct waiting *w = &o->processes[process];
    vec_push(&w->reports, *report);
    if (must_take(o, w)) {
        enqueue(o, process);
        run(o);
    }
    if (++o->untidy > 4 * (uint64_t)o->process_count) {
        sweep(o);
    }
}

bool online_is_found(struct online *o)
{
    sweep(o);
    return o->wanted_count == o->process_count;
}

void online_go_on(struct online *o, int64_t floor)
{
    o->latest = floor > o->latest ? floor : o->latest;
    sweep(o);
}
