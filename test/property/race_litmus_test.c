/* The litmus traces allow exactly the races they list, as the slow twins see it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/in.h"
#include "load.h"
#include "race_slow.h"
#include "test.h"
#include "trace/kind_table.h"

enum { LINES_MAX = 16 };

/* The races of a trace as lines, each once. */
struct lines {
    char text[LINES_MAX][160];
    size_t count;
};

static void lines_add(struct lines *l, const char *line)
{
    for (size_t i = 0; i < l->count; i++) {
        if (strcmp(l->text[i], line) == 0) {
            return;
        }
    }
    CHECK(l->count < LINES_MAX);
    (void)snprintf(l->text[l->count++], sizeof l->text[0], "%s", line);
}

static void add_race(struct lines *l, const struct trace *t, struct rules_pair pair,
                     const char *grade)
{
    const struct event *a = trace_at(t, pair.a);
    const char *first = trace_name(t, a->location);
    const char *second = trace_name(t, trace_at(t, pair.b)->location);
    const bool is_sorted = strcmp(first, second) <= 0;
    char line[160];
    (void)snprintf(line, sizeof line, "%s %s %s %s", is_sorted ? first : second,
                   is_sorted ? second : first, trace_name(t, a->object), grade);
    lines_add(l, line);
}

static uint32_t handler_after(const struct rules *r, event_id recv)
{
    for (uint32_t i = 0; i < r->handlers.count; i++) {
        if (r->handlers.at[i].recv == recv) {
            return i;
        }
    }
    return RULES_NONE;
}

static bool are_conflicting(const struct trace *t, event_id a, event_id b)
{
    const struct event *first = trace_at(t, a);
    const struct event *second = trace_at(t, b);
    const bool are_accesses = rules_event_accesses(first) && rules_event_accesses(second);
    const bool are_atomic =
        event_class(first) == CLASS_ATOMIC && event_class(second) == CLASS_ATOMIC;
    return are_accesses && !are_atomic &&
           (rules_event_writes(first) || rules_event_writes(second)) &&
           first->object == second->object;
}

/* The accesses that conflict between the handlers of two racing messages, sent by `send` and
 * received by `recv`. */
static void add_conflicts(struct lines *l, const struct rules *r, struct rules_pair pair)
{
    uint32_t later = RULES_NONE;
    vec_each (&r->messages, m) {
        if (m->send == pair.a) {
            later = handler_after(r, m->recv);
        }
    }
    const uint32_t earlier = handler_after(r, pair.b);
    for (event_id a = 0; a < r->count && later != RULES_NONE && earlier != RULES_NONE; a++) {
        for (event_id b = 0; b < r->count; b++) {
            if (r->handler_of[a] == earlier && r->handler_of[b] == later &&
                are_conflicting(r->t, a, b)) {
                add_race(l, r->t, (struct rules_pair){.a = a, .b = b}, "any");
            }
        }
    }
}

static void find_races(struct lines *l, const struct trace *t)
{
    struct rules r;
    struct arena arena = {0};
    rules_read(&r, t);
    struct slow_answer strict = slow_answer_take(&arena, &r);
    struct slow_answer feasible = slow_answer_take(&arena, &r);
    CHECK(slow_by_states(&r, SLOW_STRICT, &strict));
    CHECK(slow_by_states(&r, SLOW_FEASIBLE, &feasible));
    for (size_t i = 0; i < r.data_candidates.count; i++) {
        if (strict.data[i]) {
            add_race(l, t, r.data_candidates.at[i], feasible.data[i] ? "sound" : "may");
        }
    }
    for (size_t i = 0; i < r.message_candidates.count; i++) {
        if (strict.message[i]) {
            add_conflicts(l, &r, r.message_candidates.at[i]);
        }
    }
    rules_release(&r);
    arena_release(&arena);
}

static void load_lines(struct lines *l, const char *path)
{
    struct in in;
    struct err e;
    CHECK(in_open(&in, path, &e) == 0);
    CHECK(in_fill(&in, 1 << 16, &e) >= 0);
    size_t from = 0;
    for (size_t i = 0; i < in.available; i++) {
        if (in.at[i] == '\n') {
            char line[160];
            (void)snprintf(line, sizeof line, "%.*s", (int)(i - from), in.at + from);
            lines_add(l, line);
            from = i + 1;
        }
    }
    in_close(&in);
}

static bool has_line(const struct lines *l, const char *line)
{
    for (size_t i = 0; i < l->count; i++) {
        if (strcmp(l->text[i], line) == 0) {
            return true;
        }
    }
    return false;
}

static void check_litmus(const char *folder, const char *name)
{
    char path[1024];
    struct lines found = {.count = 0};
    struct lines expected = {.count = 0};
    struct trace t;
    (void)snprintf(path, sizeof path, "%s/%s.log", folder, name);
    load_falcon(&t, path);
    find_races(&found, &t);
    (void)snprintf(path, sizeof path, "%s/%s.expect", folder, name);
    load_lines(&expected, path);
    for (size_t i = 0; i < found.count; i++) {
        if (!has_line(&expected, found.text[i])) {
            fail_msg("%s: not listed: %s", name, found.text[i]);
        }
    }
    if (expected.count != found.count) {
        fail_msg("%s: %zu races listed, %zu found", name, expected.count, found.count);
    }
    trace_release(&t);
}

TEST(litmus_traces_allow_exactly_what_they_list)
{
    char folder[512];
    const char *source = getenv("CLEW_SOURCE");
    CHECK(source != NULL);
    (void)snprintf(folder, sizeof folder, "%s/test/litmus", source);
    DIR *directory = opendir(folder);
    CHECK(directory != NULL);
    size_t count = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        char name[256];
        const char *ending = strstr(entry->d_name, ".log");
        if (ending != NULL) {
            (void)snprintf(name, sizeof name, "%.*s", (int)(ending - entry->d_name), entry->d_name);
            check_litmus(folder, name);
            count++;
        }
    }
    (void)closedir(directory);
    CHECK(count >= 15);
}
