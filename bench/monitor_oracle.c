/* By the definition, and by nothing that the monitor uses: from the empty cut on, a report at a
 * time, each cut once. */
#include "monitor_oracle.h"

#include "base/map.h"
#include "wire/kind.h"

/* Reports taken per process, 16 bits each. */
typedef uint64_t packed;

struct oracle_report {
    int64_t time;
    bool is_change, v;
    uint32_t message; /* 0: none */
    bool is_receive;
};

struct sent {
    uint32_t process, position;
    bool is_sent;
};

struct walking {
    struct oracle *oracle;
    int64_t skew;
    uint32_t least, process_count;
    VEC(struct oracle_report) reports[ORACLE_PROCESSES_MAX];
    VEC(struct sent) sent; /* by name */
};

void oracle_release(struct oracle *o)
{
    vec_release(&o->list);
}

static uint32_t taken_of(packed cut, uint32_t process)
{
    return (uint32_t)(cut >> (16 * process)) & 0xffff;
}

static void read_reports(struct walking *w, const struct trace *t)
{
    trace_each (t, e) {
        const uint32_t p = e->task;
        must(p < ORACLE_PROCESSES_MAX);
        w->process_count = p >= w->process_count ? p + 1 : w->process_count;
        const bool is_message = e->kind == EVENT_SEND || e->kind == EVENT_RECV;
        while (is_message && w->sent.count <= e->message) {
            vec_push(&w->sent, (struct sent){0});
        }
        if (e->kind == EVENT_SEND) {
            w->sent.at[e->message] = (struct sent){p, (uint32_t)w->reports[p].count, true};
        }
        if (is_message || e->kind == EVENT_VARIABLE) {
            const struct oracle_report report = {.time = e->time,
                                                 .is_change = !is_message,
                                                 .v = !is_message && e->value == 1,
                                                 .message = is_message ? e->message : 0,
                                                 .is_receive = e->kind == EVENT_RECV};
            vec_push(&w->reports[p], report);
        }
    }
}

static bool is_over(const struct walking *w, int64_t early, int64_t late)
{
    return late - early > w->skew;
}

/* Whether the cut with the next report of the process is one too. */
static bool can_take(const struct walking *w, packed cut, uint32_t process)
{
    const uint32_t taken = taken_of(cut, process);
    if (taken == w->reports[process].count) {
        return false;
    }
    const struct oracle_report *report = &w->reports[process].at[taken];
    if (report->is_receive && w->sent.at[report->message].is_sent) {
        const struct sent *sent = &w->sent.at[report->message];
        if (sent->process != process && taken_of(cut, sent->process) <= sent->position) {
            return false;
        }
    }
    for (uint32_t p = 0; p < w->process_count; p++) {
        const uint32_t next = taken_of(cut, p);
        if (p != process && next < w->reports[p].count &&
            is_over(w, w->reports[p].at[next].time, report->time)) {
            return false;
        }
    }
    return true;
}

static bool is_true(const struct walking *w, packed cut, uint32_t process)
{
    uint32_t taken = taken_of(cut, process);
    while (taken > 0 && !w->reports[process].at[taken - 1].is_change) {
        taken--;
    }
    return taken > 0 && w->reports[process].at[taken - 1].v;
}

static void look_at(struct walking *w, packed cut)
{
    uint32_t count = 0;
    struct oracle_cut found = {.latest = INT64_MIN, .next = INT64_MAX};
    for (uint32_t p = 0; p < w->process_count; p++) {
        const uint32_t taken = taken_of(cut, p);
        count += is_true(w, cut, p);
        if (taken > 0 && w->reports[p].at[taken - 1].time > found.latest) {
            found.latest = w->reports[p].at[taken - 1].time;
        }
        if (taken < w->reports[p].count && w->reports[p].at[taken].time < found.next) {
            found.next = w->reports[p].at[taken].time;
        }
    }
    w->oracle->cut_count++;
    if (count >= w->least) {
        vec_push(&w->oracle->list, found);
    }
}

/* The cuts with one report more. */
static void go_on(const struct walking *w, uint64_t cut, struct map *next)
{
    for (uint32_t p = 0; p < w->process_count; p++) {
        if (can_take(w, cut, p)) {
            map_put(next, cut + (UINT64_C(1) << (16 * p)), 0);
        }
    }
}

void oracle_walk(struct oracle *o, const struct trace *t, int64_t skew, uint32_t least)
{
    struct walking w = {.oracle = o, .skew = skew, .least = least};
    struct map now = {0};
    struct map next = {0};
    read_reports(&w, t);
    map_put(&now, 0, 0);
    while (now.entries.count > 0) {
        vec_each (&now.entries, cut) {
            look_at(&w, cut->key);
            go_on(&w, cut->key, &next);
        }
        const struct map other = now;
        now = next;
        next = other;
        map_clear(&next);
    }
    map_release(&now);
    map_release(&next);
    for (uint32_t p = 0; p < w.process_count; p++) {
        vec_release(&w.reports[p]);
    }
    vec_release(&w.sent);
}

bool oracle_is_possible(const struct oracle *o, int64_t skew, int64_t from, int64_t until)
{
    vec_each (&o->list, cut) {
        const bool has_all = from == INT64_MIN || cut->next >= from || from - cut->next <= skew;
        if (cut->latest < until && has_all) {
            return true;
        }
    }
    return false;
}
