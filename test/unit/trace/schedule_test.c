#include "trace/schedule.h"

#include "base/mem.h"
#include "fault.h"
#include "scratch.h"
#include "test.h"
#include "trace/kind_table.h"
#include "wire/prng.h"

static int parse(struct schedule *s, const char *text, size_t size, struct err *e)
{
    struct in in;
    in_open_memory(&in, text, size);
    schedule_init(s);
    return schedule_parse(s, &in, e);
}

/* Fails unless the text, parsed and printed, is the text. */
static void check_comes_back(const char *text, size_t size)
{
    struct schedule s;
    struct err e = {.text = ""};
    if (parse(&s, text, size, &e) < 0) {
        fail_msg("%s", e.text);
    }
    struct out out;
    out_open_memory(&out);
    schedule_print(&s, &out);
    CHECK_INT(out.used, size);
    CHECK(memcmp(out.buffer, text, size) == 0);
    out_abandon(&out);
    schedule_release(&s);
}

static const char example[] = "clew-schedule 1\n"
                              "system raft\n"
                              "command ./bank -n 3 \"a b\" \"\"\n"
                              "build 5f3a9c\n"
                              "world sim\n"
                              "net tcp\n"
                              "with \"raft-45,nodes=5\"\n"
                              "faults crash drop\n"
                              "seed 18446744073709551615\n"
                              "without 2 5 4294967295\n"
                              "then pct\n"
                              "steps 57\n"
                              "hash 00000000009f1b6c\n"
                              "require main@n1 write x #1 before main@n2 read x #2\n"
                              "forbid main@n2 read x #2 from start@n1 write x #1\n"
                              "require main@n2 read x #1 from start\n"
                              "forbid main read x #1 from start write y #4294967295\n"
                              "content client>n1/put#2 0a00ff\n"
                              "content client>n2/put#1 -\n"
                              "task main/2@n1 lock m #3\n"
                              "message n1>n2/vote#3 fp=9f1b\n"
                              "message \"n>1\">\"n/2\"/\"\"#1\n"
                              "timer main@n1 timer-fire election #1\n"
                              "fault crash n1\n"
                              "fault partition \"n1 n2\"\n"
                              "random main@n1 call rand #1 value=7\n"
                              "short-count main file-read \"\" #2 value=-9223372036854775808\n"
                              "ready-order main@n1 call epoll #1 value=0\n"
                              "load-value main@n1 atomic-load x #9 value=9223372036854775807\n"
                              "message n1>n2/vote#4 fp=9f1b at=17\n"
                              "fault crash n1 at=4294967295\n";

TEST(a_schedule_is_text_that_comes_back_the_same)
{
    check_comes_back(example, sizeof example - 1);
    static const char smallest[] = "clew-schedule 1\nseed 0\nthen stop\n";
    check_comes_back(smallest, sizeof smallest - 1);
}

TEST(a_schedule_says_what_it_says)
{
    struct schedule s;
    struct err e;
    CHECK_INT(parse(&s, example, sizeof example - 1, &e), 0);
    CHECK_TEXT(names_text(&s.names, s.system), "raft");
    CHECK_INT(s.command.count, 5);
    CHECK_TEXT(names_text(&s.names, s.command.at[3]), "a b");
    CHECK_INT(s.faults.at[1], FAULT_DROP);
    CHECK(s.seed == UINT64_MAX);
    CHECK_INT(s.without.count, 3);
    CHECK_INT(s.without.at[1], 5);
    CHECK_TEXT(names_text(&s.names, s.then), "pct");
    CHECK_INT(s.constraints.count, 4);
    CHECK_INT(s.constraints.at[0].kind, CONSTRAINT_BEFORE);
    CHECK(!s.constraints.at[0].is_negated);
    CHECK_INT(s.constraints.at[1].kind, CONSTRAINT_FROM);
    CHECK(s.constraints.at[1].is_negated);
    CHECK(!s.constraints.at[1].is_from_start);
    CHECK(s.constraints.at[2].is_from_start);
    CHECK_TEXT(names_text(&s.names, s.constraints.at[3].second.task), "start");
    CHECK_INT(s.choices.count, 12);
    CHECK_INT(s.steps, 57);
    CHECK_INT(s.hash, 0x9f1b6c);
    CHECK_INT(s.choices.at[0].step, 0);
    CHECK_INT(s.choices.at[10].step, 17);
    const struct choice *task = &s.choices.at[0];
    CHECK_INT(task->kind, CHOICE_TASK);
    CHECK_TEXT(names_text(&s.names, task->operation.task), "main/2");
    CHECK_TEXT(names_text(&s.names, task->operation.node), "n1");
    CHECK_INT(task->operation.kind, EVENT_LOCK);
    CHECK_INT(task->operation.occurrence, 3);
    const struct choice *message = &s.choices.at[1];
    CHECK_TEXT(names_text(&s.names, message->message.type), "vote");
    CHECK(message->message.has_fingerprint);
    CHECK_INT(message->message.fingerprint, 0x9f1b);
    CHECK(!s.choices.at[2].message.has_fingerprint);
    CHECK_INT(s.choices.at[4].fault, FAULT_CRASH);
    CHECK(s.choices.at[7].value == INT64_MIN);
    schedule_release(&s);
}

static uint32_t random_name(struct schedule *s, struct prng *prng)
{
    char text[6];
    const size_t size = (size_t)prng_below(prng, sizeof text);
    for (size_t i = 0; i < size; i++) {
        text[i] = "ab>/#@"[prng_below(prng, 6)];
        if (prng_below(prng, 4) == 0) {
            text[i] = (char)prng_below(prng, 256);
        }
    }
    return names_intern(&s->names, text, size);
}

static struct operation random_operation(struct schedule *s, struct prng *prng)
{
    struct operation o = {.node = random_name(s, prng),
                          .task = random_name(s, prng),
                          .object = random_name(s, prng),
                          .occurrence = (uint32_t)prng_next(prng) | 1};
    while (kind_of(o.kind) == NULL) {
        o.kind = (uint16_t)prng_below(prng, KIND_LIMIT);
    }
    return o;
}

static struct choice random_choice(struct schedule *s, struct prng *prng)
{
    struct choice c = {.kind = (uint8_t)(1 + prng_below(prng, 8))};
    if (c.kind == CHOICE_MESSAGE) {
        c.message = (struct message_name){.source = random_name(s, prng),
                                          .destination = random_name(s, prng),
                                          .type = random_name(s, prng),
                                          .occurrence = (uint32_t)prng_next(prng) | 1};
        c.message.has_fingerprint = prng_below(prng, 2) == 0;
        c.message.fingerprint = c.message.has_fingerprint ? prng_next(prng) : 0;
    } else if (c.kind == CHOICE_FAULT) {
        c.fault = (uint8_t)(1 + prng_below(prng, FAULT_RESET));
        c.target = random_name(s, prng);
    } else {
        c.operation = random_operation(s, prng);
        c.value = c.kind >= CHOICE_RANDOM ? (int64_t)prng_next(prng) : 0;
    }
    c.step = prng_below(prng, 2) == 0 ? (uint32_t)prng_next(prng) | 1 : 0;
    return c;
}

static struct constraint random_constraint(struct schedule *s, struct prng *prng)
{
    struct constraint c = {.kind = (enum constraint_kind)prng_below(prng, 2),
                           .is_negated = prng_below(prng, 2) == 0,
                           .first = random_operation(s, prng)};
    c.is_from_start = c.kind == CONSTRAINT_FROM && prng_below(prng, 2) == 0;
    if (!c.is_from_start) {
        c.second = random_operation(s, prng);
    }
    return c;
}

TEST(every_schedule_comes_back_the_same)
{
    struct prng prng;
    prng_init(&prng, 8);
    for (int i = 0; i < 300; i++) {
        struct schedule s;
        schedule_init(&s);
        s.system = random_name(&s, &prng);
        s.world = random_name(&s, &prng);
        s.seed = prng_next(&prng);
        for (uint64_t k = prng_below(&prng, 5); k > 0; k--) {
            const struct constraint c = random_constraint(&s, &prng);
            vec_push(&s.constraints, c);
        }
        for (uint64_t k = prng_below(&prng, 10); k > 0; k--) {
            const struct choice c = random_choice(&s, &prng);
            vec_push(&s.choices, c);
        }
        struct out out;
        out_open_memory(&out);
        schedule_print(&s, &out);
        check_comes_back(out.buffer, out.used);
        out_abandon(&out);
        schedule_release(&s);
    }
}

TEST(comments_and_blanks_say_nothing)
{
    struct schedule s;
    struct err e;
    static const char text[] = "clew-schedule 1  \r\n# why\n\n   # indented\n"
                               "  task  a   write \t x  #1 \r\nfault crash n1";
    CHECK_INT(parse(&s, text, sizeof text - 1, &e), 0);
    CHECK_INT(s.choices.count, 2);
    schedule_release(&s);
}

TEST(what_is_wrong_is_named_with_line_and_column)
{
#define HEAD "clew-schedule 1\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "byte 0: line 1, column 1: does not begin with \"clew-schedule 1\""},
        {"clew-text 1\n", "byte 0: line 1, column 1: does not begin with \"clew-schedule 1\""},
        {"clew-schedule 2\n", "byte 15: line 1, column 16: this clew reads version 1 only"},
        {"clew-schedule 1 x\n",
         "byte 16: line 1, column 17: nothing more was expected on this line"},
        {HEAD "jump a write x #1\n", "byte 16: line 2, column 1: there is no choice, constraint or "
                                     "line of the header called \"jump\""},
        {HEAD "seed 1\nseed 2\n",
         "byte 23: line 3, column 1: this line of the header is there twice"},
        {HEAD "fault crash n\nseed 2\n",
         "byte 30: line 3, column 1: the header comes before choices and constraints"},
        {HEAD "seed 18446744073709551616\n",
         "byte 40: line 2, column 25: the number is out of range"},
        {HEAD "faults fire\n", "byte 23: line 2, column 8: there is no fault called \"fire\""},
        {HEAD "task a wirte x #1\n",
         "byte 23: line 2, column 8: there is no kind of event called \"wirte\""},
        {HEAD "task a write x\n", "byte 30: line 2, column 15: # and a number were expected"},
        {HEAD "task a write x #0\n", "byte 33: line 2, column 18: the number is out of range"},
        {HEAD "task a write\n",
         "byte 28: line 2, column 13: a name was expected (odd characters go "
         "in quotes)"},
        {HEAD "task a@ write x #1\n", "byte 23: line 2, column 8: a name was expected (odd "
                                      "characters go in quotes)"},
        {HEAD "task a write x #1 value=2\n",
         "byte 34: line 2, column 19: nothing more was expected on this line"},
        {HEAD "random a call x #1\n", "byte 34: line 2, column 19: value= was expected"},
        {HEAD "message a>b#1\n",
         "byte 27: line 2, column 12: a message is written source>destination/type#n"},
        {HEAD "message a>b/t#1 fp=\n",
         "byte 35: line 2, column 20: a fingerprint has 1 to 16 digits of base 16"},
        {HEAD "message a>b/t#1 fp=11112222333344445\n",
         "byte 52: line 2, column 37: a fingerprint has 1 to 16 digits of base 16"},
        {HEAD "content a>b/t#1\n",
         "byte 31: line 2, column 16: a name was expected (odd characters go in quotes)"},
        {HEAD "content a>b/t#1 0a\n",
         "byte 34: line 2, column 19: only requests have a content, which come from client"},
        {HEAD "content client>b/t#1 0a0\n",
         "byte 40: line 2, column 25: a content is - or pairs of "
         "digits of base 16, of at most 524288 bytes"},
        {HEAD "content client>b/t#1 0x\n",
         "byte 39: line 2, column 24: a content is written in digits "
         "of base 16, 0 to 9 and a to f"},
        {HEAD "fault crash n1 at=0\n", "byte 35: line 2, column 20: the number is out of range"},
        {HEAD "without 3 3\n", "byte 27: line 2, column 12: what does not come from outside is "
                               "listed in ascending order"},
        {HEAD "without\n", "byte 23: line 2, column 8: the number of an event was expected"},
        {HEAD "steps 0\n", "byte 23: line 2, column 8: the number is out of range"},
        {HEAD "hash 0\n", "byte 22: line 2, column 7: a hash of nothing but 0 says nothing"},
        {HEAD "require a write x #1 after b read x #1\n",
         "byte 37: line 2, column 22: there is no relation called \"after\""},
        {HEAD "require a write x #1 before start\n",
         "byte 49: line 2, column 34: a name was expected (odd characters go in quotes)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct schedule s;
        struct err e = {.text = ""};
        CHECK_INT(parse(&s, cases[i].text, strlen(cases[i].text), &e), -1);
        CHECK_TEXT(e.text, cases[i].message);
        schedule_release(&s);
    }
}

static int read_file(void *path)
{
    struct err e;
    struct in in;
    if (in_open(&in, path, &e) < 0) {
        return fault_told(&e);
    }
    struct schedule s;
    schedule_init(&s);
    const int result = schedule_parse(&s, &in, &e);
    in_close(&in);
    schedule_release(&s);
    return result < 0 ? fault_told(&e) : 0;
}

TEST(every_call_of_the_reader_fails_once)
{
    char path[200];
    (void)snprintf(path, sizeof path, "%s", scratch_write("a.sched", example, sizeof example - 1));
    CHECK(fault_sweep(&(struct fault_sweep){.run = read_file, .context = path}) > 10);
}
