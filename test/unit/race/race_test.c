#include "race/race.h"

#include "test.h"
#include "trace_of.h"

/* The keys of what is found, a line each, without the kind's name. */
static const char *found_with(const char *text, const struct race_options *o)
{
    static char shown[1000];
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    struct race_stats stats;
    size_t used = 0;
    shown[0] = '\0';
    CHECK_INT(race_find(trace_of(text), o, &f, &stats, &n, &e), 0);
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
    return found_with(text, &(struct race_options){0});
}

TEST(a_handler_whose_message_comes_back_is_over_before_the_answer_is_handled)
{
    CHECK_TEXT(
        found("S snd s>a msg=1; A rcv s>a msg=1; A hb; A snd a>b msg=2; A w x @a; A he;"
              "B rcv a>b msg=2; B snd b>a msg=3; A rcv b>a msg=3; A hb; A snd a>b msg=4; A he;"
              "B rcv a>b msg=4; B w x @b"),
        "");
}
