#include "monitor/overlap.h"

#include <stdio.h>
#include <string.h>

#include "trace/time_text.h"

/* The columns of a bar, the longest name, and the largest number of lanes drawn. */
enum { BAR_SIZE = 56, NAME_SIZE_MAX = 20, LANES_MAX = 16 };

struct overlap_state overlap_state(const struct state_history *h, uint32_t process, uint32_t taken)
{
    const struct cuts *c = &h->cuts;
    const uint32_t next = c->first[process] + taken;
    must(next <= c->first[process + 1]);
    struct overlap_state s = {0};
    if (taken > 0) {
        s.entered = c->time[next - 1];
    } else if (h->base != NULL && h->base->last[process].event != UINT64_MAX) {
        s.entered = h->base->last[process].time;
    } else {
        s.entered = INT64_MIN;
    }
    s.has_entered = s.entered != INT64_MIN;
    s.has_left = next < c->first[process + 1] && c->time[next] != INT64_MIN;
    s.left = s.has_left ? c->time[next] : INT64_MAX;
    return s;
}

struct overlap overlap_find(const struct state_history *h, const uint32_t *taken,
                            const struct bits *among)
{
    struct overlap o = {.left = INT64_MAX, .entered = INT64_MIN};
    for (uint32_t p = 0; p < h->cuts.process_count; p++) {
        const struct overlap_state s = overlap_state(h, p, taken[p]);
        if (among != NULL && !bits_has(*among, p)) {
            continue;
        }
        if (s.has_left && s.left < o.left) {
            o.left = s.left;
            o.early = p;
        }
        if (s.has_entered && s.entered > o.entered) {
            o.entered = s.entered;
            o.late = p;
        }
    }
    o.has_pair = h->has_times && o.left != INT64_MAX && o.entered != INT64_MIN;
    if (o.has_pair && o.entered > o.left &&
        __builtin_sub_overflow(o.entered, o.left, &o.skew_needed)) {
        o.skew_needed = INT64_MAX;
    }
    must(o.skew_needed >= 0);
    return o;
}

/* ---- text ---- */

static const char *say_why(const struct state_history *h, const struct overlap *o,
                           struct findings *f)
{
    const uint64_t tick_ns = h->trace->tables.tick_ns;
    const char *early = *vec_at(&h->processes, o->early);
    const char *late = *vec_at(&h->processes, o->late);
    char left[TIME_TEXT_SIZE];
    char entered[TIME_TEXT_SIZE];
    char between[TIME_TEXT_SIZE];
    char skew[TIME_TEXT_SIZE];
    must(o->has_pair);
    time_text(left, o->left, tick_ns);
    time_text(entered, o->entered, tick_ns);
    if (o->entered <= o->left) {
        time_span_text(between, o->left - o->entered, tick_ns);
        return findings_text(f, "the clocks show these states together from %s to %s (%s)", entered,
                             left, between);
    }
    time_span_text(between, o->skew_needed, tick_ns);
    time_span_text(skew, h->cuts.skew, tick_ns);
    return findings_text(f,
                         "%s left its state at %s, %s before %s entered its own at %s; clocks that "
                         "differ by up to %s allow it\n"
                         "a message that %s sent after it left, received by %s before it entered, "
                         "would have ruled it out",
                         early, left, between, late, entered, skew, early, late);
}

static const char *say_least(const struct state_history *h, const struct overlap_least *least,
                             struct findings *f)
{
    char skew[TIME_TEXT_SIZE];
    if (least == NULL || least->skew == 0) {
        return "";
    }
    time_span_text(skew, least->skew, h->trace->tables.tick_ns);
    return findings_text(f,
                         least->is_exact ? "\npossible with a skew of %s or more"
                                         : "\npossible with a skew of %s, perhaps with less",
                         skew);
}

/* ---- the timeline ---- */

/* The times from the first to the last bar. */
struct axis {
    int64_t from, to;
};

static int column_of(const struct axis *x, int64_t time)
{
    must(x->from <= time);
    must(time <= x->to);
    const double whole = (double)x->to - (double)x->from;
    const double part = (double)time - (double)x->from;
    return whole <= 0 ? 0 : (int)(part / whole * BAR_SIZE);
}

/* From the report that begins the state to the one that ends it; < and > where there is none. */
static void draw_bar(char bar[BAR_SIZE + 1], const struct axis *x, const struct overlap_state *s)
{
    const int from = s->has_entered ? column_of(x, s->entered) : 0;
    const int to = s->has_left ? column_of(x, s->left) : BAR_SIZE;
    memset(bar, ' ', BAR_SIZE);
    bar[BAR_SIZE] = '\0';
    for (int i = from < BAR_SIZE ? from : BAR_SIZE - 1; i < (to > from ? to : from + 1); i++) {
        if (i < BAR_SIZE) {
            bar[i] = '=';
        }
    }
    bar[0] = s->has_entered ? bar[0] : '<';
    bar[BAR_SIZE - 1] = s->has_left ? bar[BAR_SIZE - 1] : '>';
}

/* The processes that have a lane, with their states. */
struct lanes {
    uint32_t process[LANES_MAX];
    struct overlap_state state[LANES_MAX];
    uint32_t count, left_out;
    struct axis axis;
    bool has_time;
};

static void take_time(struct lanes *l, int64_t time)
{
    l->axis.from = !l->has_time || time < l->axis.from ? time : l->axis.from;
    l->axis.to = !l->has_time || time > l->axis.to ? time : l->axis.to;
    l->has_time = true;
}

static struct lanes find_lanes(const struct state_history *h, const uint32_t *taken,
                               const struct bits *reads)
{
    struct lanes l = {0};
    for (uint32_t p = 0; p < h->cuts.process_count; p++) {
        if (!bits_has(*reads, p)) {
            continue;
        }
        if (l.count == LANES_MAX) {
            l.left_out++;
            continue;
        }
        const struct overlap_state s = overlap_state(h, p, taken[p]);
        l.process[l.count] = p;
        l.state[l.count++] = s;
        if (s.has_entered) {
            take_time(&l, s.entered);
        }
        if (s.has_left) {
            take_time(&l, s.left);
        }
    }
    return l;
}

static const char *draw(const struct state_history *h, const struct lanes *l, struct findings *f)
{
    char from[TIME_TEXT_SIZE];
    char to[TIME_TEXT_SIZE];
    if (!l->has_time || l->count < 2) {
        return "";
    }
    int width = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const int size = (int)strlen(*vec_at(&h->processes, l->process[i]));
        width = size > width ? size : width;
    }
    width = width > NAME_SIZE_MAX ? NAME_SIZE_MAX : width;
    time_text(from, l->axis.from, h->trace->tables.tick_ns);
    time_text(to, l->axis.to, h->trace->tables.tick_ns);
    const char *text = findings_text(f, "\nby their clocks, from %s to %s:", from, to);
    for (uint32_t i = 0; i < l->count; i++) {
        char bar[BAR_SIZE + 1];
        draw_bar(bar, &l->axis, &l->state[i]);
        text = findings_text(f, "%s\n  %-*.*s |%s|", text, width, width,
                             *vec_at(&h->processes, l->process[i]), bar);
    }
    return l->left_out == 0 ? text
                            : findings_text(f, "%s\n  and %u more", text, (unsigned)l->left_out);
}

const char *overlap_text(const struct state_history *h, const uint32_t *taken,
                         const struct bits *reads, const struct overlap_least *least,
                         struct findings *f)
{
    const struct overlap of_read = overlap_find(h, taken, reads);
    const struct overlap of_all = overlap_find(h, taken, NULL);
    if (!of_all.has_pair || h->cuts.skew == INT64_MAX) {
        return "";
    }
    const struct overlap *o = of_all.skew_needed > of_read.skew_needed ? &of_all : &of_read;
    const struct lanes lanes = find_lanes(h, taken, reads);
    return findings_text(f, "\n%s%s%s", o->has_pair ? say_why(h, o, f) : say_why(h, &of_all, f),
                         say_least(h, least, f), draw(h, &lanes, f));
}
