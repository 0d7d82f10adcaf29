#include "campaign/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/map.h"
#include "campaign/database.h"
#include "campaign/record.h"

enum { WORDS_MAX = 1 << 24 };

struct reader {
    struct account *account;
    struct database database;
    VEC(const char *) words; /* by id */
    struct map outcomes;     /* (strategy, outcome) to index */
    struct map executions;   /* hashes seen */
    struct map states;
    struct map violating; /* the key's word to the number of runs */
    struct err *e;
};

static const char *take_text(struct reader *r, enum statement_id id, int column)
{
    const char *text = database_text(&r->database, id, column);
    return arena_text(&r->account->arena, text, strlen(text));
}

static uint64_t take_number(struct reader *r, enum statement_id id, int column)
{
    return database_number(&r->database, id, column);
}

static int read_fact(struct reader *r, const char *name, const char **value)
{
    if (DATABASE_ASK(&r->database, SQL_ABOUT_GET, r->e, TEXT(name)) < 0) {
        return -1;
    }
    const int more = database_next(&r->database, SQL_ABOUT_GET, r->e);
    if (more <= 0) {
        return more < 0 ? -1
                        : err_set(r->e, "%s: no campaign (it does not say its %s)",
                                  r->database.path, name);
    }
    *value = take_text(r, SQL_ABOUT_GET, 0);
    database_end(&r->database, SQL_ABOUT_GET);
    return 0;
}

static int read_about(struct reader *r)
{
    struct campaign_about *about = &r->account->about;
    const char *seed = "";
    if (read_fact(r, "system", &about->system) < 0 || read_fact(r, "build", &about->build) < 0 ||
        read_fact(r, "world", &about->world) < 0 ||
        read_fact(r, "strategy", &about->strategy) < 0 ||
        read_fact(r, "settings", &about->settings) < 0 ||
        read_fact(r, "replay", &about->replay) < 0 || read_fact(r, "seed", &seed) < 0) {
        return -1;
    }
    about->seed = strtoull(seed, NULL, 10);
    if (DATABASE_ASK(&r->database, SQL_NUMBER_GET, r->e, TEXT("sessions")) < 0) {
        return -1;
    }
    const int more = database_next(&r->database, SQL_NUMBER_GET, r->e);
    if (more > 0) {
        r->account->session_count = take_number(r, SQL_NUMBER_GET, 0);
        database_end(&r->database, SQL_NUMBER_GET);
    }
    return more < 0 ? -1 : 0;
}

static int take_word(struct reader *r)
{
    const uint64_t id = take_number(r, SQL_READ_WORDS, 0);
    if (id > WORDS_MAX) {
        return err_set(r->e, "%s: damaged (word %llu)", r->database.path, (unsigned long long)id);
    }
    while (r->words.count <= id) {
        vec_push(&r->words, "");
    }
    r->words.at[id] = take_text(r, SQL_READ_WORDS, 1);
    return 0;
}

static const char *word_of(const struct reader *r, uint32_t id)
{
    return id < r->words.count ? r->words.at[id] : "";
}

static void count_outcome(struct reader *r, const struct run_record *record)
{
    struct account *a = r->account;
    bool is_new = false;
    const uint32_t at = *map_slot(&r->outcomes, map_pair(record->strategy, record->outcome),
                                  (uint32_t)a->outcomes.count, &is_new);
    if (is_new) {
        vec_push(&a->outcomes, (struct account_outcome){.strategy = word_of(r, record->strategy),
                                                        .outcome = word_of(r, record->outcome)});
    }
    must(at < a->outcomes.count);
    a->outcomes.at[at].run_count += record->count;
    a->outcomes.at[at].step_count += record->steps * record->count;
}

static void count_run(struct reader *r, const struct run_record *record)
{
    struct account *a = r->account;
    bool is_new = false;
    a->steps_least =
        a->run_count == 0 || record->steps < a->steps_least ? record->steps : a->steps_least;
    a->steps_most = record->steps > a->steps_most ? record->steps : a->steps_most;
    a->run_count += record->count;
    must(a->steps_least <= a->steps_most);
    a->step_count += record->steps * record->count;
    (void)map_slot(&r->executions, record->execution_hash, 0, &is_new);
    a->execution_count += is_new;
    if (record->state_hash != 0) {
        (void)map_slot(&r->states, record->state_hash, 0, &is_new);
        a->state_count += is_new;
    }
    if (record->violation != 0) {
        *map_slot(&r->violating, record->violation, 0, NULL) += (uint32_t)record->count;
    }
    count_outcome(r, record);
}

static int take_runs(struct reader *r)
{
    const struct value value = database_bytes(&r->database, SQL_READ_RUNS, 1);
    struct run_record record;
    if (value.size % sizeof record != 0) {
        return err_set(r->e, "%s: damaged (runs of job %llu)", r->database.path,
                       (unsigned long long)take_number(r, SQL_READ_RUNS, 0));
    }
    for (size_t at = 0; at < value.size; at += sizeof record) {
        memcpy(&record, (const char *)value.bytes + at, sizeof record);
        count_run(r, &record);
    }
    return 0;
}

static int take_jobs(struct reader *r)
{
    r->account->job_open_count = take_number(r, SQL_READ_JOBS, 1);
    r->account->job_count = take_number(r, SQL_READ_JOBS, 0) - r->account->job_open_count;
    return 0;
}

static int take_violation(struct reader *r)
{
    const enum statement_id id = SQL_READ_VIOLATIONS;
    vec_push(&r->account->violations,
             (struct account_violation){.id = take_number(r, id, 0),
                                        .violation = {.key = take_text(r, id, 1),
                                                      .kind = take_text(r, id, 2),
                                                      .severity = take_text(r, id, 3),
                                                      .property = take_text(r, id, 4),
                                                      .what = take_text(r, id, 5),
                                                      .values = take_text(r, id, 6),
                                                      .run = take_number(r, id, 7),
                                                      .step = take_number(r, id, 8),
                                                      .schedule = take_text(r, id, 9),
                                                      .trace = take_text(r, id, 10)}});
    return 0;
}

static int take_property(struct reader *r)
{
    vec_push(&r->account->properties,
             (struct campaign_property){.name = take_text(r, SQL_READ_PROPERTIES, 0),
                                        .text = take_text(r, SQL_READ_PROPERTIES, 1),
                                        .checks = take_number(r, SQL_READ_PROPERTIES, 2),
                                        .skips = take_number(r, SQL_READ_PROPERTIES, 3),
                                        .failures = take_number(r, SQL_READ_PROPERTIES, 4)});
    return 0;
}

static int take_block(struct reader *r)
{
    vec_push(&r->account->blocks,
             (struct campaign_block){.index = (uint32_t)take_number(r, SQL_READ_BLOCKS, 0),
                                     .count = take_number(r, SQL_READ_BLOCKS, 1),
                                     .nodes = take_number(r, SQL_READ_BLOCKS, 2),
                                     .place = take_text(r, SQL_READ_BLOCKS, 3)});
    return 0;
}

static const struct {
    enum statement_id id;
    int (*take)(struct reader *r); /* takes a row */
} questions[] = {
    {SQL_READ_WORDS, take_word},          {SQL_READ_RUNS, take_runs},
    {SQL_READ_JOBS, take_jobs},           {SQL_READ_VIOLATIONS, take_violation},
    {SQL_READ_PROPERTIES, take_property}, {SQL_READ_BLOCKS, take_block},
};

static int read_rows(struct reader *r)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        if (database_ask(&r->database, questions[i].id, NULL, 0, r->e) < 0) {
            return -1;
        }
        int more = 0;
        while ((more = database_next(&r->database, questions[i].id, r->e)) > 0) {
            if (questions[i].take(r) < 0) {
                database_end(&r->database, questions[i].id);
                return -1;
            }
        }
        if (more < 0) {
            return -1;
        }
    }
    return 0;
}

/* Counts the runs that showed each violation. */
static void count_violating(struct reader *r)
{
    vec_each (&r->violating.entries, entry) {
        const char *key = word_of(r, (uint32_t)entry->key);
        vec_each (&r->account->violations, v) {
            if (strcmp(v->violation.key, key) == 0) {
                v->run_count = entry->value;
            }
        }
    }
}

int account_read(struct account *a, const char *path, struct err *e)
{
    const size_t size = strlen(path) + sizeof "/campaign.db";
    char *file = arena_array(&a->arena, char, size);
    (void)snprintf(file, size, "%s/campaign.db", path);
    struct stat status;
    if (stat(file, &status) < 0) {
        return errno == ENOENT || errno == ENOTDIR ? err_set(e, "%s: no campaign is there", path)
                                                   : err_set(e, "%s: %s", file, strerror(errno));
    }
    struct reader r = {.account = a, .e = e};
    if (database_open(&r.database, file, DATABASE_READ, e) < 0) {
        return -1;
    }
    const int result = read_about(&r) < 0 ? -1 : read_rows(&r);
    if (result == 0) {
        count_violating(&r);
    }
    database_close(&r.database);
    vec_release(&r.words);
    map_release(&r.outcomes);
    map_release(&r.executions);
    map_release(&r.states);
    map_release(&r.violating);
    return result;
}

void account_release(struct account *a)
{
    vec_release(&a->outcomes);
    vec_release(&a->violations);
    vec_release(&a->properties);
    vec_release(&a->blocks);
    arena_release(&a->arena);
}
