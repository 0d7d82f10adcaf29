/* Whatever a handler does, the explorer lives. */
#include <stdlib.h>
#include <unistd.h>

#include "system.h"
#include "test.h"

enum misdeed {
    FINE,
    ASSERTS,
    POINTS_NOWHERE,
    TRAPS,
    ABORTS,
    EXITS,
    LOOPS,
    WAITS,
    PAUSES,
    PAUSES_AGAIN,
    RECURSES,
    MISUSES,
    SAVES_OVER_WRITE,
    SAVES_BEYOND,
    FREES_TWICE,
    FREES_WITHIN,
    FREES_OVERRUN,
    SENDS_MUCH,
    WRITES_MUCH
};

static const char *const messages[] = {"go", NULL};
static enum misdeed misdeed;
static uint32_t within; /* a block, before what is freed */

/* The optimizer must not see what comes. */
static int *volatile nowhere = (int *)64;
static volatile int zero;

static int recurse(int depth)
{
    volatile char room[4096];
    room[0] = (char)depth;
    return depth == zero ? 0 : recurse(depth + 1) + room[0];
}

static void misbehave(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
    switch (misdeed) {
    case FINE: break;
    case ASSERTS: clew_fail("2 + 2 == 5"); break;
    case POINTS_NOWHERE: *nowhere = 1; break;
    case TRAPS: __builtin_trap(); break;
    case ABORTS: abort(); break;
    case EXITS: exit(3); break;
    case LOOPS:
        while (zero == 0) {
        }
        break;
    case WAITS: {
        int ends[2];
        char byte = 0;
        CHECK_INT(pipe(ends), 0);
        CHECK_INT(read(ends[0], &byte, 1), 1);
        break;
    }
    case PAUSES: (void)pause(); break;
    case PAUSES_AGAIN:
        while (zero == 0) {
            (void)pause();
        }
        break;
    case RECURSES: (void)recurse(1); break;
    case MISUSES: clew_send(7, 0, NULL, 0); break;
    case SAVES_OVER_WRITE:
        (void)clew_disk_write(0, "ab", 2);
        clew_disk_save(2, "c", 1);
        clew_disk_save(1, "d", 1);
        break;
    case SAVES_BEYOND: clew_disk_save(3, "ab", 2); break;
    case FREES_TWICE: {
        void *block = clew_alloc(10);
        clew_free(block);
        clew_free(block);
        break;
    }
    case FREES_WITHIN: {
        uint32_t *block = clew_alloc(100);
        block[4] = within;
        clew_free(block + 8);
        break;
    }
    case FREES_OVERRUN: {
        uint32_t *block = clew_alloc(16);
        void *behind = clew_alloc(16);
        uint32_t *volatile beyond = block + 4;
        *beyond = 1000;
        clew_free(behind);
        break;
    }
    case SENDS_MUCH:
        for (int i = 0; i < 8100; i++) {
            clew_send(0, 0, NULL, 0);
        }
        break;
    case WRITES_MUCH:
        for (int i = 0; i < 20000; i++) {
            (void)clew_disk_write(0, "ab", 2);
        }
        break;
    }
}

static void ask(void)
{
    clew_request(0, 0, NULL, 0);
}

static const struct clew_system system_under_test = {.version = CLEW_SIM_VERSION,
                                                     .size = sizeof(struct clew_system),
                                                     .name = "misbehaving",
                                                     .node_count = 1,
                                                     .disk_size = 4,
                                                     .messages = messages,
                                                     .setup = ask,
                                                     .message = misbehave};

/* What becomes of a run in which a handler does this; and then of one in which it does not. */
static enum outcome outcome_of(enum misdeed what, const char *says)
{
    struct world *w = system_open(&system_under_test, NULL);
    struct execution x = {0};
    const struct plan p = {
        .faults.most = {
            [FAULT_CRASH] = 1, [FAULT_DROP] = 1, [FAULT_DUPLICATE] = 1, [FAULT_REORDER] = 1}};
    misdeed = what;
    system_run(w, &p, &x);
    const enum outcome outcome = x.outcome;
    CHECK_INT(x.steps.count, 1);
    if (strstr(x.what, says) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", x.what, says);
    }
    misdeed = FINE;
    system_run(w, &(struct plan){0}, &x);
    CHECK_INT(x.outcome, OUTCOME_PASSED);
    execution_release(&x);
    world_close(w);
    return outcome;
}

TEST(a_failed_claim_is_an_assertion)
{
    CHECK_INT(outcome_of(ASSERTS, "on n1 fails: 2 + 2 == 5"), OUTCOME_ASSERTION);
}

TEST(a_wild_pointer_is_a_crash)
{
    CHECK_INT(outcome_of(POINTS_NOWHERE, "the handler message on n1 touches memory"),
              OUTCOME_CRASH);
}

TEST(a_trap_is_undefined_behaviour)
{
    CHECK_INT(outcome_of(TRAPS, "does what C leaves undefined"), OUTCOME_SANITIZER);
}

TEST(an_abort_is_a_crash)
{
    CHECK_INT(outcome_of(ABORTS, "aborts"), OUTCOME_CRASH);
}

TEST(an_exit_is_one_of_the_run)
{
    for (int i = 0; i < 3; i++) {
        CHECK_INT(outcome_of(EXITS, "the handler message on n1 ends the process with status 3"),
                  OUTCOME_EXIT);
    }
}

TEST(an_endless_loop_is_a_hang)
{
    CHECK_INT(outcome_of(LOOPS, "does not come to an end"), OUTCOME_HANG);
}

TEST(an_endless_wait_is_a_hang)
{
    CHECK_INT(outcome_of(WAITS, "message on n1 waits for something that does not come"),
              OUTCOME_HANG);
}

TEST(a_wait_that_signals_end_is_a_hang_once_it_is_endless)
{
    CHECK_INT(outcome_of(PAUSES, "came to rest"), OUTCOME_PASSED);
    CHECK_INT(outcome_of(PAUSES_AGAIN, "message on n1 waits for something that does not come"),
              OUTCOME_HANG);
}

TEST(a_call_that_makes_no_sense_is_an_assertion)
{
    CHECK_INT(outcome_of(MISUSES, "clew_send() to node 7, and there are 1"), OUTCOME_ASSERTION);
    CHECK_INT(outcome_of(SAVES_OVER_WRITE, "1 bytes at 1, where a write is under way"),
              OUTCOME_ASSERTION);
    CHECK_INT(outcome_of(SAVES_BEYOND, "2 bytes at 3, and the disk has 4"), OUTCOME_ASSERTION);
    CHECK_INT(outcome_of(FREES_TWICE, "of what was freed before"), OUTCOME_CRASH);
    CHECK_INT(outcome_of(FREES_OVERRUN, "of what clew_alloc() did not give"), OUTCOME_CRASH);
    for (within = 0; within < 50; within++) {
        CHECK_INT(outcome_of(FREES_WITHIN, "of what clew_alloc() did not give"), OUTCOME_CRASH);
    }
}

TEST(what_piles_up_is_a_hang)
{
    CHECK_INT(outcome_of(SENDS_MUCH, "messages, writes and faults could be the next"),
              OUTCOME_HANG);
    CHECK_INT(outcome_of(WRITES_MUCH, "messages, writes and faults could be the next"),
              OUTCOME_HANG);
}

/* Under an address sanitizer the stack is its own affair. */
TEST(a_stack_that_overflows_is_a_crash)
{
#if defined(__SANITIZE_ADDRESS__)
    CHECK_INT(outcome_of(FINE, "came to rest"), OUTCOME_PASSED);
#else
    CHECK_INT(outcome_of(RECURSES, "touches memory"), OUTCOME_CRASH);
#endif
}
