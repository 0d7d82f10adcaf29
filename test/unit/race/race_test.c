#include "race/race.h"

#include "test.h"
#include "trace_of.h"

static struct race_stats stats; /* of the last search */

/* The keys of what is found, a line each, without the kind's name. */
static const char *found_with(const char *text, struct race_options o)
{
    static char shown[1000];
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    size_t used = 0;
    shown[0] = '\0';
    o.skips_grades = true;
    o.skips_deadlocks = true; /* deadlock_test.c is about those */
    CHECK_INT(race_find(trace_of(text), &o, &f, &stats, &n, &e), 0);
    vec_each (&f.list, finding) {
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%s", used == 0 ? "" : "; ",
                                 strchr(finding->key, '|') + 1);
    }
    findings_release(&f);
    notes_release(&n);
    return shown;
}

static const char *found(const char *text)
{
    return found_with(text, (struct race_options){0});
}

TEST(the_streaming_model_is_refused_where_whole_traces_are_analysed)
{
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    const struct race_options o = {.model = RACE_OBSERVED};
    CHECK_INT(race_find(trace_of("A w x @a; B w x @b"), &o, &f, &stats, &n, &e), -1);
    CHECK_INT(f.list.count, 0);
    CHECK(strstr(e.text, "observed") != NULL);
}

TEST(blocks_that_were_allocated_at_one_place_are_told_as_one)
{
    CHECK_TEXT(found("A w m:1#1 @a; A w m:1#2+8 @a; A w n @a; B w m:1#1 @b; B w m:1#2+8 @b; "
                     "B w n @b"),
               "a|b|m:1; a|b|n");
    CHECK_INT(stats.location_pairs, 2);
    CHECK_INT(stats.data_races, 3);
}

TEST(accesses_to_no_variable_are_left_out_and_noted)
{
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    const struct trace *t = trace_of("A w; B w; A w x; B r x");
    CHECK_INT(race_find(t, &(struct race_options){0}, &f, &stats, &n, &e), 0);
    CHECK_INT(stats.data_candidates, 1);
    CHECK_INT(n.list.count, 1);
    CHECK_TEXT(n.list.at[0].text, "an access that names no variable is left out");
    CHECK_INT(n.list.at[0].count, 2);
    findings_release(&f);
    notes_release(&n);
}

/* ---- data races ---- */

TEST(conflicting_accesses_by_two_tasks_race)
{
    CHECK_TEXT(found("A w x @a; B w x @b"), "a|b|x");
    CHECK_TEXT(found("A w x @a; B r x @b"), "a|b|x");
    CHECK_TEXT(found("A r x @a; B r x @b"), "");
    CHECK_TEXT(found("A w x @a; A w x @b"), "");
    CHECK_TEXT(found("A w x @a; B w y @b"), "");
}

TEST(a_variable_belongs_to_its_node)
{
    CHECK_TEXT(found("A@n w x @a; B@o w x @b"), "");
    CHECK_TEXT(found("A@n w x @a; B@n w x @b"), "a|b|x");
}

TEST(what_orders_two_accesses_keeps_them_from_racing)
{
    CHECK_TEXT(found("A w x @a; A fork B; B w x @b"), "");
    CHECK_TEXT(found("A w x @a; A snd c msg=1; B rcv c msg=1; B w x @b"), "");
    CHECK_TEXT(found("A snd c msg=1; A w x @a; B rcv c msg=1; B w x @b"), "a|b|x");
    CHECK_TEXT(found("A w x @a; A st f; B ld f; B w x @b"), "");
}

TEST(a_common_lock_keeps_two_accesses_from_racing)
{
    CHECK_TEXT(found("A acq m; A w x @a; A rel m; B acq m; B w x @b; B rel m"), "");
    CHECK_TEXT(found("A acq m; A w x @a; A rel m; B acq k; B w x @b; B rel k"), "a|b|x");
    CHECK_TEXT(found("A w x @a; A acq m; A rel m; B acq m; B rel m; B w x @b"), "a|b|x");
    CHECK_TEXT(found("A acq m mode=read; A r x @a; A rel m; B acq m mode=read; B w x @b; B rel m"),
               "a|b|x");
}

TEST(sections_that_must_not_overlap_may_force_an_order)
{
    /* The message is sent in one section and received in the other: the first is over before. */
    CHECK_TEXT(found("A w x @a; A acq m; A snd c msg=1; A rel m; B acq m; B rcv c msg=1; B rel m;"
                     "B w x @b"),
               "");
    CHECK_TEXT(found("A acq m; A snd c msg=1; A w x @a; A rel m; B acq m; B rcv c msg=1; B rel m;"
                     "B w x @b"),
               "");
}

TEST(locks_taken_crosswise_may_leave_no_order)
{
    /* Side by side, each task would wait for the other's lock for ever. */
    CHECK_TEXT(found("A acq m; A w x @a; A acq n; A rel n; A rel m;"
                     "B acq n; B w x @b; B acq m; B rel m; B rel n"),
               "");
    CHECK_INT(stats.asked, 1);
    /* The history of what was taken: each had the other's lock before, within its own. */
    CHECK_TEXT(found("A acq m; A acq n; A rel n; A w x @a; A rel m;"
                     "B acq n; B acq m; B rel m; B w x @b; B rel n"),
               "");
    CHECK_TEXT(found("A acq m; A acq n; A rel n; A w x @a; A rel m;"
                     "B acq n; B w x @b; B rel n; B acq m; B rel m"),
               "a|b|x");
}

/* Another task could run the routine, but then the read would be that task's. */
TEST(a_once_routine_comes_before_what_follows_every_later_return)
{
    CHECK_TEXT(found("A once-begin o; A r x @a; A once o; B once o; B w x @b"), "");
    CHECK_TEXT(found("A w x @a; A once-begin o; A r y; A once o; B once o; B w x @b"), "a|b|x");
}

TEST(a_wait_comes_after_some_notify_since_it_began)
{
    const char *one = "A acq m; A wait c lock=m; B w x @b; B acq m; B notify c; B rel m;"
                      "A woken c lock=m; A w x @a; A rel m";
    CHECK_TEXT(found(one), "");
    const char *two = "A acq m; A wait c lock=m; B w x @b; B acq m; B notify c; B rel m;"
                      "C acq m; C notify c; C rel m; A woken c lock=m; A w x @a; A rel m";
    CHECK_TEXT(found(two), "a|b|x");
}

TEST(a_handler_whose_message_comes_back_is_over_before_the_answer_is_handled)
{
    CHECK_TEXT(found("S snd s>a msg=1; A rcv s>a msg=1; A hb; A snd a>b msg=2; A w x @a; A he;"
                     "B rcv a>b msg=2; B snd b>a msg=3; A rcv b>a msg=3; A hb; A snd a>b msg=4;"
                     "A he; B rcv a>b msg=4; B w x @b"),
               "");
}

/* U knows of the first handler only: the second message may be handled first. */
#define LATER_HANDLER                             \
    "U r x @u; U snd u>t msg=1; V snd v>t msg=2;" \
    "T rcv u>t msg=1; T hb; T r z @h1; T he;"     \
    "T rcv v>t msg=2; T hb; T w x @h2; T he"

TEST(a_later_handler_may_come_before_what_the_earlier_one_waits_for)
{
    CHECK_TEXT(found(LATER_HANDLER), "h2|u|x");
    CHECK_TEXT(found_with(LATER_HANDLER, (struct race_options){.model = RACE_SOUND}), "h2|u|x");
    CHECK_TEXT(found_with(LATER_HANDLER, (struct race_options){.model = RACE_FEASIBLE}), "h2|u|x");
    CHECK_TEXT(found_with(LATER_HANDLER, (struct race_options){.prunes = true}), "h2|u|x");
}

TEST(a_later_handler_comes_after_what_its_own_message_or_main_chain_knows)
{
    CHECK_TEXT(found("U w x @u; U snd u>v msg=0; U snd u>t msg=1; V rcv u>v msg=0; V snd v>t msg=2;"
                     "T rcv u>t msg=1; T hb; T he; T rcv v>t msg=2; T hb; T w x @t; T he"),
               "");
    CHECK_TEXT(found("U w x @u; U snd u>t msg=1; V snd v>t msg=2; T rcv u>t msg=1; T hb; T he;"
                     "T r own @l; T rcv v>t msg=2; T hb; T w x @t; T he"),
               "");
}

TEST(pruning_keeps_a_later_handler_at_the_same_place)
{
    const char *text = "U w x @u; U snd u>t msg=1; V snd v>t msg=2;"
                       "T rcv u>t msg=1; T hb; T w x @t; T he;"
                       "T rcv v>t msg=2; T hb; T w x @t; T he";
    CHECK_TEXT(found_with(text, (struct race_options){.prunes = true, .skips_messages = true}),
               "t|u|x");
}

TEST(a_message_sent_for_a_later_handler_may_overtake_an_earlier_message)
{
    CHECK_TEXT(found("A snd a>t msg=1; B snd b>t msg=2; T rcv a>t msg=1; T hb; T w x @one; T he;"
                     "T rcv b>t msg=2; T hb; T snd t>c msg=3; T he; C rcv t>c msg=3;"
                     "C snd c>t msg=4; T rcv c>t msg=4; T hb; T w x @two; T he"),
               "one|two|x");
}

TEST(an_order_that_is_given_counts)
{
    struct given g = {0};
    struct err e = {0};
    CHECK_INT(given_parse(&g, "a before b", 10, &e), 0);
    CHECK_TEXT(found_with("A w x @a; B w x @b", (struct race_options){.given = &g}), "");
    given_release(&g);
}

/* ---- message races ---- */

#define TWO_MESSAGES                             \
    "S snd s>a msg=1 @s; R snd r>a msg=2 @r;"    \
    "A rcv s>a msg=1 @in; A hb; A r x @a; A he;" \
    "A rcv r>a msg=2 @in; A hb; A w x @b; A he"

TEST(handlers_of_two_messages_conflict)
{
    CHECK_TEXT(found(TWO_MESSAGES), "a|b|x");
    CHECK_INT(stats.message_candidates, 1);
    CHECK_INT(stats.message_races, 1);
    CHECK_INT(stats.conflict_pairs, 1);
    CHECK_INT(stats.data_candidates, 0);
}

TEST(a_message_that_answers_another_does_not_race_with_it)
{
    CHECK_TEXT(found("S snd s>a msg=1; A rcv s>a msg=1; A hb; A w x @a; A snd a>s msg=2; A he;"
                     "S rcv a>s msg=2; S snd s>a msg=3; A rcv s>a msg=3; A hb; A w x @b; A he"),
               "");
    CHECK_INT(stats.message_candidates, 1);
    CHECK_INT(stats.message_races, 0);
}

TEST(messages_of_one_stream_do_not_race)
{
    CHECK_TEXT(found("S snd s>a mode=tcp size=1; S snd s>a mode=tcp size=1;"
                     "A rcv s>a mode=tcp size=1; A hb; A w x @a; A he;"
                     "A rcv s>a mode=tcp size=1; A hb; A w x @b; A he"),
               "");
    CHECK_INT(stats.message_candidates, 0);
    CHECK_TEXT(found("S snd s>a mode=tcp size=1; R snd r>a mode=tcp size=1;"
                     "A rcv s>a mode=tcp size=1; A hb; A w x @a; A he;"
                     "A rcv r>a mode=tcp size=1; A hb; A w x @b; A he"),
               "a|b|x");
}

TEST(datagrams_of_one_sender_race)
{
    CHECK_TEXT(found("S snd s>a msg=1; S snd s>a msg=2; A rcv s>a msg=1; A hb; A w x @a; A he;"
                     "A rcv s>a msg=2; A hb; A w x @b; A he"),
               "a|b|x");
}

TEST(the_handler_of_a_message_in_pieces_hangs_off_any_of_them)
{
    CHECK_TEXT(found("S snd s>a mode=tcp size=4; R snd r>a msg=2;"
                     "A rcv s>a mode=tcp size=1; A rcv s>a mode=tcp size=3; A hb; A w x @a; A he;"
                     "A rcv r>a msg=2; A hb; A w x @b; A he"),
               "a|b|x");
}

TEST(a_message_race_as_such_is_told_to_who_asks_for_messages_alone)
{
    const char *text = "S snd s>a msg=1 @s; R snd r>a msg=2 @r; A rcv s>a msg=1 @in;"
                       "A rcv r>a msg=2 @in";
    CHECK_TEXT(found(text), "");
    CHECK_INT(stats.message_races, 1);
    CHECK_TEXT(found_with(text, (struct race_options){.skips_data = true}), "in|r");
    CHECK_TEXT(found_with(TWO_MESSAGES, (struct race_options){.skips_data = true}), "a|b|x; in|r");
}

/* ---- what to look at ---- */

TEST(a_kind_may_be_left_out)
{
    const char *text = TWO_MESSAGES "; B w x @c";
    CHECK_TEXT(found(text), "a|b|x; a|c|x; b|c|x");
    CHECK_TEXT(found_with(text, (struct race_options){.skips_messages = true}), "a|c|x; b|c|x");
    CHECK_TEXT(found_with(text, (struct race_options){.skips_data = true, .find_max = 1}), "a|b|x");
}

TEST(variables_are_chosen_by_glob)
{
    const char *text = "A w view.x @a; B w view.x @b; A w y @c; B w y @d";
    CHECK_TEXT(found_with(text, (struct race_options){.variable = "view.*"}), "a|b|view.x");
    CHECK_TEXT(found_with(text, (struct race_options){.variable = "?"}), "c|d|y");
    CHECK_TEXT(found_with(text, (struct race_options){.variable = "z*"}), "");
}

TEST(times_bound_the_candidates)
{
    const char *text = "A w x @a time=1; B w x @b time=5; A w x @c time=9";
    CHECK_TEXT(found(text), "a|b|x; b|c|x");
    CHECK_TEXT(found_with(text, (struct race_options){.has_since = true, .since = 5}), "b|c|x");
    CHECK_TEXT(found_with(text, (struct race_options){.has_until = true, .until = 5}), "a|b|x");
}

/* ---- what is told ---- */

TEST(pairs_at_the_same_places_are_one_finding)
{
    const char *text = "A w x @a; A w x @a; B w x @b; B w x @b";
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    const struct race_options o = {.skips_grades = true};
    CHECK_INT(race_find(trace_of(text), &o, &f, &stats, &n, &e), 0);
    CHECK_INT(f.list.count, 1);
    CHECK_INT(f.list.at[0].pair_count, 4);
    CHECK_INT(f.list.at[0].events[0].index, 0);
    CHECK_INT(f.list.at[0].events[1].index, 2);
    CHECK_TEXT(f.list.at[0].what,
               "x is written at a by A and at b by B, and either may come first");
    CHECK_TEXT(f.list.at[0].key, "data-race|a|b|x");
    findings_release(&f);
    notes_release(&n);
    CHECK_TEXT(found_with(text, (struct race_options){.wants_pairs = true}),
               "a|b|x; a|b|x; a|b|x; a|b|x");
    CHECK_TEXT(found_with(text, (struct race_options){.wants_pairs = true, .find_max = 2}),
               "a|b|x; a|b|x");
    CHECK_TEXT(found_with(text, (struct race_options){.counts_only = true}), "");
    CHECK_INT(stats.data_races, 4);
    CHECK_INT(stats.location_pairs, 1);
}

TEST(the_argument_says_what_is_missing)
{
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    const struct race_options o = {.skips_grades = true};
    CHECK_INT(race_find(trace_of("A acq m; A w x; A rel m; B acq k; B r x; B rel k"), &o, &f,
                        &stats, &n, &e),
              0);
    CHECK_TEXT(
        f.list.at[0].why,
        "nothing orders the first before the second, nor the reverse: no message, creation, join "
        "or wait leads from one to the other\n"
        "no lock keeps them apart: the first holds m; the second holds k");
    findings_release(&f);
    notes_release(&n);
}

TEST(pruning_keeps_places_variables_kinds_and_what_a_send_lets_go_on)
{
    const struct race_options prunes = {.prunes = true};
    CHECK_TEXT(found_with("A w x @p; B w y @p; C w x @p", prunes), "p|p|x");
    CHECK_TEXT(found_with("A r x @p; A w x @p; B r x @q", prunes), "p|q|x");
    CHECK_TEXT(found_with("A snd c msg=1; A w x @p; A snd c msg=2; A w x @p; Q rcv c msg=1;"
                          "Q rcv c msg=2; Q snd d msg=3; B rcv d msg=3; B r x @q",
                          prunes),
               "p|q|x");
    CHECK_TEXT(found_with("A w x @p; A w x @p; A w x @p; B w x @q", prunes), "p|q|x");
    CHECK_INT(stats.pruned_events, 2);
    CHECK_INT(stats.data_races, 1);
}

/* ---- plain and atomic ---- */

TEST(a_plain_access_races_with_an_atomic_one)
{
    CHECK_TEXT(found("A st x mode=relaxed @a; B r x @b"), "a|b|x");
    CHECK_TEXT(found("A w x @a; B ld x mode=relaxed @b"), "a|b|x");
    CHECK_TEXT(found("A w x @a; B rmw x @b"), "a|b|x");
    CHECK_TEXT(found("A rmw x @a; B r x @b"), "a|b|x");
    CHECK_TEXT(found_with("A w x @a; B rmw x @b", (struct race_options){.model = RACE_FEASIBLE}),
               "a|b|x");
    CHECK_TEXT(found_with("A w x @a; B rmw x @b", (struct race_options){.model = RACE_SOUND}),
               "a|b|x");
    CHECK_TEXT(found_with("A w x @a; B rmw x @b", (struct race_options){.via = RACE_VIA_Z3}),
               "a|b|x");
}

TEST(two_atomic_accesses_and_two_that_read_do_not_race)
{
    CHECK_TEXT(found("A st x mode=relaxed; B st x mode=relaxed; C rmw x; D ld x"), "");
    CHECK_TEXT(found("A r x; B ld x"), "");
    CHECK_INT(stats.data_candidates, 0);
}

TEST(what_an_atomic_access_publishes_is_ordered_with_itself)
{
    CHECK_TEXT(found("A w x; A st flag; B ld flag; B rmw x"), "");
    CHECK_TEXT(found("A st x mode=release; B ld x mode=acquire; B w x"), "");
    CHECK_TEXT(found("A st x mode=relaxed @a; B ld x mode=relaxed; B w x @b"), "a|b|x");
}

/* ---- what cannot be decided ---- */

static void count_unknown(void *context, const struct race_decided *d)
{
    *(size_t *)context += d->verdict == RACE_UNKNOWN;
}

TEST(a_trace_that_allows_no_order_at_all_leaves_everything_unknown)
{
    /* Each section must be over before the other begins. */
    const char *text =
        "A acq m; A rcv c msg=2; B acq m; B snd c msg=2; B rcv d msg=1; A snd d msg=1;"
        "A rel m; B rel m; A w x; B w x";
    size_t unknown = 0;
    (void)found_with(text, (struct race_options){.decided = count_unknown, .context = &unknown});
    CHECK_INT(stats.data_candidates, 1);
    CHECK_INT(stats.unknown, 1);
    CHECK_INT(unknown, 1);
}

TEST(a_question_that_outlives_its_budget_is_unknown)
{
    const char *text = "A acq m; A w x @a; A acq n; A rel n; A rel m;"
                       "B acq n; B w x @b; B acq m; B rel m; B rel n";
    CHECK_TEXT(found_with(text, (struct race_options){.step_max = 1}), "");
    CHECK_INT(stats.unknown, 1);
}

TEST(rules_that_are_too_many_for_a_solver_leave_what_needs_one_unknown)
{
    const char *text = "A acq m; A w x @a; A acq n; A rel n; A rel m;"
                       "B acq n; B w x @b; B acq m; B rel m; B rel n";
    CHECK_TEXT(found_with(text, (struct race_options){.clause_max = 1}), "");
    CHECK_INT(stats.asked, 1);
    CHECK_INT(stats.unknown, 1);
    CHECK(!stats.is_cut);
    CHECK_TEXT(stats.silence.text, "the rules are more than 1 clauses");
    (void)found_with(text, (struct race_options){.clause_max = 1, .via = RACE_VIA_NATIVE});
    CHECK_INT(stats.unknown, 1);
}

TEST(a_search_that_may_take_no_time_decides_nothing)
{
    const struct limit budget = {.time_ns = 1}; /* long ago */
    CHECK_TEXT(found_with("A w x @a; B w x @b", (struct race_options){.budget = &budget}), "");
    CHECK_INT(stats.data_candidates, 1);
    CHECK_INT(stats.unknown, 1);
    CHECK(stats.is_cut);
}

/* What is known to come before the two accesses shows them side by side. */
TEST(a_first_race_of_a_recording_has_a_witness)
{
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    const struct race_options o = {.wants_witness = true};
    const struct trace *t =
        trace_of("order stamped; M fork A; M fork B; A begin; B begin; A w x @a; B w x @b;"
                 "A end; B end; M join A; M join B");
    CHECK_INT(race_find(t, &o, &f, &stats, &n, &e), 0);
    CHECK_INT(f.list.count, 1);
    CHECK(f.list.at[0].witness != NULL);
    CHECK_INT(f.list.at[0].witness_count, 6); /* both creations and beginnings, and the pair */
    findings_release(&f);
    notes_release(&n);
}
