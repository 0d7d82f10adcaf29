/* What a run leaves open is not called clean: pairs that only a receive of some sender's, or a wait
 * without a predicate, puts in order. */
#include "race/sync_relaxation.h"

#include "race/race.h"
#include "test.h"
#include "trace_of.h"

/* Why the pairs of the trace's places are open; RACE_OPEN_NOT: none is, and none is shown. */
static enum race_open open_of(const char *text)
{
    const struct race_options options = {.decides_places = true};
    struct race_stats stats;
    struct findings findings = {0};
    struct notes notes = {0};
    struct err e = {0};
    enum race_open open = RACE_OPEN_NOT;
    CHECK_INT(race_find(trace_of(text), &options, &findings, &stats, &notes, &e), 0);
    CHECK_INT(stats.places_sound + stats.places_observed, 0);
    for (int i = 0; i < RACE_OPEN_COUNT; i++) {
        open = stats.places_open[i] > 0 ? (enum race_open)i : open;
    }
    findings_release(&findings);
    notes_release(&notes);
    return open;
}

TEST(the_receive_of_an_eventfd_may_follow_any_of_its_writers)
{
    CHECK_INT(open_of("order exact; A w d @a; A before eventfd#1 mode=counter;"
                      "B after eventfd#1 mode=counter; B r d @b; C before eventfd#1 mode=counter"),
              RACE_OPEN_SENDER);
    CHECK_INT(open_of("order exact; A w d @a; A before eventfd#1 mode=counter;"
                      "B after eventfd#1 mode=counter; B r d @b; A before eventfd#1 mode=counter"),
              RACE_OPEN_NOT);
}

TEST(who_has_received_from_all_senders_knows_all)
{
    CHECK_INT(open_of("order exact; A w d @a; A before eventfd#1 mode=counter;"
                      "B after eventfd#1 mode=counter; C before eventfd#1 mode=counter;"
                      "B after eventfd#1 mode=counter; B r d @b"),
              RACE_OPEN_NOT);
}

TEST(what_an_eventfd_begins_with_may_be_received)
{
    CHECK_INT(open_of("order exact; M sem-init eventfd#1 value=1; M fork A; M fork B; A w d @a;"
                      "A snd eventfd#1 mode=channel msg=1; B rcv eventfd#1 mode=channel msg=1;"
                      "B r d @b"),
              RACE_OPEN_SENDER);
}

TEST(a_look_at_an_eventfd_takes_nothing)
{
    CHECK_INT(open_of("order exact; A w d @a; A before eventfd#1 mode=counter;"
                      "C before eventfd#1 mode=counter; B after eventfd#1 mode=look; B r x @x;"
                      "B after eventfd#1 mode=counter; B r d @b"),
              RACE_OPEN_SENDER);
}

TEST(equal_messages_of_a_queue_may_change_places)
{
    CHECK_INT(open_of("order exact; A w d @a; A before shm:q mode=any value=7;"
                      "B after shm:q mode=any value=7; B r d @b; C before shm:q mode=any value=7"),
              RACE_OPEN_SENDER);
    CHECK_INT(open_of("order exact; A w d @a; A before shm:q mode=any value=7;"
                      "B after shm:q mode=any value=7; B r d @b; C before shm:q mode=any value=8"),
              RACE_OPEN_NOT);
}

TEST(a_signal_may_come_from_another_sender)
{
    CHECK_INT(open_of("order exact; A w d @a; A before shm:s mode=any; B after shm:s mode=any;"
                      "B r d @b; C before shm:s mode=any"),
              RACE_OPEN_SENDER);
    CHECK_INT(open_of("order exact; A w d @a; A before shm:s mode=any; B after shm:s mode=any;"
                      "B r d @b; C after shm:s mode=any"),
              RACE_OPEN_NOT);
}

TEST(annotations_of_the_program_stay)
{
    CHECK_INT(open_of("order exact; A w d @a; A before s; B after s; B r d @b; C before s"),
              RACE_OPEN_NOT);
}

TEST(a_bulk_receive_may_bring_less)
{
    CHECK_INT(open_of("order exact; A w d @a; A snd p mode=pipe size=1 value=7; C w e @c;"
                      "C snd p mode=pipe size=1 value=7; B rcv p mode=pipe size=2; B r d @b"),
              RACE_OPEN_SENDER);
    CHECK_INT(open_of("order exact; A w d @a; A snd p mode=pipe size=1 value=7; C w e @c;"
                      "C snd p mode=pipe size=1 value=8; B rcv p mode=pipe size=2; B r d @b"),
              RACE_OPEN_NOT);
}

TEST(equal_datagrams_may_change_places)
{
    CHECK_INT(open_of("order stamped; A w d @a; A snd h:1>h:3 mode=udp msg=ab size=1;"
                      "B rcv h:1>h:3 mode=udp msg=ab size=1; B r d @b;"
                      "C snd h:2>h:3 mode=udp msg=ab#2 size=1"),
              RACE_OPEN_SENDER);
    CHECK_INT(open_of("order stamped; A w d @a; A snd h:1>h:3 mode=udp msg=ab size=1;"
                      "B rcv h:1>h:3 mode=udp msg=ab size=1; B r d @b;"
                      "C snd h:2>h:3 mode=udp msg=cd size=1"),
              RACE_OPEN_NOT);
}

TEST(a_flag_may_be_set_by_another_task_first)
{
    CHECK_INT(open_of("order exact; A w d @a; A st f mode=release value=1;"
                      "B ld f mode=acquire value=1; B r d @b; C st f mode=release value=1"),
              RACE_OPEN_SENDER);
    /* By its value it is told apart, or by what comes in between. */
    CHECK_INT(open_of("order exact; A w d @a; A st f mode=release value=1;"
                      "B ld f mode=acquire value=1; B r d @b; C st f mode=release value=2"),
              RACE_OPEN_NOT);
    CHECK_INT(open_of("order exact; A w d @a; A st f mode=release value=1;"
                      "B ld f mode=acquire value=1; B r d @b; B st f mode=release value=0;"
                      "C ld f mode=acquire value=0; C st f mode=release value=1"),
              RACE_OPEN_NOT);
}

TEST(another_client_may_be_served_first)
{
    CHECK_INT(open_of("order exact; A w d @a; A snd h:1>h:3 mode=tcp size=1 value=7;"
                      "B rcv h:1>h:3 mode=tcp size=1 value=7; B r d @b;"
                      "C snd h:2>h:3 mode=tcp size=1 value=7"),
              RACE_OPEN_SENDER);
    CHECK_INT(open_of("order exact; A w d @a; A snd h:1>h:3 mode=tcp size=1 value=7;"
                      "B rcv h:1>h:3 mode=tcp size=1 value=7; B r d @b;"
                      "C snd h:2>h:3 mode=tcp size=1 value=8"),
              RACE_OPEN_NOT);
}

TEST(another_of_several_descriptors_may_be_ready_first)
{
    CHECK_INT(open_of("order exact; A w d @a; A snd p mode=pipe size=1 value=7;"
                      "B ready value=1 size=2 @poll; B rcv p mode=pipe size=1 value=7 @read;"
                      "B r d @b; C snd q mode=pipe size=1 value=7"),
              RACE_OPEN_SENDER);
    CHECK_INT(open_of("order exact; A w d @a; A snd p mode=pipe size=1 value=7;"
                      "B ready value=1 size=1 @poll; B rcv p mode=pipe size=1 value=7 @read;"
                      "B r d @b; C snd q mode=pipe size=1 value=7"),
              RACE_OPEN_NOT);
}

TEST(descriptors_that_are_read_at_two_places_are_told_apart)
{
    CHECK_INT(open_of("order exact; A w d @a; A snd p mode=pipe size=1 value=7;"
                      "B ready value=1 size=2 @poll; B rcv p mode=pipe size=1 value=7 @one;"
                      "B r d @b; C snd q mode=pipe size=1 value=7;"
                      "B ready value=1 size=2 @poll; B rcv q mode=pipe size=1 value=7 @other"),
              RACE_OPEN_NOT);
}

TEST(a_look_at_several_descriptors_does_not_tell_which)
{
    CHECK_INT(open_of("order exact; A w d @a; A snd p mode=pipe size=1 value=7;"
                      "B ready value=1 size=2 @poll; B rcv p mode=pipe size=0 @poll;"
                      "B r d @b; C snd q mode=pipe size=1 value=7"),
              RACE_OPEN_SENDER);
}

TEST(another_caller_may_run_a_routine_with_locks)
{
    CHECK_INT(open_of("order exact; A w d @a; A once-begin o; A acq m; A w x @x; A rel m; A once o;"
                      "B once o; B r d @b"),
              RACE_OPEN_CALLER);
    CHECK_INT(open_of("order exact; A once-begin o; A acq m; A w x @x; A rel m; A once o;"
                      "B once o; B r x @b"),
              RACE_OPEN_NOT);
}

TEST(another_connection_may_be_accepted_first)
{
    CHECK_INT(open_of("order exact; A w d @a; A connect h:1>h:3 mode=tcp;"
                      "B accept h:1>h:3 mode=tcp; B r d @b; C connect h:2>h:3 mode=tcp"),
              RACE_OPEN_SENDER);
    CHECK_INT(open_of("order exact; A w d @a; A connect h:1>h:3 mode=tcp;"
                      "B accept h:1>h:3 mode=tcp; B r d @b; C connect h:2>h:4 mode=tcp"),
              RACE_OPEN_NOT);
}

TEST(another_child_may_end_first)
{
    static const char one[] =
        "order exact; M@p process-fork A@q; M@p process-fork C@r; A@q w shm:d @a;"
        "A@q before shm:children mode=any; A@q process-exit; M@p join A@q @w;"
        "M@p after shm:children @w mode=any; M@p r shm:d @b;"
        "C@r before shm:children mode=any; C@r process-exit";
    static const char all[] =
        "order exact; M@p process-fork A@q; M@p process-fork C@r; A@q w shm:d @a;"
        "A@q before shm:children mode=any; A@q process-exit; M@p join A@q @w;"
        "M@p after shm:children @w mode=any; C@r before shm:children mode=any; C@r process-exit;"
        "M@p join C@r @w; M@p after shm:children @w mode=any; M@p r shm:d @b";
    CHECK_INT(open_of(one), RACE_OPEN_SENDER);
    CHECK_INT(open_of(all), RACE_OPEN_NOT);
}

TEST(others_may_meet_at_a_barrier)
{
    CHECK_INT(open_of("order exact; A w d @a; A enter b; B enter b; B leave b; A leave b; B r d @b;"
                      "C enter b; D enter b; C leave b; D leave b"),
              RACE_OPEN_SENDER);
    CHECK_INT(open_of("order exact; A w d @a; A enter b; B enter b; B leave b; B r d @b; B enter b;"
                      "A leave b; A enter b; A leave b; B leave b"),
              RACE_OPEN_NOT);
}

TEST(a_wait_without_a_predicate_may_end_by_itself)
{
    CHECK_INT(open_of("order exact; B acq m @f.c:1; B wait c @f.c:2 lock=m; A w d @f.c:3;"
                      "A notify c @f.c:4; B woken c @f.c:2 lock=m; B rel m @f.c:5; B r d @f.c:6"),
              RACE_OPEN_WAKE);
}

TEST(a_predicate_that_is_read_again_orders)
{
    CHECK_INT(open_of("order exact; B acq m @f.c:1; B r p @f.c:2; B wait c @f.c:2 lock=m;"
                      "A w d @f.c:3; A acq m; A w p @f.c:4; A rel m; A notify c @f.c:4;"
                      "B woken c @f.c:2 lock=m; B r p @f.c:2; B rel m; B r d @f.c:6"),
              RACE_OPEN_NOT);
}

TEST(a_wait_in_code_that_reports_no_access_is_ended_by_its_notify)
{
    CHECK_INT(open_of("order exact; B acq m @lib.c:1; B wait c @lib.c:2 lock=m; A w d @f.c:3;"
                      "A notify c @lib.c:4; B woken c @lib.c:2 lock=m; B rel m; B r d @f.c:6"),
              RACE_OPEN_NOT);
}

TEST(a_use_after_free_that_only_such_an_order_prevents_is_open)
{
    CHECK_INT(open_of("order exact; M alloc p @m size=8; M fork A; M fork B; M fork C; A r p @a;"
                      "A before shm:s mode=any; B after shm:s mode=any; B free p @b;"
                      "C before shm:s mode=any"),
              RACE_OPEN_SENDER);
}

TEST(a_plain_flag_may_be_set_by_another_task_first)
{
    CHECK_INT(open_of("order exact; A w d @a; A acq m; A w flag value=1 @f; A rel m; B acq m;"
                      "B r flag @g; B rel m; B r d @b; C acq m; C w flag value=1 @f; C rel m"),
              RACE_OPEN_SENDER);
    CHECK_INT(open_of("order exact; A w d @a; A acq m; A w flag value=1 @f; A rel m; B acq m;"
                      "B r flag @g; B rel m; B r d @b; C acq m; C w flag value=2 @f; C rel m"),
              RACE_OPEN_NOT);
    CHECK_INT(open_of("order exact; A w d @a; A acq m; A w flag value=1 @f; A rel m; B acq m;"
                      "B r flag @g; B w flag value=0 @g; B rel m; B r d @b; C acq m;"
                      "C w flag value=1 @f; C rel m"),
              RACE_OPEN_NOT);
}

TEST(a_count_may_be_raised_by_another_task_first)
{
    static const char one[] =
        "order exact; A w d @a; A rmw n mode=add-seq-cst size=4 @f; B ld n @g; B r d @b;"
        "C rmw n mode=add-seq-cst size=4 @f";
    static const char both[] = "order exact; A w d @a; A rmw n mode=add-seq-cst size=4 @f; C rmw n "
                               "mode=add-seq-cst size=4 @f;"
                               "B ld n @g; B r d @b";
    CHECK_INT(open_of(one), RACE_OPEN_SENDER);
    CHECK_INT(open_of(both), RACE_OPEN_NOT);
}

TEST(a_count_that_the_reader_causes_is_of_the_next_round)
{
    CHECK_INT(open_of("order exact; A w d @a; A rmw n mode=add-seq-cst size=4 @f; B ld n @g;"
                      "B r d @b; B st go value=2 @b; C ld go value=2 @c;"
                      "C rmw n mode=add-seq-cst size=4 @f"),
              RACE_OPEN_NOT);
}

TEST(results_that_are_only_kept_prove_no_order)
{
    CHECK_INT(open_of("order exact; A w d @a; A rmw n mode=kept-seq-cst size=4 @f;"
                      "B rmw n mode=kept-seq-cst size=4 @g; B r d @b"),
              RACE_OPEN_SENDER);
}

TEST(a_handler_may_run_at_another_time)
{
    CHECK_INT(open_of("order exact; M before shm:s mode=any; M fork A; A w d @a; M join A;"
                      "M after shm:s mode=any; M interrupt value=14; M w d @b;"
                      "M interrupt-end value=14"),
              RACE_OPEN_INTERRUPT);
    CHECK_INT(open_of("order exact; M before shm:s mode=any; M fork A; A w d @a; M join A;"
                      "M interrupt value=14; M after shm:s mode=any; M w d @b;"
                      "M interrupt-end value=14"),
              RACE_OPEN_INTERRUPT);
}

TEST(a_handler_of_a_signal_that_its_task_raises_keeps_its_place)
{
    CHECK_INT(open_of("order exact; M fork A; A w d @a; M join A; M before shm:s mode=any;"
                      "M after shm:s mode=any; M interrupt value=14; M w d @b;"
                      "M interrupt-end value=14"),
              RACE_OPEN_NOT);
    CHECK_INT(open_of("order exact; M fork A; A w d @a; M join A; B before shm:s mode=any;"
                      "M after shm:s mode=any; M r x @c; M w d @b"),
              RACE_OPEN_NOT);
}

TEST(a_call_that_may_give_up_and_is_not_asked_proves_nothing)
{
    CHECK_INT(open_of("order exact; A acq m mode=ignored-mutex; A w d @a; A rel m;"
                      "B acq m mode=ignored-mutex; B r d @b; B rel m"),
              RACE_OPEN_IGNORED);
    CHECK_INT(open_of("order exact; A acq m mode=try-mutex; A w d @a; A rel m;"
                      "B acq m mode=try-mutex; B r d @b; B rel m"),
              RACE_OPEN_NOT);
    CHECK_INT(open_of("order exact; A w d @a; A post s; B down s mode=ignored; B r d @b"),
              RACE_OPEN_IGNORED);
}

TEST(a_record_lock_of_several_processes_excludes_no_threads_of_one)
{
    static const char threads[] =
        "order exact; A@p acq f mode=fcntl-write; A@p w d @a; A@p rel f mode=fcntl-write;"
        "B@p acq f mode=fcntl-write; B@p w d @b; B@p rel f mode=fcntl-write;"
        "C@q acq f mode=fcntl-write; C@q rel f mode=fcntl-write";
    static const char processes[] =
        "order exact; A@p acq f mode=fcntl-write; A@p w shm:d @a; A@p rel f mode=fcntl-write;"
        "B@p acq f mode=fcntl-write; B@p r x @b; B@p rel f mode=fcntl-write;"
        "C@q acq f mode=fcntl-write; C@q w shm:d @c; C@q rel f mode=fcntl-write";
    CHECK_INT(open_of(threads), RACE_OPEN_OWNER);
    CHECK_INT(open_of(processes), RACE_OPEN_NOT);
}
