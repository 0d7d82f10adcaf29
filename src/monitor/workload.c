#include "monitor/workload.h"

#include <stdio.h>

#include "base/arena.h"
#include "wire/hlc.h"
#include "wire/kind.h"
#include "wire/prng.h"

enum { MILLION = 1000000, MS = 1000000 };

const char *workload_name(enum workload_kind kind)
{
    static const char *const names[] = {
#define WORKLOAD(id, name) [WORKLOAD_##id] = (name),
        WORKLOAD_LIST(WORKLOAD)
#undef WORKLOAD
    };
    return kind < WORKLOAD_COUNT ? names[kind] : NULL;
}

const char *workload_spec(enum workload_kind kind)
{
    static const char *const specs[] = {
        [WORKLOAD_SYNTHETIC] = "all: possibly forall p. p.v = 1\n"
                               "exactly_5: possibly count(p: p.v = 1) = 5\n"
                               "at_least_5: possibly count(p: p.v = 1) >= 5\n"
                               "sum_5: possibly sum(p: p.v) = 5\n"
                               "sum_at_least_5: possibly sum(p: p.v) >= 5\n",
        [WORKLOAD_TDM] = "exclusive: never count(p: p.v = 1) >= 2\n",
        [WORKLOAD_TOKEN] = "exclusive: never count(p: p.v = 1) >= 2\n",
    };
    return specs[kind];
}

struct workload workload_default(enum workload_kind kind)
{
    return (struct workload){.kind = kind,
                             .process_count = 10,
                             .tick_ns = 10000,
                             .skew = 1000,
                             .delay = 100,
                             .beta = MILLION / 100,
                             .interval = 10,
                             .message_rate = MILLION / 100,
                             .duration = 100000,
                             .fault = MILLION / 10,
                             .seed = 1};
}

/* count * from / to, to the nearest. */
static int64_t rescaled(int64_t count, uint64_t from_ns, uint64_t to_ns)
{
    return (int64_t)((double)count * (double)from_ns / (double)to_ns + 0.5);
}

static uint32_t rescaled_chance(uint32_t chance, uint64_t from_ns, uint64_t to_ns)
{
    const int64_t millionths = rescaled(chance, to_ns, from_ns);
    return millionths > MILLION ? MILLION : (uint32_t)millionths;
}

void workload_rescale(struct workload *w, uint64_t tick_ns)
{
    must(tick_ns > 0);
    w->skew = rescaled(w->skew, w->tick_ns, tick_ns);
    w->delay = rescaled(w->delay, w->tick_ns, tick_ns);
    w->interval = rescaled(w->interval, w->tick_ns, tick_ns);
    w->duration = rescaled(w->duration, w->tick_ns, tick_ns);
    w->beta = rescaled_chance(w->beta, w->tick_ns, tick_ns);
    w->message_rate = rescaled_chance(w->message_rate, w->tick_ns, tick_ns);
    w->tick_ns = tick_ns;
}

struct process {
    uint32_t task;
    int64_t offset; /* of its clock, from true time */
    int64_t clock;  /* never falls */
    struct hlc stamp;
    bool v;
    int64_t change_at; /* its variable does not change before this, by true time or by its clock */
};

/* A message in transit. All delays are equal, so messages arrive in the order of their sends. */
struct parcel {
    int64_t arrives;
    uint32_t to;
    uint32_t name;
    bool is_token;
    struct hlc stamp;
};

struct running {
    const struct workload *w;
    struct trace *t;
    struct prng prng;
    struct process *processes;
    VEC(struct parcel) parcels;
    size_t delivered;
    uint32_t variable;
    uint32_t holder; /* of the token; process_count while it is on its way */
    uint64_t message_count;
};

static bool chance(struct running *r, uint32_t millionths)
{
    must(millionths <= MILLION);
    return prng_below(&r->prng, MILLION) < millionths;
}

static void append(struct running *r, uint32_t i, struct event e)
{
    must(i < r->w->process_count);
    const struct process *p = &r->processes[i];
    e.task = p->task;
    e.has |= HAS_TIME | HAS_HLC;
    e.time = p->clock;
    e.hlc_time = p->stamp.time;
    e.hlc_count = p->stamp.count;
    trace_append(r->t, &e);
}

static void set_variable(struct running *r, uint32_t i, bool v)
{
    struct process *p = &r->processes[i];
    hlc_advance(&p->stamp, p->clock);
    p->v = v;
    append(r, i,
           (struct event){
               .kind = EVENT_VARIABLE, .object = r->variable, .has = HAS_VALUE, .value = v});
}

static void send(struct running *r, int64_t now, uint32_t i, bool is_token)
{
    const uint32_t count = r->w->process_count;
    struct process *p = &r->processes[i];
    const uint32_t to =
        is_token ? (i + 1) % count : (i + 1 + (uint32_t)prng_below(&r->prng, count - 1)) % count;
    char name[32];
    const int size = snprintf(name, sizeof name, "m%llu", (unsigned long long)++r->message_count);
    hlc_advance(&p->stamp, p->clock);
    const struct parcel parcel = {
        .arrives = now + r->w->delay,
        .to = to,
        .name = names_intern(&r->t->tables.names, name, (size_t)size),
        .is_token = is_token,
        .stamp = p->stamp,
    };
    vec_push(&r->parcels, parcel);
    append(r, i, (struct event){.kind = EVENT_SEND, .mode = TRANSPORT_UDP, .message = parcel.name});
}

static void deliver(struct running *r, int64_t now)
{
    while (r->delivered < r->parcels.count && r->parcels.at[r->delivered].arrives <= now) {
        const struct parcel parcel = r->parcels.at[r->delivered++];
        struct process *p = &r->processes[parcel.to];
        hlc_receive(&p->stamp, parcel.stamp, p->clock);
        append(r, parcel.to,
               (struct event){.kind = EVENT_RECV, .mode = TRANSPORT_UDP, .message = parcel.name});
        if (parcel.is_token) {
            r->holder = parcel.to;
        }
    }
}

/* Clocks run with true time and drift a little at random, within the skew. */
static void drift(struct running *r, int64_t now)
{
    for (uint32_t i = 0; i < r->w->process_count; i++) {
        struct process *p = &r->processes[i];
        const uint64_t u = prng_below(&r->prng, 1000);
        if (u == 0 && p->offset < r->w->skew) {
            p->offset++;
        } else if (u == 1 && p->offset > 0) {
            p->offset--;
        }
        p->clock = now + p->offset > p->clock ? now + p->offset : p->clock;
    }
}

static void step_synthetic(struct running *r, int64_t now, uint32_t i)
{
    struct process *p = &r->processes[i];
    if (now >= p->change_at && chance(r, r->w->beta)) {
        set_variable(r, i, !p->v);
        p->change_at = now + r->w->interval;
    }
}

/* Turns of 100 ms. A process stops the skew before its turn's end, by its own clock. A clock moves
 * by at most two ticks, so the process must not wait for the last two. */
static void step_tdm(struct running *r, uint32_t i)
{
    struct process *p = &r->processes[i];
    const int64_t turn = (int64_t)(UINT64_C(100) * MS / r->w->tick_ns);
    const int64_t round = p->clock / (turn * r->w->process_count);
    const int64_t begin = (round * r->w->process_count + i) * turn;
    if (!p->v && p->clock >= begin && p->clock < begin + turn - r->w->skew - 2 &&
        begin >= p->change_at) {
        set_variable(r, i, true);
        const int64_t held = chance(r, r->w->fault) ? (int64_t)(MS / r->w->tick_ns) : 0;
        p->change_at = begin + turn - r->w->skew - 2 + held;
    } else if (p->v && p->clock >= p->change_at) {
        set_variable(r, i, false);
    }
}

static void step_token(struct running *r, int64_t now, uint32_t i)
{
    struct process *p = &r->processes[i];
    if (p->v && now >= p->change_at) {
        set_variable(r, i, false);
        send(r, now, i, true);
        r->holder = r->w->process_count;
    } else if (!p->v && r->holder == i) {
        set_variable(r, i, true);
        p->change_at = now + r->w->interval;
    }
}

static void begin(struct running *r)
{
    struct tables *tables = &r->t->tables;
    tables->order = ORDER_NODE;
    tables->tick_ns = r->w->tick_ns;
    tables->source = names_intern_text(&tables->names, workload_name(r->w->kind));
    r->variable = names_intern_text(&tables->names, "v");
    for (uint32_t i = 0; i < r->w->process_count; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "p%u", i + 1);
        struct process *p = &r->processes[i];
        p->task = tables_task(tables, names_intern_text(&tables->names, name),
                              names_intern_text(&tables->names, "main"));
        p->offset = (int64_t)prng_below(&r->prng, (uint64_t)r->w->skew + 1);
        p->clock = p->offset;
        set_variable(r, i, false);
    }
}

void workload_run(const struct workload *w, struct trace *t)
{
    must(w->process_count >= 2);
    struct arena arena = {0};
    struct running r = {
        .w = w, .t = t, .processes = arena_array(&arena, struct process, w->process_count)};
    prng_init(&r.prng, w->seed);
    begin(&r);
    for (int64_t now = 1; now < w->duration; now++) {
        drift(&r, now);
        deliver(&r, now);
        for (uint32_t i = 0; i < w->process_count; i++) {
            switch (w->kind) {
            case WORKLOAD_SYNTHETIC: step_synthetic(&r, now, i); break;
            case WORKLOAD_TDM: step_tdm(&r, i); break;
            case WORKLOAD_TOKEN: step_token(&r, now, i); break;
            case WORKLOAD_COUNT: bug("workload");
            }
            if (w->kind != WORKLOAD_TOKEN && chance(&r, w->message_rate)) {
                send(&r, now, i, false);
            }
        }
    }
    trace_seal(t);
    vec_release(&r.parcels);
    arena_release(&arena);
}
