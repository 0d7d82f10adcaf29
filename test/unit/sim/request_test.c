/* Whatever a system's `shrink` does, it is said and nothing else is harmed. */
#include <stdlib.h>
#include <string.h>

#include "system.h"
#include "test.h"

enum misdeed { FINE, CRASHES, ABORTS, EXITS, LOOPS, SENDS, SAYS_MORE, WRITES_MORE, WRITES_FAR };
enum { SIZE = 3, FAR = 1 << 20 };

static enum misdeed misdeed;
static ptrdiff_t written_at; /* from the bytes' beginning */
static uint32_t asked;

/* The optimizer must not see what comes. */
static int *volatile nowhere = (int *)64;
static volatile int zero;

static bool shrink(const struct clew_message *m, uint32_t index, void *bytes, size_t *size)
{
    asked++;
    memcpy(bytes, m->bytes, m->size);
    *size = index == 0 ? m->size - 1 : 0;
    switch (misdeed) {
    case FINE: break;
    case CRASHES: *nowhere = 1; break;
    case ABORTS: abort();
    case EXITS: exit(3);
    case LOOPS:
        while (zero == 0) {
        }
        break;
    case SENDS: clew_send(0, 0, NULL, 0); break;
    case SAYS_MORE: *size = m->size + 1; break;
    case WRITES_MORE:
    case WRITES_FAR: ((volatile char *)bytes)[written_at] = 1; break;
    }
    return index < 2;
}

static void ask(void)
{
    clew_request(0, 0, "abc", SIZE);
}

/* Fails where its node is known, so that what is asked afterwards must not be taken for it. */
static void get(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
    clew_fail("nobody asks");
}

static const char *const messages[] = {"note", NULL};
static const struct clew_system notes = {.version = CLEW_SIM_VERSION,
                                         .size = sizeof(struct clew_system),
                                         .name = "notes",
                                         .node_count = 1,
                                         .messages = messages,
                                         .setup = ask,
                                         .message = get,
                                         .shrink = shrink};

/* What is said when the system is asked and does that; and then again, without being asked. */
static void check_failure(enum misdeed what, const char *said)
{
    struct world *w = system_open(&notes, NULL);
    struct execution x = {0};
    struct plan_content smaller;
    struct err e = {.text = ""};
    system_run(w, &(struct plan){0}, &x);
    CHECK_INT(x.steps.count, 1);
    const uint64_t hash = x.hash;
    const uint64_t request = x.steps.at[0].operation.name;
    misdeed = FINE;
    CHECK_INT(w->ops->shrink(w, request, 0, &smaller, &e), 1);
    CHECK_INT(smaller.size, SIZE - 1);
    CHECK(memcmp(smaller.bytes, "ab", SIZE - 1) == 0);
    CHECK_INT(w->ops->shrink(w, request, 2, &smaller, &e), 0);
    misdeed = what;
    CHECK_INT(w->ops->shrink(w, request, 0, &smaller, &e), -1);
    CHECK_TEXT(e.text, said);
    asked = 0;
    e.text[0] = '\0';
    CHECK_INT(w->ops->shrink(w, request, 1, &smaller, &e), -1);
    CHECK_TEXT(e.text, said);
    CHECK_INT(asked, 0);
    system_run(w, &(struct plan){0}, &x);
    CHECK_INT(x.outcome, OUTCOME_ASSERTION);
    CHECK_INT(x.hash, hash);
    execution_release(&x);
    world_close(w);
}

TEST(a_shrink_that_fails_is_told_how)
{
    check_failure(CRASHES, "shrink of note fails: it touches memory that is not there (writes 64 "
                           "bytes behind a null pointer)");
    check_failure(ABORTS, "shrink of note fails: it aborts");
    check_failure(EXITS, "shrink of note fails: it ends the process with status 3");
    check_failure(LOOPS, "shrink of note fails: it does not come to an end");
    check_failure(SENDS, "shrink of note fails: clew_send() is called outside the handlers of "
                         "nodes");
}

TEST(a_shrink_that_says_more_than_there_is_fails)
{
    check_failure(SAYS_MORE, "shrink of note fails: it says 4 bytes, and the request has 3");
}

TEST(a_shrink_that_writes_beyond_its_bytes_fails)
{
    for (written_at = SIZE; written_at < 16; written_at++) {
        check_failure(WRITES_MORE,
                      "shrink of note fails: it writes more than the 3 bytes that the request has");
    }
    static const ptrdiff_t far[] = {16, FAR, -FAR};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        written_at = far[i];
        check_failure(WRITES_FAR, "shrink of note fails: it touches memory that is not there");
    }
}
