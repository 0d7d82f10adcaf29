#include "test.h"
#include "world/world.h"

TEST(a_budget_is_a_list_of_faults_with_counts)
{
    struct fault_budget b;
    struct err e;
    CHECK_INT(fault_budget_parse(&b, "crash=2,drop,slow-disk=0", &e), 0);
    CHECK_INT(b.most[FAULT_CRASH], 2);
    CHECK_INT(b.most[FAULT_DROP], 1);
    CHECK_INT(b.most[FAULT_SLOW_DISK], 0);
    CHECK_INT(b.most[FAULT_HEAL], 0);
    CHECK_INT(fault_budget_parse(&b, "none", &e), 0);
    CHECK_INT(b.most[FAULT_CRASH], 0);
}

#define ALL \
    ": crash, restart, drop, duplicate, reorder, partition, heal, skew, slow-disk or disk-error"

TEST(what_is_no_budget_is_refused_and_changes_nothing)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "there is no fault called \"\"" ALL},
        {"fire=1", "there is no fault called \"fire\"" ALL},
        {"reset=1", "there is no fault called \"reset\"" ALL},
        {"crash=", "\"crash=\": a number up to 1000 was expected"},
        {"crash=-1", "\"crash=-1\": a number up to 1000 was expected"},
        {"crash=1001", "\"crash=1001\": a number up to 1000 was expected"},
        {"crash=99999999999999999999", "\"crash=99999999999999999999\": a number up to 1000 was "
                                       "expected"},
        {"crash=1,,drop=1", "there is no fault called \"\"" ALL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fault_budget b = {.most = {[FAULT_CRASH] = 7}};
        struct err e = {.text = ""};
        CHECK_INT(fault_budget_parse(&b, cases[i].text, &e), -1);
        CHECK_TEXT(e.text, cases[i].message);
        CHECK_INT(b.most[FAULT_CRASH], 7);
    }
}

TEST(outcomes_have_names_and_kinds_of_findings)
{
    CHECK_TEXT(outcome_name(OUTCOME_HANG), "hang");
    CHECK(outcome_is_violation(OUTCOME_CRASH));
    CHECK(!outcome_is_violation(OUTCOME_LIMIT));
    CHECK_INT(outcome_finding(OUTCOME_ASSERTION), FINDING_ASSERTION);
}

TEST(a_violation_is_called_as_its_finding)
{
    CHECK_TEXT(outcome_name(OUTCOME_DOUBLE_FREE), "double-free");
    CHECK_TEXT(outcome_name(OUTCOME_USE_AFTER_FREE), "use-after-free");
    CHECK_TEXT(outcome_name(OUTCOME_LIMIT), "step limit");
}

TEST(a_budget_of_nothing_allows_none)
{
    struct fault_budget b;
    struct err e;
    CHECK_INT(fault_budget_parse(&b, "crash=0,drop=0", &e), 0);
    CHECK(!fault_budget_is_any(&b));
    CHECK_INT(fault_budget_parse(&b, "disk-error", &e), 0);
    CHECK(fault_budget_is_any(&b));
}
