#include "test.h"
#include "world/world.h"

TEST(classes_that_are_not_named_weigh_one)
{
    struct pick_weights w = {{0}};
    struct err e = {.text = ""};
    CHECK_INT(weights_parse(&w, "timer=0,message=8", &e), 0);
    CHECK_INT(w.of[PICK_CLASS_TIMER], 0);
    CHECK_INT(w.of[PICK_CLASS_MESSAGE], 8);
    CHECK_INT(w.of[PICK_CLASS_WRITE], 1);
    CHECK_INT(w.of[PICK_CLASS_REQUEST], 1);
}

TEST(what_is_no_weight_is_refused)
{
    const char *const wrong[] = {"",
                                 "timer",
                                 "timer=",
                                 "timer=x",
                                 "timer=-1",
                                 "timer=1x",
                                 "ticks=1",
                                 "timer=1,",
                                 ",timer=1",
                                 "timer=1000001",
                                 "message=0,timer=0,write=0,helper=0,request=0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pick_weights w = {{7}};
        struct err e = {.text = ""};
        if (weights_parse(&w, wrong[i], &e) == 0) {
            fail_msg("\"%s\" is taken", wrong[i]);
        }
        CHECK(e.text[0] != '\0');
        CHECK_INT(w.of[0], 7);
    }
}
