#include "world/fuzz.h"

#include "base/mem.h"
#include "fault.h"
#include "fuzz.h"
#include "mutate.h"
#include "scratch.h"
#include "test.h"

FUZZ_DECLARE(fuzz_file);

static const char *const nodes[] = {"n1", "n2", "n3", NULL};
static const char *const messages[] = {"put", "get", NULL};
static const struct fuzz_names names = {nodes, messages};

static int read_text(struct fuzz *f, const char *text, struct err *e)
{
    struct in in;
    *f = (struct fuzz){0};
    in_open_memory(&in, text, strlen(text));
    return fuzz_read(f, &in, e) < 0 ? -1 : fuzz_check(f, &names, e);
}

static void want(struct fuzz *f, const char *text)
{
    struct err e = {.text = ""};
    if (read_text(f, text, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

TEST(weights_are_checked_in_their_place)
{
    struct fuzz f;
    want(&f, "weights: timer=1,message=8\n");
    CHECK_TEXT(f.weights, "timer=1,message=8");
    fuzz_release(&f);
    struct err e = {.text = ""};
    CHECK_INT(read_text(&f, "weights: ticks=1\n", &e), -1);
    CHECK(strstr(e.text, "line 1, column 10") != NULL);
    CHECK(strstr(e.text, "no class of operations") != NULL);
    fuzz_release(&f);
}

TEST(every_key_says_what_it_says)
{
    struct fuzz f;
    want(&f, "initial:\n"
             "  - {request: put, to: n2, numbers: [1, 2..5], number_size: 8}\n"
             "  - wait: n1.ready = 1\n"
             "  - {request: get, to: any, text: hello}\n"
             "  - crash: n3\n"
             "generate:\n"
             "  events: 7\n"
             "  from:\n"
             "    - {name: write, weight: 5, request: put, to: any}\n"
             "    - {partition: any, most: 2, needs: write}\n"
             "net: datagram\n"
             "channels: [{from: n1, to: n2, net: fifo}]\n"
             "steps: 2000\n"
             "check_every: 10\n"
             "fingerprint: what\n");
    CHECK_INT(f.initial.count, 4);
    CHECK_INT(f.initial.at[0].kind, FUZZ_REQUEST);
    CHECK_TEXT(f.initial.at[0].type, "put");
    CHECK_TEXT(f.initial.at[0].node, "n2");
    CHECK_INT(f.initial.at[0].number_size, 8);
    CHECK_INT(f.initial.at[0].numbers[1].least, 2);
    CHECK_INT(f.initial.at[0].numbers[1].most, 5);
    CHECK_TEXT(f.initial.at[1].condition, "n1.ready = 1");
    CHECK(f.initial.at[2].node == NULL);
    CHECK_TEXT(f.initial.at[2].text, "hello");
    CHECK_INT(f.initial.at[3].kind, FUZZ_CRASH);
    CHECK_INT(f.event_count, 7);
    CHECK_INT(f.generators.at[0].weight, 5);
    CHECK_INT(f.generators.at[1].most, 2);
    CHECK_INT(f.generators.at[1].needs, 0);
    CHECK_TEXT(f.net, "datagram");
    CHECK(f.channels.at[0].is_fifo);
    CHECK_INT(f.steps_max, 2000);
    CHECK_INT(f.check_every, 10);
    CHECK_INT(f.fingerprint, FUZZ_BY_WHAT);
    fuzz_release(&f);
}

TEST(an_empty_file_brings_nothing)
{
    struct fuzz f;
    want(&f, "");
    CHECK_INT(f.check_every, 1);
    struct prng prng;
    struct arena arena = {0};
    prng_init(&prng, 1);
    CHECK_INT(fuzz_draw(&f, &names, &prng, &arena).count, 0);
    arena_release(&arena);
    fuzz_release(&f);
}

TEST(what_is_wrong_is_named_with_line_and_column)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"initail: []\n",
         "line 1, column 1: there is no key \"initail\" here (did you mean initial?)"},
        {"- a\n", "line 1, column 1: a mapping (key: value) was expected"},
        {"steps: many\n",
         "line 1, column 8: a number from 1 to 1073741824 was expected, not \"many\""},
        {"net: tcp\n", "line 1, column 6: there is no choice \"tcp\" here: fifo or datagram"},
        {"initial:\n  - to: n1\n",
         "line 2, column 5: an event is a request, crash, restart, partition, heal or wait"},
        {"initial:\n  - crash: n1\n    heal: n1\n",
         "line 3, column 5: an event is one thing, and this is crash already"},
        {"initial:\n  - request: put\n",
         "line 2, column 5: a request says whom it goes to (to: NODE, or any)"},
        {"initial:\n  - crash: n1\n    text: x\n", "line 3, column 5: only requests have this"},
        {"initial:\n  - {request: put, to: n1, text: a, numbers: [1]}\n",
         "line 2, column 37: text or numbers, not both"},
        {"initial:\n  - {request: put, to: n1, numbers: [5..1]}\n",
         "line 2, column 41: a number from 5 to 9223372036854775807 was expected, not \"1\""},
        {"initial:\n  - {request: put, to: n1, numbers: [1], number_size: 3}\n",
         "line 2, column 55: there is no choice \"3\" here: 1, 2, 4 or 8"},
        {"initial:\n  - {request: put, to: n4}\n",
         "line 2, column 5: the system has no node \"n4\" (did you mean n1?)"},
        {"initial:\n  - {request: putt, to: n1}\n",
         "line 2, column 5: the system has no message \"putt\" (did you mean put?)"},
        {"initial:\n  - {request: put, to: n1, weight: 3}\n",
         "line 2, column 28: there is no key \"weight\" here (did you mean wait?)"},
        {"generate:\n  events: 3\n",
         "line 2, column 3: it says how many events (events: N), and from what (from:)"},
        {"generate:\n  events: 3\n  from:\n    - wait: n1.x = 1\n",
         "line 4, column 7: waits and starts stand among the initial events only"},
        {"generate:\n  events: 3\n  from:\n    - {crash: n1, name: fall}\n"
         "    - {heal: n1, needs: fal}\n",
         "line 5, column 25: no other generator is called so (did you mean fall?)"},
        {"channels: [{from: n1}]\n",
         "line 1, column 12: it says how messages travel (net: fifo, or datagram)"},
        {"channels: [{from: n9, net: fifo}]\n",
         "line 1, column 12: the system has no node \"n9\" (did you mean n1?)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fuzz f;
        struct err e = {.text = ""};
        CHECK_INT(read_text(&f, cases[i].text, &e), -1);
        CHECK_TEXT(e.text, cases[i].message);
        fuzz_release(&f);
    }
}

TEST(numbers_are_bytes_with_the_lowest_first)
{
    struct fuzz f;
    want(&f, "initial:\n  - {request: put, to: n1, numbers: [258, -1], number_size: 2}\n");
    struct prng prng;
    struct arena arena = {0};
    prng_init(&prng, 1);
    const struct fuzz_injections drawn = fuzz_draw(&f, &names, &prng, &arena);
    CHECK_INT(drawn.count, 1);
    CHECK_INT(drawn.list[0].size, 4);
    CHECK_INT(memcmp(drawn.list[0].bytes, "\x02\x01\xff\xff", 4), 0);
    arena_release(&arena);
    fuzz_release(&f);
}

/* Of 4000 events: puts and gets about as 3 to 1, no get before a put, at most two crashes, numbers
 * within their range. The same seed draws the same. */
TEST(generators_are_drawn_by_weight_and_need)
{
    struct fuzz f;
    want(&f, "generate:\n"
             "  events: 4000\n"
             "  from:\n"
             "    - {request: get, to: any, needs: put}\n"
             "    - {name: put, weight: 3, request: put, to: n2, numbers: [4..6]}\n"
             "    - {crash: any, most: 2}\n");
    struct arena arena = {0};
    struct fuzz_injections drawn[2];
    for (int i = 0; i < 2; i++) {
        struct prng prng;
        prng_init(&prng, 42);
        drawn[i] = fuzz_draw(&f, &names, &prng, &arena);
        CHECK_INT(drawn[i].count, 4000);
    }
    uint64_t puts = 0;
    uint64_t crashes = 0;
    bool is_met[3] = {false};
    for (size_t i = 0; i < 4000; i++) {
        const struct fuzz_injection *injection = &drawn[0].list[i];
        CHECK_INT(injection->node, drawn[1].list[i].node);
        CHECK(injection->event == drawn[1].list[i].event);
        if (injection->event->kind == FUZZ_CRASH) {
            crashes++;
        } else if (injection->type == 0) {
            const char number = *(const char *)injection->bytes;
            CHECK_INT(injection->node, 1);
            CHECK(number >= 4);
            CHECK(number <= 6);
            is_met[number - 4] = true;
            puts++;
        } else {
            CHECK(puts > 0);
        }
    }
    CHECK_INT(crashes, 2);
    CHECK(is_met[0]);
    CHECK(is_met[1]);
    CHECK(is_met[2]);
    CHECK(puts > 2800);
    CHECK(puts < 3200);
    arena_release(&arena);
    fuzz_release(&f);
}

TEST(mutated_files_are_read_or_refused)
{
    mutate_entry("fuzz_file", fuzz_fuzz_file);
}

static int read_file(void *path)
{
    struct err e;
    struct in in;
    struct fuzz f = {0};
    if (in_open(&in, path, &e) < 0) {
        return fault_told(&e);
    }
    const int result = fuzz_read(&f, &in, &e);
    in_close(&in);
    fuzz_release(&f);
    return result < 0 ? fault_told(&e) : 0;
}

TEST(every_call_of_the_reader_fails_once)
{
    static const char text[] = "initial:\n  - {request: put, to: n1, numbers: [1]}\n";
    char path[200];
    (void)snprintf(path, sizeof path, "%s", scratch_write("a.yaml", text, sizeof text - 1));
    CHECK(fault_sweep(&(struct fault_sweep){.run = read_file, .context = path}) > 3);
}
