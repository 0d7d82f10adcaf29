#include "explore/campaign_log.h"

#include <stdio.h>
#include <string.h>

#include "base/directory_tree.h"
#include "base/mem.h"
#include "trace/format.h"

enum { JOB_SIZE_FIRST = 16, JOB_SIZE_MAX = 65536 };
static const uint64_t job_ns_wanted = 100000000;

/* Reports the blocks that the runs of the job have covered. */
static void tell_blocks(struct campaign_log *l)
{
    const struct world_block *blocks = NULL;
    const struct world_ops *ops = l->world->ops;
    const uint32_t count = ops->blocks == NULL ? 0 : ops->blocks(l->world, &blocks);
    for (uint32_t i = 0; i < count; i++) {
        campaign_cover(l->campaign, &(struct campaign_block){.index = blocks[i].index,
                                                             .count = blocks[i].count,
                                                             .nodes = blocks[i].nodes,
                                                             .place = blocks[i].place});
    }
}

/* Reports the results of properties in these runs. */
static void tell_properties(struct campaign_log *l)
{
    const struct world_property *properties = NULL;
    const struct world_ops *ops = l->world->ops;
    const uint32_t count = ops->properties == NULL ? 0 : ops->properties(l->world, &properties);
    for (uint32_t i = 0; i < count; i++) {
        campaign_check(l->campaign,
                       &(struct campaign_property){.name = properties[i].name,
                                                   .text = properties[i].text,
                                                   .checks = properties[i].checks,
                                                   .skips = properties[i].skips,
                                                   .failures = properties[i].failures});
    }
}

static void tell_counts(struct campaign_log *l)
{
    tell_blocks(l);
    tell_properties(l);
}

/* Discards the counts of a run that was made for its trace alone: it is no part of the search. */
static void forget_counts(const struct campaign_log *l)
{
    const struct world_block *blocks = NULL;
    const struct world_property *properties = NULL;
    if (l->world->ops->blocks != NULL) {
        (void)l->world->ops->blocks(l->world, &blocks);
    }
    if (l->world->ops->properties != NULL) {
        (void)l->world->ops->properties(l->world, &properties);
    }
}

/* The search, to be gone on with */

enum { PIECE_NAME_SIZE = 40 };
_Static_assert(PIECE_NAME_SIZE >= sizeof "search.18446744073709551615", "a name holds any number");

static const char *piece_name(char name[PIECE_NAME_SIZE], uint64_t piece)
{
    (void)snprintf(name, PIECE_NAME_SIZE, "search.%llu", (unsigned long long)piece);
    return name;
}

static void keep_search(struct campaign_log *l)
{
    struct out whole;
    struct out more;
    char name[PIECE_NAME_SIZE];
    out_open_memory(&whole);
    out_open_memory(&more);
    search_save(l->search, &whole, &more);
    if (more.used > 0) {
        campaign_keep(l->campaign, piece_name(name, l->kept_count++), more.buffer, more.used);
    }
    saved_put(&whole, l->kept_count);
    must(whole.used % sizeof(uint64_t) == 0 && more.used % sizeof(uint64_t) == 0);
    campaign_keep(l->campaign, "search", whole.buffer, whole.used);
    out_abandon(&whole);
    out_abandon(&more);
}

/* Adds a piece of the kept search. */
static int take_piece(struct campaign_log *l, uint64_t piece, struct out *all, struct err *e)
{
    char name[PIECE_NAME_SIZE];
    void *bytes = NULL;
    size_t size = 0;
    if (campaign_kept(l->campaign, piece_name(name, piece), &bytes, &size, e) < 0) {
        return -1;
    }
    const int result = bytes != NULL ? 0
                                     : err_set(e, "%s: damaged (a part of the search is missing)",
                                               campaign_path(l->campaign));
    if (result == 0) {
        out_bytes(all, bytes, size);
    }
    mem_free(bytes);
    return result;
}

static int resume_search(struct campaign_log *l, const char *bytes, size_t size, struct err *e)
{
    struct out more;
    struct saved saved = {.at = bytes, .left = size / sizeof(uint64_t)};
    if (saved.left == 0) {
        return err_set(e, "%s: damaged (the search is empty)", campaign_path(l->campaign));
    }
    saved.left--;
    memcpy(&l->kept_count, bytes + saved.left * sizeof(uint64_t), sizeof l->kept_count);
    out_open_memory(&more);
    int result = 0;
    for (uint64_t i = 0; result == 0 && i < l->kept_count; i++) {
        result = take_piece(l, i, &more, e);
    }
    if (result == 0) {
        struct saved pieces = {.at = more.buffer, .left = more.used / sizeof(uint64_t)};
        result = search_resume(l->search, l->world, &saved, &pieces, e);
        result = result == 0 ? 0 : err_wrap(e, "%s", campaign_path(l->campaign));
    }
    out_abandon(&more);
    return result;
}

int campaign_log_resume(struct campaign_log *l, struct err *e)
{
    void *bytes = NULL;
    size_t size = 0;
    if (l->search == NULL) {
        return 0;
    }
    if (campaign_kept(l->campaign, "search", &bytes, &size, e) < 0) {
        return -1;
    }
    const int result = bytes == NULL ? 0 : resume_search(l, bytes, size, e);
    mem_free(bytes);
    return result;
}

void campaign_log_renew(struct campaign_log *l, struct search *search)
{
    l->search = search;
    l->kept_count = 0;
}

/* Jobs */

static int finish_job(struct campaign_log *l, struct err *e)
{
    tell_counts(l);
    if (l->search != NULL) {
        keep_search(l);
    }
    if (campaign_done(l->campaign, e) < 0) {
        return -1;
    }
    const uint64_t taken_ns = limit_now_ns() - l->job_ns;
    if (taken_ns < job_ns_wanted / 2 && l->job_size < JOB_SIZE_MAX) {
        l->job_size *= 2;
    } else if (taken_ns > job_ns_wanted * 2 && l->job_size > 1) {
        l->job_size /= 2;
    }
    must(l->job_size >= 1 && l->job_size <= JOB_SIZE_MAX);
    l->has_job = false;
    return 0;
}

int campaign_log_next(struct campaign_log *l, uint64_t *number, struct err *e)
{
    if (l->campaign == NULL) {
        return 0;
    }
    l->job_size = l->job_size == 0 ? JOB_SIZE_FIRST : l->job_size;
    if (l->has_job && l->made == l->job.count && finish_job(l, e) < 0) {
        return -1;
    }
    if (!l->has_job) {
        if (campaign_take(l->campaign, l->job_size, &l->job, e) < 0) {
            return -1;
        }
        l->has_job = true;
        l->made = 0;
        l->job_ns = limit_now_ns();
    }
    *number = l->job.first + l->made;
    return 0;
}

void campaign_log_run(struct campaign_log *l, const struct plan *p, const struct execution *x)
{
    if (l->campaign == NULL) {
        return;
    }
    /* A violation of a run without checks is found again by a run with checks. */
    const bool is_violation = outcome_is_violation(x->outcome) && !p->is_blind;
    campaign_run(
        l->campaign,
        &(struct campaign_run){.number = l->job.first + l->made,
                               .seed = p->pick.seed,
                               .strategy = pick_strategy_name(p->pick.strategy),
                               .outcome = outcome_name(x->outcome),
                               .violation = is_violation ? x->key : "",
                               .steps = x->steps.count,
                               .execution_hash = x->hash,
                               .state_hash = x->steps.count == 0 ? 0 : vec_last(&x->steps)->state});
    l->made++;
}

static int write_schedule(const char *path, const char *text, struct err *e)
{
    struct out out;
    if (out_open(&out, path, e) < 0) {
        return -1;
    }
    out_text(&out, text);
    return out_close(&out, e);
}

/* The name of the property that was broken, which stands in the key behind the kind. */
static const char *property_of(enum finding_kind kind, const char *key)
{
    const char *name = strstr(key, ": ");
    const bool is_property =
        kind == FINDING_PROPERTY || kind == FINDING_LIVENESS || kind == FINDING_LIVELOCK;
    return is_property && name != NULL ? name + 2 : "";
}

void campaign_log_hold(struct campaign_log *l)
{
    if (l->campaign != NULL) {
        tell_counts(l);
    }
}

void campaign_log_go_on(struct campaign_log *l)
{
    if (l->campaign != NULL) {
        forget_counts(l);
    }
}

/* The files that the run left, beside its schedule. */
static int keep_files(const struct campaign_log *l, struct world *w, const char *name,
                      struct err *e)
{
    char path[4096];
    bool is_kept = false;
    (void)snprintf(path, sizeof path, "%s/%s.files", campaign_path(l->campaign), name);
    if (w->ops->keep == NULL) {
        return 0;
    }
    tree_remove(path); /* of a later run */
    return w->ops->keep(w, path, &is_kept, e);
}

/* The schedule, the trace and the files of a violation, which may replace those of a later run. */
static int write_files(const struct campaign_log *l, const struct violation *v,
                       const struct trace *t, const struct campaign_violation *row,
                       const char *name, struct err *e)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", campaign_path(l->campaign), row->schedule);
    if (write_schedule(path, v->schedule, e) < 0 || keep_files(l, l->world, name, e) < 0) {
        return -1;
    }
    (void)snprintf(path, sizeof path, "%s/%s", campaign_path(l->campaign), row->trace);
    return format_save(&format_native, t, path, e);
}

int campaign_log_save(struct campaign_log *l, const struct violation *v, const struct trace *t,
                      struct err *e)
{
    char name[CAMPAIGN_NAME_SIZE];
    char schedule[CAMPAIGN_NAME_SIZE + sizeof ".sched"];
    char trace[CAMPAIGN_NAME_SIZE + sizeof ".clew"];
    bool is_wanted = false;
    if (l->campaign == NULL) {
        return 0;
    }
    if (campaign_begin_save(l->campaign, v->key, v->run - 1, &is_wanted, name, e) < 0) {
        return -1;
    }
    if (!is_wanted) {
        return 0;
    }
    (void)snprintf(schedule, sizeof schedule, "%s.sched", name);
    (void)snprintf(trace, sizeof trace, "%s.clew", name);
    const enum finding_kind kind = outcome_finding(v->outcome);
    const struct campaign_violation row = {
        .key = v->key,
        .kind = finding_kind_name(kind),
        .severity = finding_severity_name(v->severity),
        .property = property_of(kind, v->key),
        .what = v->what,
        .values = v->values > 0 && v->values < strlen(v->what) ? v->what + v->values : "",
        .run = v->run - 1,
        .step = v->step_count,
        .schedule = schedule,
        .trace = trace};
    if (write_files(l, v, t, &row, name, e) < 0) {
        campaign_save_not(l->campaign);
        return -1;
    }
    return campaign_save(l->campaign, &row, e);
}

int campaign_log_end(struct campaign_log *l, struct err *e)
{
    if (l->campaign == NULL) {
        return 0;
    }
    const int result = l->has_job ? finish_job(l, e) : 0;
    if (result == 0) {
        campaign_pause(l->campaign);
    }
    return result;
}
