#include "campaign/campaign.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "campaigns.h"
#include "scratch.h"
#include "test.h"
#include "wire/prng.h"

enum { BATCH = 20 };

/* What a search tells through a pipe before it is killed. */
struct told {
    enum { TOLD_SAVED, TOLD_TAKEN, TOLD_DONE } what;
    uint64_t first;
    uint32_t count;
    char key[40];
};

static void tell(int fd, const struct told *told)
{
    must(write(fd, told, sizeof *told) == sizeof *told);
}

static void tell_saved(void *context, const char *key)
{
    struct told told = {.what = TOLD_SAVED};
    (void)snprintf(told.key, sizeof told.key, "%s", key);
    tell(*(const int *)context, &told);
}

/* Searches until it is killed. */
static _Noreturn void search(const char *path, bool is_resumed, int fd)
{
    struct campaign *c = NULL;
    struct err e = {.text = ""};
    const struct campaign_options options = campaign_for(path, is_resumed);
    if (campaign_open(&c, &options, &e) < 0) {
        (void)fprintf(stderr, "%s\n", e.text);
        _exit(3);
    }
    for (;;) {
        struct campaign_job job;
        if (campaign_take(c, BATCH, &job, &e) < 0) {
            break;
        }
        tell(fd, &(struct told){.what = TOLD_TAKEN, .first = job.first, .count = job.count});
        if (campaign_work(c, &job, tell_saved, &fd, &e) < 0) {
            break;
        }
        tell(fd, &(struct told){.what = TOLD_DONE, .first = job.first, .count = job.count});
    }
    (void)fprintf(stderr, "%s\n", e.text);
    _exit(3);
}

/* What all searches together have told. */
struct record {
    VEC(struct told) saved;
    VEC(struct told) done;
};

/* Takes what is told next; false when nothing more will be. */
static bool hear(struct record *r, int fd)
{
    struct told told;
    if (read(fd, &told, sizeof told) != sizeof told) {
        return false;
    }
    switch (told.what) {
    case TOLD_SAVED: vec_push(&r->saved, told); break;
    case TOLD_DONE: vec_push(&r->done, told); break;
    case TOLD_TAKEN:
        /* A job that was told to be done never comes again. */
        vec_each (&r->done, done) {
            CHECK(told.first + told.count <= done->first ||
                  done->first + done->count <= told.first);
        }
        break;
    }
    return true;
}

static void check_account(const struct record *r, const char *path)
{
    struct account a = {0};
    struct err e = {.text = ""};
    if (account_read(&a, path, &e) < 0) {
        fail_msg("%s", e.text);
    }
    uint64_t done = 0;
    vec_each (&r->done, job) {
        done += job->count;
    }
    /* All that was told to be done is there, and at most one batch per search more. */
    CHECK(a.run_count >= done);
    CHECK(a.run_count <= done + (uint64_t)BATCH * a.session_count);
    CHECK(a.job_open_count <= 1);
    CHECK_INT(a.properties.count == 0 ? 0 : a.properties.at[0].checks, a.run_count * 10);
    vec_each (&r->saved, saved) {
        bool is_there = false;
        vec_each (&a.violations, v) {
            is_there = is_there || strcmp(v->violation.key, saved->key) == 0;
        }
        if (!is_there) {
            fail_msg("%s was saved and is lost", saved->key);
        }
    }
    account_release(&a);
}

TEST(what_was_saved_survives_being_killed_at_any_instant)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s", scratch_path("killed.campaign"));
    struct record r = {0};
    struct prng prng;
    prng_init(&prng, 1);
    struct campaign *c = NULL;
    struct err e;
    const struct campaign_options options = campaign_for(path, false);
    CHECK_INT(campaign_open(&c, &options, &e), 0);
    campaign_close(c);
    for (int round = 0; round < 100; round++) {
        int ends[2];
        CHECK_INT(pipe(ends), 0);
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            (void)close(ends[0]);
            search(path, true, ends[1]);
        }
        (void)close(ends[1]);
        for (uint64_t heard = prng_below(&prng, 6); heard > 0 && hear(&r, ends[0]); heard--) {
        }
        const struct timespec pause = {.tv_nsec = (long)prng_below(&prng, 4000000)};
        (void)nanosleep(&pause, NULL);
        CHECK_INT(kill(child, SIGKILL), 0);
        int status = 0;
        CHECK_INT(waitpid(child, &status, 0), child);
        CHECK(WIFSIGNALED(status));
        while (hear(&r, ends[0])) {
        }
        (void)close(ends[0]);
        check_account(&r, path);
    }
    CHECK(r.done.count > 20);
    CHECK(r.saved.count > 5);
    vec_release(&r.saved);
    vec_release(&r.done);
}
