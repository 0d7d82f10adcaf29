/* SPIDER's recorded verdicts: --compat repeats them all, the default all but the known errors. */
#include "race/race.h"

#include <glob.h>
#include <stdlib.h>
#include <yajl/yajl_tree.h>

#include "base/in.h"
#include "base/map.h"
#include "base/mem.h"
#include "load.h"
#include "test.h"
#include "wire/kind.h"

/* What the published program gets wrong. */
static const struct {
    const char *trace;
    event_id a, b;
} errors[] = {
    {"hend", 3, 7},    /* the end of a handler is before what follows */
    {"reent", 3, 8},   /* a lock taken again is still held after the first release */
    {"tcp", 2, 8},     /* bytes of one channel do not answer for another's */
    {"nostart", 0, 2}, /* a child without its START begins with its first event */
};

static bool is_error(const char *trace, event_id a, event_id b)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (strcmp(errors[i].trace, trace) == 0 && errors[i].a == a && errors[i].b == b) {
            return true;
        }
    }
    return false;
}

/* ---- what we say ---- */

struct said {
    struct map verdicts; /* (pair of events) to verdict; accesses as listed */
    size_t count;
};

static void hear(void *context, const struct race_decided *d)
{
    struct said *said = context;
    map_put(&said->verdicts, map_pair(d->a, d->b), d->verdict);
    said->count++;
}

/* A run of SPIDER, by its options. */
struct way {
    const char *options;
    bool is_message, prunes;
};

static const struct way ways[] = {
    {"-d", false, false}, {"-m", true, false}, {"-d-r", false, true}, {"-m-r", true, true}};

static struct race_stats stats; /* of the last question */

static struct said ask(const struct trace *t, enum race_compat compat, const struct way *way)
{
    struct said said = {0};
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    const struct race_options o = {
        .compat = compat,
        .skips_data = way->is_message,
        .skips_messages = !way->is_message,
        .prunes = way->prunes,
        .decided = hear,
        .context = &said,
    };
    CHECK_INT(race_find(t, &o, &f, &stats, &n, &e), 0);
    findings_release(&f);
    notes_release(&n);
    return said;
}

/* ---- what was recorded ---- */

static yajl_val load_json(const char *path)
{
    struct in in;
    struct err e = {0};
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

static uint64_t recorded_count(yajl_val run, const char *name)
{
    yajl_val value = yajl_tree_get(run, (const char *[]){name, NULL}, yajl_t_string);
    CHECK(value != NULL);
    const char *text = YAJL_GET_STRING(value);
    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

/* The figures of the run, which are those of the dissertation's tables. */
static void compare_counts(yajl_val run)
{
    CHECK_INT(stats.pruned_events,
              recorded_count(run, "redundant_rw") + recorded_count(run, "redundant_blocks"));
    CHECK_INT(stats.constraints, recorded_count(run, "constraints"));
    CHECK_INT(stats.data_candidates, recorded_count(run, "data_candidates"));
    CHECK_INT(stats.data_races, recorded_count(run, "data_races"));
    CHECK_INT(stats.message_candidates, recorded_count(run, "msg_candidates"));
    CHECK_INT(stats.message_races, recorded_count(run, "msg_races"));
}

/* Whether the event is in a handler, as its RECV or behind it. */
static bool is_in_handler(const struct trace *t, event_id id)
{
    const uint32_t task = trace_at(t, id)->task;
    for (event_id next = id + 1; trace_at(t, id)->kind == EVENT_RECV && next < t->events.count;
         next++) {
        if (trace_at(t, next)->task == task) {
            return trace_at(t, next)->kind == EVENT_HANDLER_BEGIN;
        }
    }
    for (event_id before = id; before-- > 0;) {
        const struct event *e = trace_at(t, before);
        if (e->task == task && (e->kind == EVENT_HANDLER_BEGIN || e->kind == EVENT_HANDLER_END)) {
            return e->kind == EVENT_HANDLER_BEGIN;
        }
    }
    return false;
}

/* SPIDER keeps a task's receives in listed order, those that begin handlers included. So clew may
 * find more where a handler takes part. */
static bool may_be_found(const struct trace *t, enum race_compat compat, event_id a, event_id b)
{
    return compat == RACE_COMPAT_NONE && (is_in_handler(t, a) || is_in_handler(t, b));
}

static size_t compare(const char *name, const struct trace *t, yajl_val rows, const struct way *way,
                      enum race_compat compat)
{
    const bool is_message = way->is_message;
    struct said said = ask(t, compat, way);
    CHECK_INT(said.count, rows->u.array.len);
    for (size_t i = 0; i < rows->u.array.len; i++) {
        const yajl_val *row = rows->u.array.values[i]->u.array.values;
        const event_id a = (event_id)YAJL_GET_INTEGER(row[2]);
        const event_id b = (event_id)YAJL_GET_INTEGER(row[3]);
        const bool is_race = YAJL_GET_INTEGER(row[1]) != 0;
        const bool wanted = is_race != (compat == RACE_COMPAT_NONE && is_error(name, a, b));
        const uint64_t key = is_message || a < b ? map_pair(a, b) : map_pair(b, a);
        const uint32_t *verdict = map_get(&said.verdicts, key);
        const bool is_more = !is_race && may_be_found(t, compat, a, b);
        if (verdict == NULL ||
            (*verdict != (wanted ? RACE_YES : RACE_NO) && !(is_more && *verdict == RACE_YES))) {
            fail_msg("%s: events %u and %u: %d wanted", name, a, b, (int)wanted);
        }
    }
    map_release(&said.verdicts);
    return rows->u.array.len;
}

/* Every recorded trace; returns how many verdicts were compared. */
static size_t compare_all(enum race_compat compat)
{
    char pattern[512];
    glob_t found;
    size_t count = 0;
    (void)snprintf(pattern, sizeof pattern, "%s/falcon/*.expected.json", test_shared_data());
    CHECK_INT(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char name[128];
        char path[600];
        const char *base = strrchr(found.gl_pathv[i], '/') + 1;
        (void)snprintf(name, sizeof name, "%.*s", (int)(strlen(base) - strlen(".expected.json")),
                       base);
        (void)snprintf(path, sizeof path, "%s/falcon/%s.log", test_shared_data(), name);
        struct trace t;
        load_falcon(&t, path);
        yajl_val tree = load_json(found.gl_pathv[i]);
        const size_t way_count = compat == RACE_COMPAT_SPIDER ? sizeof ways / sizeof *ways : 2;
        for (size_t k = 0; k < way_count; k++) {
            const char *path_to[] = {"runs", ways[k].options, NULL};
            yajl_val run = yajl_tree_get(tree, path_to, yajl_t_object);
            if (run != NULL) {
                yajl_val rows =
                    yajl_tree_get(run, (const char *[]){"verdicts", NULL}, yajl_t_array);
                CHECK(rows != NULL);
                count += compare(name, &t, rows, &ways[k], compat);
                if (compat == RACE_COMPAT_SPIDER) {
                    compare_counts(run);
                }
            }
        }
        yajl_tree_free(tree);
        trace_release(&t);
    }
    globfree(&found);
    return count;
}

TEST(compat_repeats_every_recorded_verdict)
{
    CHECK(compare_all(RACE_COMPAT_SPIDER) >= 500);
}

TEST(the_default_differs_only_where_the_record_is_wrong)
{
    CHECK(compare_all(RACE_COMPAT_NONE) >= 500);
}

/* In the dissertation two messages race when their sends do: those of one task never. */
TEST(the_paper_leaves_out_messages_of_one_sender)
{
    char path[600];
    struct trace t;
    (void)snprintf(path, sizeof path, "%s/falcon/m5009.log", test_shared_data());
    load_falcon(&t, path);
    struct said published = ask(&t, RACE_COMPAT_SPIDER, &ways[1]);
    struct said paper = ask(&t, RACE_COMPAT_SPIDER_PAPER, &ways[1]);
    CHECK_INT(*map_get(&published.verdicts, map_pair(11, 6)), RACE_YES);
    CHECK_INT(*map_get(&paper.verdicts, map_pair(11, 6)), RACE_NO);
    map_release(&published.verdicts);
    map_release(&paper.verdicts);
    trace_release(&t);
}
