#include "order/section.h"

#include "order_of.h"

/* The sections of the text as "begin-end" each, with "s" behind shared and "!" behind unreleased.
 */
static const char *sections_of(const char *text)
{
    static char shown[200];
    struct notes n = {0};
    struct hb hb;
    order_of(&hb, text, HB_STRICT, &n);
    size_t used = 0;
    shown[0] = '\0';
    for (uint32_t i = 0; i < hb.sections.count; i++) {
        const struct section *s = &hb.sections.list[i];
        used +=
            (size_t)snprintf(shown + used, sizeof shown - used, "%s%u-%u%s%s", i == 0 ? "" : " ",
                             s->begin, s->end, s->is_shared ? "s" : "", s->is_released ? "" : "!");
    }
    hb_release(&hb);
    notes_release(&n);
    return shown;
}

TEST(a_section_goes_from_lock_to_unlock)
{
    CHECK_TEXT(sections_of("A acq m; A w x; A rel m; B acq m; B rel m"), "0-2 3-4");
}

TEST(a_lock_taken_again_is_one_section)
{
    CHECK_TEXT(sections_of("A acq m; A acq m; A rel m; A w x; A rel m"), "0-4");
}

TEST(locks_belong_to_their_node)
{
    struct notes n = {0};
    struct hb hb;
    order_of(&hb, "A@n acq m; A@n rel m; B@o acq m; B@o rel m; C@n acq m; C@n rel m", HB_STRICT,
             &n);
    CHECK_INT(hb.sections.lock_count, 2);
    CHECK(hb.sections.locks[0].is_contended);
    CHECK(!hb.sections.locks[1].is_contended);
    hb_release(&hb);
    notes_release(&n);
}

TEST(locks_of_several_processes_belong_to_all_nodes)
{
    CHECK_TEXT(observed("A@n acq f mode=flock-write; A@n rel f mode=flock-write;"
                        "B@o acq f mode=flock-write",
                        1, 2),
               "<");
    CHECK_TEXT(observed("A@n acq f; A@n rel f; B@o acq f", 1, 2), "|");
}

TEST(readers_share)
{
    const char *text = "A acq m mode=read; B acq m mode=read; A rel m; B rel m; C acq m mode=write;"
                       "C rel m; A acq m mode=read; A rel m";
    CHECK_TEXT(sections_of(text), "0-2s 1-3s 4-5 6-7s");
    CHECK_TEXT(observed(text, 2, 3), "|");
    CHECK_TEXT(observed(text, 2, 4), "<");
    CHECK_TEXT(observed(text, 3, 4), "<");
    CHECK_TEXT(observed(text, 5, 6), "<");
}

TEST(a_reader_that_also_writes_excludes_readers)
{
    CHECK_TEXT(sections_of("A acq m mode=read; A acq m mode=write; A rel m; A rel m"), "0-3");
}

TEST(waiting_gives_the_lock_up)
{
    CHECK_TEXT(sections_of("A acq m; A acq m; A wait c lock=m; A woken c lock=m; A rel m; A rel m"),
               "0-2 3-5");
    CHECK_TEXT(sections_of("A acq m; A w x; A woken m; A rel m"), "0-1 2-3");
}

TEST(a_lock_never_released_is_held_to_the_end_or_until_another_takes_it)
{
    CHECK_TEXT(sections_of("A acq m; A w x; B w x"), "0-1!");
    CHECK_TEXT(sections_of("A acq m; A w x; B acq m; A w y; B rel m"), "0-1! 2-4");
    CHECK_TEXT(sections_of("A acq m; B acq m; A acq m; B acq m; A w x"), "0-0! 1-1! 2-2! 3-3!");
    CHECK_TEXT(sections_of("A acq m; B acq m; B rel m; A acq m; A rel m"), "0-0! 1-2 3-4");
    CHECK_INT(notes_about("A acq m; A w x", "never released"), 1);
}

TEST(a_release_of_what_is_not_held_is_ignored)
{
    CHECK_TEXT(sections_of("A rel m; A acq m; A rel m; A rel m"), "1-2");
    CHECK_INT(notes_about("A acq m; B rel m; A rel m", "does not hold"), 1);
}

TEST(the_order_of_sections_is_free_unless_observed)
{
    const char *text = "A acq m; A rel m; B acq m; B rel m";
    CHECK_TEXT(strictly(text, 0, 3), "|");
    CHECK_TEXT(observed(text, 0, 3), "<");
}

TEST(sections_that_overlap_in_the_list_are_ordered_where_the_list_orders_them)
{
    /* B takes what A holds; C takes it after A, but while B holds it. */
    const char *text = "A acq m; B acq m; A rel m; C acq m; B rel m; C rel m";
    CHECK_TEXT(observed(text, 0, 3), "<");
    CHECK_TEXT(observed(text, 1, 3), "|");
    CHECK_TEXT(observed(text, 0, 1), "|");
}

TEST(a_section_across_handlers_begins_before_it_ends)
{
    const char *text = "T rcv c msg=a; T hb; T acq m; T he; T rcv c msg=b; T hb; T rel m; T he";
    CHECK_TEXT(strictly(text, 2, 6), "<");
}
