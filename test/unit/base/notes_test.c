#include "base/notes.h"

#include "test.h"

TEST(the_same_note_is_counted_and_keeps_its_first_place)
{
    struct notes n = {0};
    notes_add(&n, "byte 3", "a line is not %s", "JSON");
    notes_add(&n, "byte 9", "a line is not JSON");
    notes_add_many(&n, 5, "byte 20", "a kind is newer");
    notes_add_many(&n, 0, "", "nothing");
    CHECK_INT(n.list.count, 2);
    CHECK_TEXT(n.list.at[0].text, "a line is not JSON");
    CHECK_TEXT(n.list.at[0].place, "byte 3");
    CHECK_INT(n.list.at[0].count, 2);
    CHECK_INT(n.list.at[1].count, 5);
    notes_release(&n);
}
