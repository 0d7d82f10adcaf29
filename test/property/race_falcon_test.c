/* The slow twins against recorded verdicts: where they differ, the rules say why. */
#include <stdio.h>
#include <stdlib.h>
#include <yajl/yajl_tree.h>

#include "base/in.h"
#include "base/mem.h"
#include "load.h"
#include "race_slow.h"
#include "test.h"

/* Verdicts that our rules do not share. */
static const struct {
    const char *trace;
    event_id a, b;
    const char *why;
} disputed[] = {
    {"hend", 3, 7, "the end of a handler is before what follows"},
    {"reent", 3, 8, "a reentrant section is one section"},
    {"tcp", 2, 8, "bytes are matched per channel"},
    {"nostart", 0, 2, "a child without a start begins with its first event"},
};

static bool is_disputed(const char *trace, event_id a, event_id b)
{
    for (size_t i = 0; i < sizeof disputed / sizeof *disputed; i++) {
        if (strcmp(disputed[i].trace, trace) == 0 && disputed[i].a == a && disputed[i].b == b) {
            return true;
        }
    }
    return false;
}

static yajl_val load_json(const char *path)
{
    struct in in;
    struct err e;
    CHECK(in_open(&in, path, &e) == 0);
    CHECK(in_fill(&in, 1 << 20, &e) > 0);
    char *text = mem_zero(in.available + 1, 1);
    memcpy(text, in.at, in.available);
    in_close(&in);
    yajl_val tree = yajl_tree_parse(text, NULL, 0);
    mem_free(text);
    CHECK(tree != NULL);
    return tree;
}

/* 1 or 0 as the answer for this pair, in either order; -1 when it is no candidate. */
static int answer_for(const struct rules *r, const struct slow_answer *answer, bool is_message,
                      struct rules_pair wanted)
{
    const size_t count = is_message ? r->message_candidates.count : r->data_candidates.count;
    for (size_t i = 0; i < count; i++) {
        const struct rules_pair pair =
            is_message ? r->message_candidates.at[i] : r->data_candidates.at[i];
        if ((pair.a == wanted.a && pair.b == wanted.b) ||
            (pair.a == wanted.b && pair.b == wanted.a)) {
            return is_message ? answer->message[i] : answer->data[i];
        }
    }
    return -1;
}

/* Compares the rows of one run; returns how many there are. */
static size_t compare_rows(const char *name, const struct rules *r,
                           const struct slow_answer *answer, yajl_val rows)
{
    for (size_t i = 0; i < rows->u.array.len; i++) {
        CHECK(YAJL_IS_ARRAY(rows->u.array.values[i]));
        CHECK_INT(rows->u.array.values[i]->u.array.len, 4);
        const yajl_val *row = rows->u.array.values[i]->u.array.values;
        CHECK(YAJL_IS_STRING(row[0]));
        const bool is_message = row[0]->u.string[0] == 'M';
        const struct rules_pair pair = {.a = (event_id)YAJL_GET_INTEGER(row[2]),
                                        .b = (event_id)YAJL_GET_INTEGER(row[3])};
        const int wanted = (YAJL_GET_INTEGER(row[1]) != 0) != is_disputed(name, pair.a, pair.b);
        const int got = answer_for(r, answer, is_message, pair);
        if (got != wanted) {
            fail_msg("%s: events %u and %u: %d, recorded %d", name, pair.a, pair.b, got, wanted);
        }
    }
    return rows->u.array.len;
}

static void check_trace(const char *name)
{
    const char *folder = test_shared_data();
    char path[512];
    struct trace t;
    struct rules r;
    struct arena arena = {0};
    (void)snprintf(path, sizeof path, "%s/falcon/%s.log", folder, name);
    load_falcon(&t, path);
    rules_read(&r, &t);
    struct slow_answer answer = slow_answer_take(&arena, &r);
    slow_by_z3(&r, SLOW_STRICT, &answer);
    (void)snprintf(path, sizeof path, "%s/falcon/%s.expected.json", folder, name);
    yajl_val tree = load_json(path);
    yajl_val data =
        yajl_tree_get(tree, (const char *[]){"runs", "-d", "verdicts", NULL}, yajl_t_array);
    CHECK(data != NULL);
    CHECK_INT(compare_rows(name, &r, &answer, data), r.data_candidates.count);
    yajl_val messages =
        yajl_tree_get(tree, (const char *[]){"runs", "-m", "verdicts", NULL}, yajl_t_array);
    if (messages != NULL) {
        CHECK_INT(compare_rows(name, &r, &answer, messages), r.message_candidates.count);
    }
    yajl_tree_free(tree);
    rules_release(&r);
    arena_release(&arena);
    trace_release(&t);
}

TEST(recorded_verdicts_hold_but_for_known_errors)
{
    static const char *const names[] = {
        "Example1",  "h5780",   "hend",     "lock_hb", "lock_ok", "lockmsg",  "m3274",   "m5009",
        "m5358-bug", "nostart", "readfrom", "reent",   "rex_snd", "rex_type", "rex_var", "tcp",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check_trace(names[i]);
    }
    if (test_is_long()) {
        check_trace("cyclon_5N_5C"); /* 554 questions about 420 events */
    }
}
