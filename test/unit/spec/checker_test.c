#include "spec/checker.h"

#include "base/mem.h"
#include "test.h"

static const char *const processes[] = {"s1", "s2", "s3"};

struct bench {
    struct spec spec;
    struct checker *checker;
    struct err e;
};

static int set_up(struct bench *b, const char *text)
{
    struct in in;
    *b = (struct bench){0};
    in_open_memory(&in, text, strlen(text));
    spec_init(&b->spec);
    if (spec_parse(&b->spec, &in, &b->e) < 0) {
        fail_msg("%s: %s", text, b->e.text);
    }
    return checker_new(&b->checker, &b->spec, &(struct checker_system){processes, 3}, &b->e);
}

static void tear_down(struct bench *b)
{
    checker_free(b->checker);
    spec_release(&b->spec);
}

static void set(struct bench *b, uint32_t process, const char *variable, int64_t value)
{
    checker_set(b->checker, checker_slot(b->checker, process, variable), value);
}

TEST(what_a_copy_knows_is_gone_back_to)
{
    struct bench b;
    CHECK_INT(set_up(&b, "back: always s1.x > 2 implies once s2.x = 1\nlow: never s1.x > 4"), 0);
    set(&b, 0, "x", 1);
    set(&b, 1, "x", 1);
    CHECK_INT(checker_step(b.checker, 10), 0);
    set(&b, 1, "x", 0);
    CHECK_INT(checker_step(b.checker, 20), 0);
    void *copy = checker_copy(b.checker);
    for (int64_t i = 0; i < 2; i++) {
        set(&b, 0, "x", 3 + i);
        CHECK_INT(checker_step(b.checker, 30), 0);
        set(&b, 0, "x", 5);
        CHECK_INT(checker_step(b.checker, 40), 1);
        CHECK_INT(checker_end(b.checker, &(struct checker_ending){.kind = CHECKER_CUT}), 0);
        CHECK_INT(checker_status(b.checker, 0)->verdict, CHECKER_HELD);
        CHECK_INT(checker_status(b.checker, 0)->checks, 4);
        CHECK_INT(checker_status(b.checker, 1)->verdict, CHECKER_VIOLATED);
        CHECK_INT(checker_status(b.checker, 1)->step, 3);
        checker_begin(b.checker); /* another run */
        set(&b, 0, "x", 9);
        CHECK_INT(checker_step(b.checker, 5), 1);
        checker_restore(b.checker, copy);
        CHECK_INT(checker_status(b.checker, 1)->verdict, CHECKER_HELD);
    }
    mem_free(copy);
    tear_down(&b);
}

TEST(the_first_state_that_breaks_a_property_is_told_once)
{
    struct bench b;
    CHECK_INT(set_up(&b, "one: never exists p. exists q. p != q and p.lead = 1 and q.lead = 1"), 0);
    set(&b, 0, "lead", 1);
    set(&b, 1, "lead", 0);
    set(&b, 2, "lead", 0);
    CHECK_INT(checker_step(b.checker, 10), 0);
    set(&b, 2, "lead", 1);
    CHECK_INT(checker_step(b.checker, 20), 1);
    CHECK_INT(checker_step(b.checker, 30), 0);
    const struct checker_status *status = checker_status(b.checker, 0);
    CHECK_INT(status->verdict, CHECKER_VIOLATED);
    CHECK_INT(status->step, 1);
    CHECK_INT(status->checks, 3);
    CHECK_INT(status->skips, 0);
    struct out out;
    out_open_memory(&out);
    checker_print_values(b.checker, 0, &out);
    out_char(&out, '\0');
    CHECK_TEXT(out.buffer, "s1.lead = 1, s2.lead = 0, s3.lead = 1");
    out_abandon(&out);
    tear_down(&b);
}

TEST(what_absent_variables_leave_open_is_skipped_and_counted)
{
    struct bench b;
    CHECK_INT(set_up(&b, "few: always count(p: p.busy = 1) <= 1"), 0);
    CHECK_INT(checker_step(b.checker, 1), 0);
    set(&b, 0, "busy", 1);
    CHECK_INT(checker_step(b.checker, 2), 0);
    CHECK_INT(checker_status(b.checker, 0)->skips, 2);
    CHECK_INT(checker_status(b.checker, 0)->verdict, CHECKER_UNKNOWN);
    /* Two are too many, whatever the third is. */
    set(&b, 2, "busy", 1);
    CHECK_INT(checker_step(b.checker, 3), 1);
    CHECK_INT(checker_status(b.checker, 0)->checks, 1);
    struct out out;
    out_open_memory(&out);
    checker_print_values(b.checker, 0, &out);
    out_char(&out, '\0');
    CHECK_TEXT(out.buffer, "s1.busy = 1, s2.busy absent, s3.busy = 1");
    out_abandon(&out);
    tear_down(&b);
}

TEST(numbers_too_large_are_no_values)
{
    struct bench b;
    CHECK_INT(set_up(&b, "total: never s1.x + s2.x < 0  max: never s1.x = 9223372036854775807"), 0);
    set(&b, 0, "x", INT64_MAX);
    set(&b, 1, "x", 1);
    CHECK_INT(checker_step(b.checker, 1), 1);
    CHECK_INT(checker_status(b.checker, 0)->skips, 1);
    CHECK_INT(checker_status(b.checker, 1)->verdict, CHECKER_VIOLATED);
    tear_down(&b);
}

TEST(an_answer_that_never_comes_is_told_where_it_was_asked)
{
    struct bench b;
    CHECK_INT(set_up(&b, "answered: always forall p. p.asked = 1 leads to p.answered = 1"), 0);
    for (int step = 0; step < 6; step++) {
        for (uint32_t p = 0; p < 3; p++) {
            set(&b, p, "asked", step == 2 && p == 1);
            set(&b, p, "answered", 0);
        }
        CHECK_INT(checker_step(b.checker, (uint64_t)step), 0);
    }
    CHECK_INT(checker_end(b.checker, &(struct checker_ending){.kind = CHECKER_CUT}), 0);
    CHECK_INT(checker_status(b.checker, 0)->verdict, CHECKER_UNKNOWN);
    checker_rewind(b.checker, 6);
    CHECK_INT(checker_end(b.checker, &(struct checker_ending){.kind = CHECKER_REST}), 1);
    CHECK_INT(checker_status(b.checker, 0)->step, 2);
    tear_down(&b);
}

TEST(a_deadline_that_passed_needs_no_end)
{
    struct bench b;
    CHECK_INT(set_up(&b, "soon: always s1.asked = 1 leads to <= 5ns s1.answered = 1"), 0);
    set(&b, 0, "asked", 1);
    set(&b, 0, "answered", 0);
    CHECK_INT(checker_step(b.checker, 100), 0);
    set(&b, 0, "asked", 0);
    CHECK_INT(checker_step(b.checker, 105), 0);
    CHECK_INT(checker_end(b.checker, &(struct checker_ending){.kind = CHECKER_CUT}), 0);
    checker_rewind(b.checker, 2);
    CHECK_INT(checker_step(b.checker, 106), 0);
    CHECK_INT(checker_end(b.checker, &(struct checker_ending){.kind = CHECKER_CUT}), 1);
    tear_down(&b);
}

TEST(a_loop_without_progress_breaks_a_promise)
{
    struct bench b;
    CHECK_INT(set_up(&b, "done: always eventually s1.done = 1  turn: always eventually s1.x = 1"),
              0);
    for (int step = 0; step < 5; step++) {
        set(&b, 0, "done", 0);
        set(&b, 0, "x", step % 2);
        CHECK_INT(checker_step(b.checker, (uint64_t)step), 0);
    }
    CHECK_INT(checker_end(b.checker, &(struct checker_ending){.kind = CHECKER_LASSO, .repeats = 2}),
              1);
    CHECK_INT(checker_status(b.checker, 0)->verdict, CHECKER_VIOLATED);
    CHECK_INT(checker_status(b.checker, 1)->verdict, CHECKER_HELD);
    tear_down(&b);
}

TEST(possibly_is_shown_and_never_violated)
{
    struct bench b;
    CHECK_INT(set_up(&b, "seen: possibly messages(s1, s2) >= 2 and steps > 1"), 0);
    const uint32_t slot = checker_message_slot(b.checker, 0, 1);
    checker_set(b.checker, slot, 2);
    CHECK_INT(checker_step(b.checker, 1), 0);
    CHECK_INT(checker_status(b.checker, 0)->verdict, CHECKER_UNKNOWN);
    CHECK_INT(checker_step(b.checker, 2), 0);
    CHECK_INT(checker_status(b.checker, 0)->verdict, CHECKER_HELD);
    CHECK_INT(checker_status(b.checker, 0)->step, 1);
    CHECK_INT(checker_message_slot(b.checker, 1, 0), CHECKER_SLOT_NONE);
    tear_down(&b);
}

TEST(what_the_system_has_not_is_named)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a: never s4.x = 1", "line 1, column 10: there is no process \"s4\" (did you mean s1?)"},
        {"a: never s1.x = 1 and\n messages(s1, elsewhere) > 0",
         "line 2, column 2: there is no process \"elsewhere\""},
        {"group g: t*\na: always forall p in g. p.x = 1",
         "line 2, column 11: no process belongs to the group \"g\""},
        {"a: never forall p. forall q. forall r. forall s. forall t. forall u. forall v. forall w."
         "forall x. forall y. forall z. forall aa. forall ab. forall ac. p.x = q.y",
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        CHECK_INT(set_up(&b, cases[i].text), -1);
        if (cases[i].message != NULL) {
            CHECK_TEXT(b.e.text, cases[i].message);
        } else {
            CHECK(strstr(b.e.text, "written out for all of 3 processes") != NULL);
        }
        tear_down(&b);
    }
}

TEST(saved_values_bring_a_state_back)
{
    struct bench b;
    CHECK_INT(set_up(&b, "a: never s1.x = 2"), 0);
    set(&b, 0, "x", 1);
    CHECK_INT(checker_step(b.checker, 1), 0);
    const struct checker_values values = checker_values(b.checker);
    char saved[256];
    CHECK(values.size <= sizeof saved);
    memcpy(saved, values.bytes, values.size);
    set(&b, 0, "x", 2);
    CHECK_INT(checker_step(b.checker, 2), 1);
    memcpy(checker_values(b.checker).bytes, saved, values.size);
    checker_rewind(b.checker, 1);
    CHECK_INT(checker_status(b.checker, 0)->verdict, CHECKER_HELD);
    CHECK_INT(checker_step(b.checker, 2), 0);
    tear_down(&b);
}
