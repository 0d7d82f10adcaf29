#include "campaign/campaign.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out.h"
#include "campaigns.h"
#include "fault.h"
#include "mutate.h"
#include "scratch.h"
#include "test.h"

static struct campaign *open_at(const char *path, bool is_resumed)
{
    struct campaign *c = NULL;
    struct err e = {.text = ""};
    const struct campaign_options options = campaign_for(path, is_resumed);
    if (campaign_open(&c, &options, &e) < 0) {
        fail_msg("%s", e.text);
    }
    return c;
}

static void work(struct campaign *c, uint32_t job_count, uint32_t run_count)
{
    struct err e = {.text = ""};
    for (uint32_t i = 0; i < job_count; i++) {
        struct campaign_job job;
        if (campaign_take(c, run_count, &job, &e) < 0 ||
            campaign_work(c, &job, NULL, NULL, &e) < 0) {
            fail_msg("%s", e.text);
        }
    }
}

static void read_account(struct account *a, const char *path)
{
    struct err e = {.text = ""};
    *a = (struct account){0};
    if (account_read(a, path, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

TEST(what_was_done_is_told)
{
    const char *path = scratch_path("told.campaign");
    struct campaign *c = open_at(path, false);
    CHECK_TEXT(campaign_path(c), path);
    struct err e;
    static const struct campaign_block blocks[] = {{.index = 0, .place = "bank.c:1 main"},
                                                   {.index = 1, .place = "bank.c:2 main"},
                                                   {.index = 7, .place = "bank.c:9 never"}};
    struct campaign_job job;
    CHECK_INT(campaign_take(c, 100, &job, &e), 0);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        campaign_cover(c, &blocks[i]);
    }
    CHECK_INT(campaign_work(c, &job, NULL, NULL, &e), 0);
    work(c, 2, 100);
    struct account a;
    read_account(&a, path); /* while it is in use */
    campaign_close(c);
    CHECK_INT(a.run_count, 300);
    CHECK_INT(a.job_count, 3);
    CHECK_INT(a.job_open_count, 0);
    CHECK_INT(a.session_count, 1);
    CHECK_INT(a.steps_least, 10);
    CHECK_INT(a.steps_most, 14);
    CHECK_INT(a.step_count, 60 * (10 + 11 + 12 + 13 + 14));
    CHECK_INT(a.execution_count, 64);
    CHECK_INT(a.state_count, 7); /* 0 is none */
    CHECK_TEXT(a.about.settings, "net fifo, faults crash=1");
    CHECK_INT(a.about.seed, 42);
    CHECK_INT(a.violations.count, 18);
    CHECK_TEXT(a.violations.at[0].violation.key, "bug:0");
    CHECK_TEXT(a.violations.at[0].violation.schedule, "violations/1.sched");
    CHECK_TEXT(a.violations.at[0].violation.values, "n1.balance = 3");
    CHECK_INT(a.violations.at[0].violation.run, 5);
    CHECK_INT(a.violations.at[0].run_count, 1);
    CHECK_INT(a.properties.count, 1);
    CHECK_INT(a.properties.at[0].checks, 3000);
    CHECK_INT(a.properties.at[0].skips, 150);
    CHECK_INT(a.properties.at[0].failures, 18);
    CHECK_INT(a.blocks.count, 4);
    CHECK_INT(a.blocks.at[1].count, 200);
    CHECK_INT(a.blocks.at[1].nodes, 15);
    CHECK_TEXT(a.blocks.at[1].place, "bank.c:2 main");
    CHECK_INT(a.blocks.at[3].count, 0);
    CHECK_INT(a.outcomes.count, 4);
    account_release(&a);
}

TEST(a_resumed_campaign_goes_on_where_it_was)
{
    const char *path = scratch_path("resumed.campaign");
    struct campaign *c = open_at(path, false);
    work(c, 2, 50);
    /* Begun, and left. */
    struct campaign_job job;
    struct err e;
    CHECK_INT(campaign_take(c, 30, &job, &e), 0);
    CHECK_INT(job.first, 100);
    campaign_close(c);

    c = open_at(path, true);
    CHECK_INT(campaign_take(c, 10, &job, &e), 0);
    CHECK_INT(job.first, 100);
    CHECK_INT(job.count, 30);
    CHECK(job.is_again);
    CHECK_INT(campaign_work(c, &job, NULL, NULL, &e), 0);
    CHECK_INT(campaign_take(c, 10, &job, &e), 0);
    CHECK_INT(job.first, 130);
    CHECK(!job.is_again);
    campaign_close(c);
    struct account a;
    read_account(&a, path);
    CHECK_INT(a.run_count, 130);
    CHECK_INT(a.session_count, 2);
    CHECK_INT(a.job_open_count, 1);
    account_release(&a);
}

static void make_one(struct campaign *c)
{
    campaign_run(c,
                 &(struct campaign_run){.strategy = "pct", .outcome = "passed", .violation = ""});
}

TEST(numbers_that_were_not_made_are_given_back)
{
    struct campaign *c = open_at(scratch_path("back.campaign"), false);
    struct campaign_job job;
    struct err e;
    CHECK_INT(campaign_take(c, 10, &job, &e), 0);
    make_one(c);
    CHECK_INT(campaign_done(c, &e), 0);
    CHECK_INT(campaign_take(c, 10, &job, &e), 0);
    CHECK_INT(job.first, 1);
    CHECK_INT(job.count, 10);
    CHECK(!job.is_again);
    campaign_close(c);
}

/* Another process has taken the numbers behind: the rest becomes a job of its own. */
TEST(what_was_not_made_of_a_job_is_left_for_another)
{
    struct campaign *c = open_at(scratch_path("part.campaign"), false);
    struct campaign_job job;
    struct err e;
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    campaign_pause(c);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        char go = 0;
        must(read(ends[0], &go, 1) == 1);
        work(c, 1, 10);
        campaign_close(c);
        _exit(0);
    }
    CHECK_INT(campaign_take(c, 10, &job, &e), 0);
    CHECK_INT(write(ends[1], "!", 1), 1);
    int status = 0;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    make_one(c);
    CHECK_INT(campaign_done(c, &e), 0);
    CHECK_INT(campaign_take(c, 10, &job, &e), 0);
    CHECK_INT(job.first, 1);
    CHECK_INT(job.count, 9);
    CHECK(job.is_again);
    campaign_close(c);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

TEST(equal_runs_are_counted_and_kept_once)
{
    const char *path = scratch_path("equal.campaign");
    struct campaign *c = open_at(path, false);
    struct campaign_job job;
    struct err e = {.text = ""};
    CHECK_INT(campaign_take(c, 100, &job, &e), 0);
    for (uint64_t i = 0; i < 90; i++) {
        campaign_run(c, &(struct campaign_run){.number = job.first + i,
                                               .seed = i,
                                               .strategy = i % 2 == 0 ? "pos" : "pct",
                                               .outcome = "passed",
                                               .violation = "",
                                               .steps = 7 + i % 3,
                                               .execution_hash = 100 + i % 3});
    }
    CHECK_INT(campaign_done(c, &e), 0);
    campaign_close(c);
    struct account a = {0};
    CHECK_INT(account_read(&a, path, &e), 0);
    CHECK_INT(a.run_count, 90);
    CHECK_INT(a.step_count, 30 * (7 + 8 + 9));
    CHECK_INT(a.execution_count, 3);
    CHECK_INT(a.outcomes.count, 2);
    CHECK_INT(a.outcomes.at[0].run_count, 45);
    CHECK_INT(a.steps_least, 7);
    CHECK_INT(a.steps_most, 9);
    account_release(&a);
    c = open_at(path, true);
    CHECK_INT(campaign_take(c, 10, &job, &e), 0);
    CHECK_INT(job.first, 90);
    campaign_close(c);
}

TEST(what_is_kept_is_found_again)
{
    struct campaign *c = open_at(scratch_path("kept.campaign"), false);
    struct campaign_job job;
    struct err e;
    CHECK_INT(campaign_take(c, 1, &job, &e), 0);
    make_one(c);
    campaign_keep(c, "frontier", "a\0b", 3);
    CHECK_INT(campaign_done(c, &e), 0);
    void *bytes = NULL;
    size_t size = 0;
    CHECK_INT(campaign_kept(c, "frontier", &bytes, &size, &e), 0);
    CHECK_INT(size, 3);
    CHECK_INT(memcmp(bytes, "a\0b", 3), 0);
    mem_free(bytes);
    CHECK_INT(campaign_kept(c, "nothing", &bytes, &size, &e), 0);
    CHECK(bytes == NULL);
    campaign_close(c);
}

TEST(a_violation_is_saved_once)
{
    const char *path = scratch_path("once.campaign");
    struct campaign *c = open_at(path, false);
    struct err e;
    const struct campaign_violation first = {.key = "k",
                                             .kind = "crash",
                                             .property = "",
                                             .what = "first",
                                             .values = "",
                                             .schedule = "a.sched",
                                             .trace = ""};
    struct campaign_violation second = first;
    second.what = "second";
    bool is_known = true;
    CHECK_INT(campaign_is_known(c, "k", &is_known, &e), 0);
    CHECK(!is_known);
    CHECK_INT(campaign_save(c, &first, &e), 0);
    CHECK_INT(campaign_save(c, &second, &e), 0);
    CHECK_INT(campaign_is_known(c, "k", &is_known, &e), 0);
    CHECK(is_known);
    campaign_close(c);
    struct account a;
    read_account(&a, path);
    CHECK_INT(a.violations.count, 1);
    CHECK_TEXT(a.violations.at[0].violation.what, "first");
    account_release(&a);
}

/* Saves the violation of a run, if it is the first; the name of its files. */
static bool save_first(struct campaign *c, uint64_t run, char name[CAMPAIGN_NAME_SIZE])
{
    struct err e;
    bool is_wanted = false;
    CHECK_INT(campaign_begin_save(c, "k", run, &is_wanted, name, &e), 0);
    if (!is_wanted) {
        return false;
    }
    char schedule[CAMPAIGN_NAME_SIZE + sizeof ".sched"];
    (void)snprintf(schedule, sizeof schedule, "%s.sched", name);
    const struct campaign_violation v = {.key = "k",
                                         .kind = "crash",
                                         .property = "",
                                         .what = "",
                                         .values = "",
                                         .run = run,
                                         .schedule = schedule,
                                         .trace = ""};
    CHECK_INT(campaign_save(c, &v, &e), 0);
    return true;
}

TEST(the_violation_of_the_first_run_replaces_that_of_a_later_one)
{
    const char *path = scratch_path("first.campaign");
    struct campaign *c = open_at(path, false);
    char name[CAMPAIGN_NAME_SIZE];
    CHECK(save_first(c, 8, name));
    CHECK_TEXT(name, "violations/1");
    CHECK(!save_first(c, 9, name));
    CHECK(save_first(c, 3, name));
    CHECK_TEXT(name, "violations/1");
    CHECK(!save_first(c, 3, name));
    campaign_close(c);
    struct account a;
    read_account(&a, path);
    CHECK_INT(a.violations.count, 1);
    CHECK_INT(a.violations.at[0].violation.run, 3);
    CHECK_TEXT(a.violations.at[0].violation.schedule, "violations/1.sched");
    account_release(&a);
}

TEST(a_violation_that_could_not_be_written_is_not_saved)
{
    const char *path = scratch_path("unwritten.campaign");
    struct campaign *c = open_at(path, false);
    char name[CAMPAIGN_NAME_SIZE];
    struct err e;
    bool is_wanted = false;
    CHECK_INT(campaign_begin_save(c, "k", 2, &is_wanted, name, &e), 0);
    CHECK(is_wanted);
    campaign_save_not(c);
    CHECK(save_first(c, 5, name));
    campaign_close(c);
}

/* Several processes, each with jobs of its own */

TEST(processes_share_a_campaign)
{
    const char *path = scratch_path("shared.campaign");
    struct campaign *c = open_at(path, false);
    campaign_pause(c);
    enum { WORKERS = 3 };
    pid_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = fork();
        CHECK(workers[i] >= 0);
        if (workers[i] == 0) {
            work(c, 20, 10);
            campaign_close(c);
            _exit(0);
        }
    }
    work(c, 20, 10);
    for (int i = 0; i < WORKERS; i++) {
        int status = 0;
        CHECK_INT(waitpid(workers[i], &status, 0), workers[i]);
        CHECK_INT(status, 0);
    }
    campaign_close(c);
    struct account a;
    read_account(&a, path);
    CHECK_INT(a.run_count, 800); /* no number twice: they are keys */
    CHECK_INT(a.job_count, 80);
    CHECK_INT(a.properties.at[0].checks, 8000);
    CHECK_INT(a.violations.count, 40);
    account_release(&a);
}

/* What is wrong is said */

static void check_refused(const struct campaign_options *o, const char *format, ...)
    PRINTF_LIKE(2, 3);
static void check_refused(const struct campaign_options *o, const char *format, ...)
{
    char wanted[600];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(wanted, sizeof wanted, format, arguments);
    va_end(arguments);
    struct campaign *c = NULL;
    struct err e = {.text = ""};
    CHECK_INT(campaign_open(&c, o, &e), -1);
    CHECK_TEXT(e.text, wanted);
}

TEST(a_campaign_in_use_is_locked)
{
    const char *path = scratch_path("locked.campaign");
    struct campaign *c = open_at(path, false);
    struct campaign_options options = campaign_for(path, true);
    check_refused(&options, "%s: in use by another clew (process %d)", path, (int)getpid());
    campaign_close(c);
    c = open_at(path, true);
    campaign_close(c);
}

TEST(what_is_or_is_not_there_is_named)
{
    const char *path = scratch_path("there.campaign");
    struct campaign_options options = campaign_for(path, true);
    check_refused(&options, "%s: no campaign is there", path);
    options.is_resumed = false;
    campaign_close(open_at(path, false));
    check_refused(&options, "%s/campaign.db: is there already (--resume goes on with a campaign)",
                  path);
    options = campaign_for(path, true);
    options.about.build = "0000";
    check_refused(
        &options,
        "%s: was begun with build \"5f3a9c\", not build \"0000\": give the same, or begin another",
        path);
    options = campaign_for(path, true);
    options.about.seed = 43;
    check_refused(
        &options,
        "%s: was begun with seed \"42\", not seed \"43\": give the same, or begin another", path);
    options = campaign_for(scratch_path("no/such/folder"), false);
    check_refused(&options, "%s: No such file or directory", options.path);
}

/* Changes the database behind clew's back. */
static void execute(const char *path, const char *text)
{
    char file[600];
    sqlite3 *sqlite = NULL;
    (void)snprintf(file, sizeof file, "%s/campaign.db", path);
    CHECK_INT(sqlite3_open(file, &sqlite), SQLITE_OK);
    CHECK_INT(sqlite3_exec(sqlite, text, NULL, NULL, NULL), SQLITE_OK);
    CHECK_INT(sqlite3_close(sqlite), SQLITE_OK);
}

TEST(another_version_or_another_database_is_refused)
{
    const char *path = scratch_path("version.campaign");
    campaign_close(open_at(path, false));
    execute(path, "PRAGMA user_version = 4");
    struct campaign_options options = campaign_for(path, true);
    check_refused(&options, "%s/campaign.db: version 4; this clew reads version 3 only", path);
    execute(path, "PRAGMA user_version = 3; DELETE FROM about WHERE name = 'world'");
    check_refused(&options, "%s: no campaign (it does not say its world)", path);
    execute(path, "PRAGMA application_id = 7");
    check_refused(&options, "%s/campaign.db: no campaign", path);
    execute(path, "PRAGMA application_id = 1668048247; DROP TABLE runs");
    struct account a = {0};
    struct err e = {.text = ""};
    CHECK_INT(account_read(&a, path, &e), -1);
    account_release(&a);
}

TEST(one_whose_making_was_interrupted_is_made)
{
    const char *path = scratch_path("interrupted.campaign");
    campaign_close(open_at(path, false));
    execute(path, "DELETE FROM about");
    campaign_close(open_at(path, false));
    campaign_close(open_at(path, true));
}

TEST(a_file_that_is_no_database_is_refused)
{
    const char *path = scratch_path("text.campaign");
    CHECK_INT(mkdir(path, 0777), 0);
    static const char text[] = "This was never a database, but a text that is long enough to be "
                               "taken for the page of one, if nobody looks at its beginning.";
    (void)scratch_write("text.campaign/campaign.db", text, sizeof text - 1);
    struct campaign_options options = campaign_for(path, true);
    check_refused(&options,
                  "%s/campaign.db: damaged (file is not a database); the schedules in violations/ "
                  "are not",
                  path);
}

/* Reads and resumes a campaign whose database has these bytes: it works, or there is an error. */
static uint64_t try_bytes(const char *path, const struct mutant *mutant)
{
    char file[600];
    (void)snprintf(file, sizeof file, "%s/campaign.db-wal", path);
    (void)unlink(file);
    (void)snprintf(file, sizeof file, "%s/campaign.db-shm", path);
    (void)unlink(file);
    (void)scratch_write("damaged.campaign/campaign.db", mutant->bytes, mutant->size);
    struct err e = {.text = ""};
    struct account a = {0};
    const bool is_read = account_read(&a, path, &e) == 0;
    account_release(&a);
    CHECK(is_read || e.text[0] != '\0');
    CHECK(strstr(e.text, "***") == NULL); /* which says nothing */
    struct campaign *c = NULL;
    e.text[0] = '\0';
    const struct campaign_options options = campaign_for(path, true);
    struct campaign_job job;
    const bool is_resumed = campaign_open(&c, &options, &e) == 0 &&
                            campaign_take(c, 5, &job, &e) == 0 && job.count < 1000 &&
                            campaign_work(c, &job, NULL, NULL, &e) == 0;
    CHECK(is_resumed || e.text[0] != '\0' || job.count >= 1000);
    campaign_close(is_resumed || c != NULL ? c : NULL);
    return is_read ? 0 : 1;
}

TEST(damage_is_an_error_and_never_a_crash)
{
    const char *path = scratch_path("damaged.campaign");
    struct campaign *c = open_at(path, false);
    work(c, 4, 50);
    campaign_close(c);
    size_t size = 0;
    char *bytes = scratch_read(scratch_path("damaged.campaign/campaign.db"), &size);
    CHECK(bytes != NULL);
    struct mutator m;
    mutator_init(&m, 7);
    mutator_add(&m, bytes, size);
    const uint64_t count = test_count(60, 10000);
    uint64_t refused = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct mutant mutant = mutator_next(&m);
        refused += try_bytes(path, &mutant);
    }
    CHECK(refused > count / 4);
    mutator_release(&m);
    mem_free(bytes);
}

/* Every call that leaves the program fails once */

static int run_campaign(void *context)
{
    const char *path = context;
    struct campaign *c = NULL;
    struct err e = {.text = ""};
    const struct campaign_options options = campaign_for(path, true);
    struct campaign_job job;
    int result = campaign_open(&c, &options, &e);
    if (result == 0) {
        result = campaign_take(c, 3, &job, &e) < 0 ? -1 : campaign_work(c, &job, NULL, NULL, &e);
        campaign_close(c);
    }
    return result < 0 ? fault_told(&e) : 0;
}

TEST(every_call_of_a_resumed_campaign_fails_once)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s", scratch_path("fault.campaign"));
    struct campaign *c = open_at(path, false);
    work(c, 1, 20);
    campaign_close(c);
    CHECK(fault_sweep(&(struct fault_sweep){.run = run_campaign, .context = path}) > 60);
    /* Nothing of it harmed the campaign. */
    struct account a;
    read_account(&a, path);
    CHECK(a.run_count >= 23);
    account_release(&a);
}

static int make_campaign(void *context)
{
    const char *path = context;
    struct campaign *c = NULL;
    struct err e = {.text = ""};
    const struct campaign_options options = campaign_for(path, false);
    const int result = campaign_open(&c, &options, &e);
    if (result < 0) {
        return fault_told(&e);
    }
    campaign_close(c);
    char file[700];
    (void)snprintf(file, sizeof file, "%s/campaign.db", path);
    return unlink(file) == 0 ? 0 : 1;
}

TEST(every_call_of_a_new_campaign_fails_once)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s", scratch_path("new.campaign"));
    struct campaign *c = open_at(path, false);
    campaign_close(c);
    char file[700];
    (void)snprintf(file, sizeof file, "%s/campaign.db", path);
    CHECK_INT(unlink(file), 0);
    CHECK(fault_sweep(&(struct fault_sweep){.run = make_campaign, .context = path}) > 10);
}
