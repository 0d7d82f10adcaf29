#include "campaign/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "campaign/database.h"

struct reader {
    struct account *account;
    struct database database;
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
        read_fact(r, "settings", &about->settings) < 0 || read_fact(r, "seed", &seed) < 0) {
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

static void take_runs(struct reader *r)
{
    struct account *a = r->account;
    a->run_count = take_number(r, SQL_READ_RUNS, 0);
    a->step_count = take_number(r, SQL_READ_RUNS, 1);
    a->steps_least = take_number(r, SQL_READ_RUNS, 2);
    a->steps_most = take_number(r, SQL_READ_RUNS, 3);
    a->execution_count = take_number(r, SQL_READ_RUNS, 4);
    a->state_count = take_number(r, SQL_READ_RUNS, 5);
}

static void take_jobs(struct reader *r)
{
    r->account->job_open_count = take_number(r, SQL_READ_JOBS, 1);
    r->account->job_count = take_number(r, SQL_READ_JOBS, 0) - r->account->job_open_count;
}

static void take_outcome(struct reader *r)
{
    vec_push(&r->account->outcomes,
             (struct account_outcome){.strategy = take_text(r, SQL_READ_OUTCOMES, 0),
                                      .outcome = take_text(r, SQL_READ_OUTCOMES, 1),
                                      .run_count = take_number(r, SQL_READ_OUTCOMES, 2),
                                      .step_count = take_number(r, SQL_READ_OUTCOMES, 3)});
}

static void take_violation(struct reader *r)
{
    const enum statement_id id = SQL_READ_VIOLATIONS;
    vec_push(&r->account->violations,
             (struct account_violation){.id = take_number(r, id, 0),
                                        .violation = {.key = take_text(r, id, 1),
                                                      .kind = take_text(r, id, 2),
                                                      .property = take_text(r, id, 3),
                                                      .what = take_text(r, id, 4),
                                                      .values = take_text(r, id, 5),
                                                      .run = take_number(r, id, 6),
                                                      .step = take_number(r, id, 7),
                                                      .schedule = take_text(r, id, 8),
                                                      .trace = take_text(r, id, 9)},
                                        .run_count = take_number(r, id, 10)});
}

static void take_property(struct reader *r)
{
    vec_push(&r->account->properties,
             (struct campaign_property){.name = take_text(r, SQL_READ_PROPERTIES, 0),
                                        .text = take_text(r, SQL_READ_PROPERTIES, 1),
                                        .checks = take_number(r, SQL_READ_PROPERTIES, 2),
                                        .skips = take_number(r, SQL_READ_PROPERTIES, 3),
                                        .failures = take_number(r, SQL_READ_PROPERTIES, 4)});
}

static void take_block(struct reader *r)
{
    vec_push(&r->account->blocks,
             (struct campaign_block){.index = (uint32_t)take_number(r, SQL_READ_BLOCKS, 0),
                                     .count = take_number(r, SQL_READ_BLOCKS, 1),
                                     .nodes = take_number(r, SQL_READ_BLOCKS, 2),
                                     .place = take_text(r, SQL_READ_BLOCKS, 3)});
}

static const struct {
    enum statement_id id;
    void (*take)(struct reader *r); /* takes a row */
} questions[] = {
    {SQL_READ_RUNS, take_runs},           {SQL_READ_JOBS, take_jobs},
    {SQL_READ_OUTCOMES, take_outcome},    {SQL_READ_VIOLATIONS, take_violation},
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
            questions[i].take(r);
        }
        if (more < 0) {
            return -1;
        }
    }
    return 0;
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
    database_close(&r.database);
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
