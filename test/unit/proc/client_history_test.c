#include "proc/cluster/client_history.h"

#include "base/mem.h"
#include "fuzz.h"
#include "mutate.h"
#include "test.h"
#include "wire/prng.h"

FUZZ_DECLARE(client_history);

static int read_text(struct client_history *h, const char *text, struct err *e)
{
    struct in in;
    client_history_init(h);
    in_open_memory(&in, text, strlen(text));
    return client_history_read(h, &in, e);
}

/* "c1 invoke write x 1; c1 ok write x 1": a line of JSON for each. */
static enum client_history_verdict judge(const char *lines, struct client_history_fault *fault)
{
    struct client_history h;
    struct err e = {.text = ""};
    struct out text;
    char words[5][20];
    int used = 0;
    out_open_memory(&text);
    while (sscanf(lines, "%19s %19s %19s %19s %19[^;]%n", words[0], words[1], words[2], words[3],
                  words[4], &used) == 5) {
        out_format(&text,
                   "{\"process\": \"%s\", \"type\": \"%s\", \"f\": \"%s\", \"key\": \"%s\", "
                   "\"value\": %s}\n",
                   words[0], words[1], words[2], words[3], words[4]);
        lines += used;
        lines += *lines == ';';
    }
    out_char(&text, '\0');
    if (read_text(&h, text.buffer, &e) < 0) {
        fail_msg("%s", e.text);
    }
    const enum client_history_verdict verdict = client_history_check(&h, HISTORY_BUDGET, fault);
    out_abandon(&text);
    client_history_release(&h);
    return verdict;
}

TEST(overlapping_operations_have_some_order)
{
    struct client_history_fault fault;
    CHECK_INT(
        judge("a invoke write x 1; b invoke read x null; a ok write x 1; b ok read x 1", &fault),
        HISTORY_GOOD);
    CHECK_INT(
        judge("a invoke write x 1; b invoke read x null; a ok write x 1; b ok read x null", &fault),
        HISTORY_GOOD);
    CHECK_INT(judge("a invoke cas x [null,1]; b invoke cas x [1,2]; b ok cas x [1,2]; "
                    "a ok cas x [null,1]; a invoke read x null; a ok read x 2",
                    &fault),
              HISTORY_GOOD);
}

TEST(faults_have_their_names)
{
    struct client_history_fault fault;
    CHECK_INT(judge("a invoke write x 1; a ok write x 1; a invoke write x 2; a ok write x 2; "
                    "b invoke read x null; b ok read x 1; b invoke read x null; b ok read x 2",
                    &fault),
              HISTORY_BAD);
    CHECK_TEXT(fault.key, "a stale read of key x");
    CHECK_TEXT(fault.what, "a stale read: b reads 1 from key x (line 5) after the write of 2 by a "
                           "was acknowledged (line 4)");
    CHECK_INT(
        judge("a invoke write x 1; a ok write x 1; b invoke read x null; b ok read x null", &fault),
        HISTORY_BAD);
    CHECK_TEXT(fault.key, "an acknowledged write is lost of key x");
    CHECK_INT(judge("a invoke read x null; a ok read x 7", &fault), HISTORY_BAD);
    CHECK_TEXT(fault.key, "key x is not linearizable");
}

TEST(operations_of_unknown_end_may_have_an_effect_at_any_time)
{
    struct client_history_fault fault;
    CHECK_INT(judge("a invoke write x 1; a info write x 1; b invoke read x null; b ok read x null; "
                    "b invoke read x null; b ok read x 1",
                    &fault),
              HISTORY_GOOD);
    CHECK_INT(
        judge("a invoke write x 1; b invoke read x null; b ok read x 1; b invoke read x null; "
              "b ok read x null",
              &fault),
        HISTORY_BAD);
    CHECK_INT(
        judge("a invoke write x 1; a fail write x 1; b invoke read x null; b ok read x 1", &fault),
        HISTORY_BAD);
}

/* Whether some order of all operations that ended, and of some that did not, explains what they
 * returned: every order is tried. */
static bool explains(const struct client_history_operation *list, size_t count, unsigned done,
                     uint32_t value)
{
    bool is_all = true;
    for (size_t i = 0; i < count; i++) {
        const struct client_history_operation *o = &list[i];
        bool is_next = (done >> i & 1) == 0;
        is_all = is_all && (!is_next || o->end == UINT64_MAX);
        for (size_t k = 0; k < count && is_next; k++) {
            is_next = (done >> k & 1) != 0 || list[k].end > o->begin;
        }
        const bool fits = o->action == HISTORY_WRITE ||
                          value == (o->action == HISTORY_READ ? o->value : o->expected);
        if (is_next && fits && explains(list, count, done | 1u << i, o->value)) {
            return true;
        }
    }
    return is_all;
}

/* A random history of three processes on one key with two values. */
static void draw(struct client_history *h, struct prng *prng)
{
    uint64_t time = 0;
    size_t open[3];
    bool is_open[3] = {false};
    client_history_init(h);
    const uint32_t key = names_intern_text(&h->names, "x");
    const uint32_t values[3] = {0, names_intern_text(&h->names, "1"),
                                names_intern_text(&h->names, "2")};
    while (time < 14) {
        const size_t p = prng_below(prng, 3);
        time++;
        if (is_open[p]) {
            h->operations.at[open[p]].end = time;
            is_open[p] = false;
        } else if (h->operations.count < 7) {
            open[p] = h->operations.count;
            is_open[p] = true;
            vec_push(&h->operations, (struct client_history_operation){
                                         .action = (enum client_history_action)prng_below(prng, 3),
                                         .process = (uint32_t)p,
                                         .key = key,
                                         .value = values[prng_below(prng, 3)],
                                         .expected = values[prng_below(prng, 3)],
                                         .begin = time,
                                         .end = UINT64_MAX});
        }
    }
    for (size_t p = 0; p < 3; p++) { /* as the reader leaves them */
        if (is_open[p] && h->operations.at[open[p]].action == HISTORY_READ) {
            h->operations.at[open[p]].end = ++time;
        }
    }
}

TEST(every_order_of_small_histories_agrees)
{
    struct prng prng;
    struct client_history_fault fault;
    size_t good = 0;
    enum { HISTORIES = 20000 };
    prng_init(&prng, 7);
    for (int i = 0; i < HISTORIES; i++) {
        struct client_history h;
        draw(&h, &prng);
        const bool is_good = explains(h.operations.at, h.operations.count, 0, 0);
        const enum client_history_verdict verdict =
            client_history_check(&h, HISTORY_BUDGET, &fault);
        CHECK_INT(verdict, is_good ? HISTORY_GOOD : HISTORY_BAD);
        good += is_good;
        client_history_release(&h);
    }
    CHECK(good > HISTORIES / 20);
    CHECK(good < HISTORIES - HISTORIES / 20);
}

TEST(a_budget_that_ends_decides_nothing)
{
    struct client_history h;
    struct client_history_fault fault;
    struct err e;
    CHECK_INT(
        read_text(&h,
                  "{\"process\":1,\"type\":\"invoke\",\"f\":\"write\",\"key\":1,\"value\":1}\n"
                  "{\"process\":1,\"type\":\"ok\",\"f\":\"write\",\"key\":1,\"value\":1}\n",
                  &e),
        0);
    CHECK_INT(client_history_check(&h, 1, &fault), HISTORY_UNKNOWN);
    struct out edn;
    out_open_memory(&edn);
    client_history_print_edn(&h, &edn);
    out_char(&edn, '\0');
    CHECK_TEXT(edn.buffer, "{:process 1, :type :invoke, :f :write, :value [1 1]}\n"
                           "{:process 1, :type :ok, :f :write, :value [1 1]}\n");
    out_abandon(&edn);
    client_history_release(&h);
}

static void refuse(const char *text, const char *why)
{
    struct client_history h;
    struct err e = {.text = ""};
    CHECK_INT(read_text(&h, text, &e), -1);
    if (strstr(e.text, why) == NULL) {
        fail_msg("%s: %s", text, e.text);
    }
    client_history_release(&h);
}

TEST(what_is_no_history_is_refused)
{
    refuse("x\n", "line 1: no JSON object");
    refuse("{\"process\":1}\n", "line 1: an operation has process");
    refuse("{\"process\":1,\"type\":\"ok\",\"f\":\"read\",\"key\":1,\"value\":1}\n",
           "has begun no such operation");
    refuse("{\"process\":1,\"type\":\"invoke\",\"f\":\"cas\",\"key\":1,\"value\":1}\n",
           "[old, new]");
    refuse("{\"process\":1,\"type\":\"invoke\",\"f\":\"read\",\"key\":1}\n"
           "{\"process\":1,\"type\":\"invoke\",\"f\":\"read\",\"key\":1}\n",
           "line 2: the process has an operation");
}

TEST(mutated_histories_are_read_or_refused)
{
    mutate_entry("client_history", fuzz_client_history);
}
