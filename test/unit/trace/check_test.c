#include "trace/check.h"

#include "test.h"
#include "trace_of.h"
#include "wire/prng.h"

static struct check_counts counts;

/* Checks the trace, told in batches of `batch_size`, and writes what is found: "rule:index", with
 * the event it contradicts behind a slash. */
static const char *told_in_batches(const char *text, size_t batch_size)
{
    static char line[2000];
    const struct trace *t = trace_of(text);
    struct findings findings = {0};
    struct check *c =
        check_new(&t->tables, &(struct check_options){.findings_max = UINT64_MAX}, &findings);
    for (size_t from = 0; from < t->events.count; from += batch_size) {
        const size_t rest = t->events.count - from;
        check_events(c, &(struct batch){.events = t->events.at + from,
                                        .count = rest < batch_size ? rest : batch_size});
    }
    check_end(c);
    counts = *check_counts(c);
    line[0] = '\0';
    vec_each (&findings.list, f) {
        const size_t used = strlen(line);
        (void)snprintf(line + used, sizeof line - used, "%s%.*s:%llu", used == 0 ? "" : " ",
                       (int)strcspn(f->key, ":"), f->key, (unsigned long long)f->events[0].index);
        if (f->event_count > 1) {
            const size_t more = strlen(line);
            (void)snprintf(line + more, sizeof line - more, "/%llu",
                           (unsigned long long)f->events[1].index);
        }
    }
    CHECK_INT(counts.errors + counts.warnings, findings.list.count);
    CHECK_INT(counts.events, t->events.count);
    check_free(c);
    findings_release(&findings);
    return line;
}

static const char *told(const char *text)
{
    return told_in_batches(text, SIZE_MAX / 2);
}

#define CHECK_TOLD(text, wanted) CHECK_TEXT(told(text), wanted)

TEST(a_whole_execution_has_nothing_to_tell)
{
    CHECK_TOLD("A@n begin; A@n fork B@n; B@n begin; A@n acq m; A@n w x; A@n rel m; B@n acq m;"
               "B@n r x; B@n rel m; B@n end; A@n join B@n; A@n end",
               "");
    CHECK_TOLD("", "");
}

TEST(time_may_stand_still_but_not_run_backwards)
{
    CHECK_TOLD("A w x time=5; A w x time=5; B w x time=3; A w x time=4; A w x time=4",
               "time-backwards:3");
    CHECK_TOLD("A w x hlc=5,1; A w x hlc=5,0; A w x hlc=6,0", "clock-backwards:1");
}

TEST(a_time_of_zero_is_no_time)
{
    CHECK_TOLD("A w x time=0; A w x time=7; A w x time=0; A w x time=8", "time-zero:0");
    CHECK_TOLD("A w x time=0; A w x time=0", "");
}

TEST(nobody_sleeps_for_less_than_no_time)
{
    CHECK_TOLD("A sleep value=-1; A set t value=-2; A sleep value=0",
               "negative-delay:0 negative-delay:1");
}

TEST(a_task_starts_once_before_all_it_does)
{
    CHECK_TOLD("A begin; A begin; A end", "start-twice:1/0");
    CHECK_TOLD("A w x; A begin; A end", "before-start:0/1");
    CHECK_TOLD("A process-start; A begin; A end", "");
    CHECK_TOLD("A process-start; A process-start; A end", "start-twice:1/0");
    CHECK_TOLD("A process-exec; A begin; A end", "");
    CHECK_TOLD("A begin; A end; A begin; A end", "");
}

TEST(a_task_is_created_before_all_it_does)
{
    CHECK_TOLD("A@n begin; B@n w x; A@n fork B@n; B@n end; A@n end", "before-create:1/2");
    CHECK_TOLD("A@n fork A@n", "own-parent:0");
    /* Nothing orders what two nodes did, unless the list is the execution. */
    CHECK_TOLD("B@m w x; A@n fork B@m", "");
    CHECK_TOLD("order exact; B@m w x; A@n fork B@m; B@m end", "before-create:0/1");
}

TEST(nothing_comes_after_the_end)
{
    CHECK_TOLD("A begin; A end; A w x; A w x; A end", "after-end:2/1");
    CHECK_TOLD("A begin; A end; A process-exit value=0; A fault mode=crash", "");
    CHECK_TOLD("A process-crash value=9; A w x", "after-end:1/0");
}

TEST(who_was_waited_for_does_nothing_more)
{
    CHECK_TOLD("A@n fork B@n; B@n w x; A@n join B@n; B@n w x; B@n end", "after-join:3/2");
    CHECK_TOLD("A@n fork B@n; B@n begin; A@n join B@n; B@n end", "after-join:3/2");
    CHECK_TOLD("A@n fork B@n; A@n join B@n; B@n begin; B@n end", "after-join:2/1");
    CHECK_TOLD("A@n fork B@n; B@n w x; A@n join B@n", "");
    CHECK_TOLD("A@n fork B@n; B@n end; A@n join B@n; A@n fork B@n; B@n w x; B@n end", "");
    CHECK_TOLD("A@n join A@n", "own-parent:0");
    CHECK_TOLD("B@m w x; A@n join B@m; B@m w x", "");
}

TEST(a_task_without_end_is_unfinished)
{
    CHECK_TOLD("A begin", "not-ended:0");
    CHECK_TOLD("A w x", "");
    CHECK_TOLD("A fork B; B w x", "not-ended:0");
    CHECK_TOLD("A fork B", "not-started:0");
    CHECK_TOLD("A fork B; B w x; A fork B; B w x; B end", "not-ended:0/2");
}

TEST(a_lock_is_released_by_who_holds_it)
{
    CHECK_TOLD("A acq m; B rel m", "unlock-foreign:1/0");
    CHECK_TOLD("A rel m", "unlock-unheld:0");
    CHECK_TOLD("A acq m; A rel m; A rel m", "unlock-unheld:2");
    CHECK_TOLD("A acq m; A acq m; A rel m; A rel m", "");
    /* Locks belong to their node, but for those of several processes. */
    CHECK_TOLD("A@p acq m; B@q rel m; A@p rel m", "unlock-unheld:1");
    CHECK_TOLD(
        "order exact; A@p acq m mode=process-shared-mutex; B@q rel m mode=process-shared-mutex",
        "unlock-foreign:1/0");
    CHECK_TOLD("A rel m mode=fcntl-write; A rel m mode=flock-read", "");
}

TEST(a_lock_is_held_by_one_task)
{
    CHECK_TOLD("A acq m; B acq m; A rel m; B rel m", "lock-overlap:1/0");
    CHECK_TOLD("A@p acq m; B@q acq m; A@p rel m; B@q rel m", "");
    CHECK_TOLD("A acq m mode=read; B acq m mode=read; A rel m mode=read; B rel m mode=read", "");
    CHECK_TOLD("A acq m mode=read; B acq m mode=write; A rel m mode=read; B rel m mode=write",
               "lock-overlap:1/0");
    CHECK_TOLD("A acq m mode=write; B acq m mode=read; A rel m mode=write; B rel m mode=read",
               "lock-overlap:1/0");
    CHECK_TOLD(
        "A acq m mode=read; A acq m mode=write; B acq m mode=read; A rel m; A rel m; B rel m",
        "lock-overlap:2/0");
}

TEST(a_wait_gives_the_lock_away)
{
    CHECK_TOLD("A acq m; A wait c lock=m; B acq m; B notify c; B rel m; A woken c lock=m; A rel m",
               "");
    CHECK_TOLD("A acq m; A acq m; A wait m; B acq m; B rel m; A woken m; A rel m; A rel m", "");
    CHECK_TOLD("A acq m; A wait c lock=m; B acq m; A woken c lock=m; B rel m; A rel m",
               "lock-overlap:3/2");
    CHECK_TOLD("A wait c; A wait d; A woken d", "wait-nested:1/0");
    CHECK_TOLD("A acq m; A wait c lock=m", "wait-unended:1");
}

TEST(a_wait_recorded_only_at_its_end_gave_the_lock_away_before)
{
    CHECK_TOLD("A acq m; B acq m; B notify-all m; B rel m; A woken m; A rel m", "");
    CHECK_TOLD("A acq m; B acq m; B rel m; A w x; A woken m; A rel m", "lock-overlap:1/0");
}

TEST(a_lock_held_at_the_end_is_unfinished)
{
    CHECK_TOLD("A begin; A acq m; A end", "lock-held:1");
    CHECK_TOLD("A acq m; A acq n; A rel m", "lock-held:1");
    CHECK_TOLD("A begin; A acq m; A end; B acq m; B rel m", "lock-held:1");
}

TEST(what_ends_has_begun_and_what_begins_should_end)
{
    CHECK_TOLD("A hb; A he; A he", "handler-unbegun:2");
    CHECK_TOLD("A hb; A hb; A he; A he", "handler-nested:1/0");
    CHECK_TOLD("A hb; A w x", "handler-unended:0");
    CHECK_TOLD("A atomic-end r", "region-unbegun:0");
    CHECK_TOLD("A atomic-begin r; A atomic-begin r; A atomic-end r", "region-unended:0");
    CHECK_TOLD("A enter b; A leave b; A leave b", "barrier-unentered:2");
}

TEST(what_is_received_was_sent_where_the_sender_is_recorded)
{
    CHECK_TOLD("A@a w x; B@b rcv a:1>b:2 msg=7", "receive-unsent:1");
    CHECK_TOLD("A@a w x; B@b rcv c:1>b:2 msg=7", "");
    CHECK_INT(counts.messages_outside, 1);
    CHECK_TOLD("A@a snd a:1>b:2 msg=7; B@b rcv a:1>b:2 msg=7; B@b rcv a:1>b:2 msg=7", "");
    /* Without a name, by channel and size. */
    CHECK_TOLD("A@a snd a:1>b:2 size=4; B@b rcv a:1>b:2 size=4", "");
    CHECK_TOLD("A@a snd a:1>b:2 size=4; B@b rcv a:1>b:2 size=5",
               "send-unreceived:0 receive-unsent:1");
}

TEST(a_receive_listed_before_its_send_is_impossible_where_the_list_orders_them)
{
    CHECK_TOLD("B@b rcv a:1>b:2 msg=7; A@a snd a:1>b:2 msg=7", "");
    CHECK_TOLD("order exact; B@b rcv a:1>b:2 msg=7; A@a snd a:1>b:2 msg=7", "receive-early:0/1");
    CHECK_TOLD("B@a rcv a:1>a:2 msg=7; A@a snd a:1>a:2 msg=7", "receive-early:0/1");
    CHECK_TOLD("order exact; B@b rcv a>b size=4 mode=tcp; A@a snd a>b size=4 mode=tcp",
               "receive-early:0/1");
}

TEST(what_is_sent_should_be_received)
{
    CHECK_TOLD("A@a snd a:1>b:2 msg=7; B@b w x", "send-unreceived:0");
    CHECK_TOLD("A@a snd a:1>c:2 msg=7; B@b w x", "");
    CHECK_TOLD("A@a snd a:1>b:2 msg=7; B@b fault mode=drop msg=7", "");
}

TEST(streams_are_matched_by_bytes)
{
    CHECK_TOLD(
        "A@a snd a>b size=10 mode=tcp; B@b rcv a>b size=6 mode=tcp; B@b rcv a>b size=4 mode=tcp;"
        "B@b rcv a>b size=0 mode=tcp",
        "");
    CHECK_TOLD(
        "A@a snd a>b size=10 mode=tcp; B@b rcv a>b size=6 mode=tcp; B@b rcv a>b size=5 mode=tcp",
        "receive-unsent:2");
    CHECK_TOLD(
        "A@a snd a>b size=2 mode=tcp; B@b rcv a>b size=2 mode=tcp; A@a snd a>b size=3 mode=tcp;"
        "B@b rcv a>b size=1 mode=tcp",
        "send-unreceived:2");
    CHECK_TOLD("B@b rcv x>b size=6 mode=tcp", "");
}

TEST(only_so_many_are_described_but_all_are_counted)
{
    const struct trace *t = trace_of("A rel m; A rel m; A rel m; A begin; B begin; C begin");
    struct findings findings = {0};
    struct check *c = check_new(&t->tables, &(struct check_options){.findings_max = 2}, &findings);
    check_events(c, &(struct batch){.events = t->events.at, .count = t->events.count});
    check_end(c);
    CHECK_INT(findings.list.count, 4);
    CHECK_INT(check_counts(c)->errors, 4);
    CHECK_INT(check_counts(c)->warnings, 3);
    CHECK_INT(check_counts(c)->by_rule[CHECK_UNLOCK_UNHELD], 3);
    check_free(c);
    findings_release(&findings);
}

TEST(a_finding_is_a_sentence_with_its_events)
{
    const struct trace *t = trace_of("A@n acq m @a.c:1; B@n rel m @b.c:2");
    const uint64_t offsets[] = {100, 200};
    struct findings findings = {0};
    struct check *c = check_new(&t->tables, &(struct check_options){.findings_max = 9}, &findings);
    check_events(c, &(struct batch){.events = t->events.at, .offsets = offsets, .count = 1});
    check_events(c,
                 &(struct batch){
                     .events = t->events.at + 1, .offsets = offsets + 1, .count = 1, .input = 3});
    check_end(c);
    CHECK_INT(findings.list.count, 1);
    const struct finding *f = &findings.list.at[0];
    CHECK_TEXT(f->what, "B@n releases m, which A@n holds");
    CHECK_TEXT(f->key, "unlock-foreign:B@n:m:b.c:2");
    CHECK_INT(f->kind, FINDING_MALFORMED);
    CHECK_INT(f->severity, SEVERITY_ERROR);
    CHECK_INT(f->event_count, 2);
    CHECK_INT(f->events[0].input, 3);
    CHECK_INT(f->events[0].index, 0);
    CHECK_INT(f->events[1].input, 0);
    CHECK_INT(f->events[0].offset, 200);
    CHECK_INT(f->events[1].offset, 100);
    CHECK_TEXT(f->events[1].location, "a.c:1");
    CHECK_TEXT(f->events[1].access, "lock");
    check_free(c);
    findings_release(&findings);
}

/* A machine that can only do what is possible: two nodes of two tasks, locks per node, messages
 * between all. */
enum { TASKS = 4, LOCKS = 2 };

struct machine {
    struct prng prng;
    char text[8000];
    size_t used;
    int depth[TASKS][LOCKS]; /* of the locks a task holds */
    int waiting[TASKS];      /* the depth to come back to, 0: awake */
    int waited_lock[TASKS];
    int handling[TASKS];
    int sent, received;
    int time;
};

__attribute__((format(printf, 3, 4))) static void act(struct machine *m, int task,
                                                      const char *format, ...)
{
    va_list arguments;
    m->used +=
        (size_t)snprintf(m->text + m->used, sizeof m->text - m->used, "T%d@n%d ", task, task / 2);
    va_start(arguments, format);
    m->used += (size_t)vsnprintf(m->text + m->used, sizeof m->text - m->used, format, arguments);
    va_end(arguments);
    m->time += (int)prng_below(&m->prng, 2);
    m->used +=
        (size_t)snprintf(m->text + m->used, sizeof m->text - m->used, " time=%d;", 1000 + m->time);
}

static int is_free_for(const struct machine *m, int task, int lock)
{
    return m->depth[task ^ 1][lock] == 0; /* the other task of the node */
}

static void step_lock(struct machine *m, int task)
{
    const int lock = (int)prng_below(&m->prng, LOCKS);
    int *depth = &m->depth[task][lock];
    if (is_free_for(m, task, lock) && prng_below(&m->prng, 2) == 0) {
        act(m, task, "acq m%d", lock);
        (*depth)++;
    } else if (*depth > 0 && prng_below(&m->prng, 3) == 0) {
        act(m, task, "wait c lock=m%d", lock);
        m->waiting[task] = *depth;
        m->waited_lock[task] = lock;
        *depth = 0;
    } else if (*depth > 0) {
        act(m, task, "rel m%d", lock);
        (*depth)--;
    }
}

static void step(struct machine *m)
{
    const int task = (int)prng_below(&m->prng, TASKS);
    if (m->waiting[task] > 0) {
        const int lock = m->waited_lock[task];
        if (is_free_for(m, task, lock)) {
            act(m, task, "woken c lock=m%d", lock);
            m->depth[task][lock] = m->waiting[task];
            m->waiting[task] = 0;
        }
        return;
    }
    switch (prng_below(&m->prng, 5)) {
    case 0: act(m, task, "w x"); break;
    case 1: act(m, task, "snd n%d:1>n0:2 msg=%d", task / 2, m->sent++); break;
    case 2:
        if (m->received < m->sent && m->handling[task] == 0) {
            act(m, task, "rcv n0:1>n%d:2 msg=%d", task / 2, m->received++);
            act(m, task, "hb");
            m->handling[task] = 1;
        }
        break;
    case 3:
        if (m->handling[task] != 0) {
            act(m, task, "he");
            m->handling[task] = 0;
        }
        break;
    default: step_lock(m, task);
    }
}

TEST(no_possible_execution_is_called_impossible)
{
    for (uint64_t seed = 0; seed < test_count(300, 20000); seed++) {
        struct machine m = {0};
        prng_init(&m.prng, seed);
        for (int i = 0; i < 100; i++) {
            step(&m);
        }
        (void)told(m.text);
        CHECK_INT(counts.errors, 0);
        const uint64_t warnings = counts.warnings;
        (void)told_in_batches(m.text, 1 + prng_below(&m.prng, 7));
        CHECK_INT(counts.warnings, warnings);
        trace_of_release();
    }
}

TEST(one_impossible_event_is_found_wherever_it_stands)
{
    for (uint64_t seed = 0; seed < test_count(300, 20000); seed++) {
        struct machine m = {0};
        prng_init(&m.prng, seed);
        const int at = (int)prng_below(&m.prng, 100);
        for (int i = 0; i < 100; i++) {
            step(&m);
            if (i == at) {
                act(&m, (int)prng_below(&m.prng, TASKS), "rel never");
            }
        }
        (void)told(m.text);
        CHECK_INT(counts.errors, 1);
        CHECK_INT(counts.by_rule[CHECK_UNLOCK_UNHELD], 1);
        trace_of_release();
    }
}
