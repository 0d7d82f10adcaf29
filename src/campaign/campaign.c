#include "campaign/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fault_injection.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/out.h"
#include "base/vec.h"
#include "campaign/database.h"
#include "campaign/record.h"

/* Bytes to store; both are in the job's arena. */
struct kept {
    const char *name;
    const void *bytes;
    size_t size;
};

/* Small systems have fewer executions than that, and large ones seldom repeat any: a map of all
 * would cost a short run more than it saves. */
enum { RUN_PLACES = 1 << 12 };

/* The last run of those that share a place. It may be of an earlier job: the record says so. */
struct run_place {
    uint32_t tag; /* the rest of its key */
    uint32_t at;
};

struct campaign {
    char *path;
    int lock_fd;
    bool is_fresh; /* made, not resumed */
    struct database database;
    uint64_t session;
    bool is_saving;         /* a transaction for a violation is open */
    struct names words;     /* texts of runs ... */
    VEC(uint32_t) word_ids; /* ... and their ids in the database, 0: unknown */

    /* The current job, and its results. */
    struct campaign_job job;
    bool has_job;
    struct arena arena;                      /* texts */
    uint32_t made;                           /* runs of it */
    VEC(struct run_record) runs;             /* different ones, as far as remembered ... */
    struct run_place run_places[RUN_PLACES]; /* ... by execution and strategy */
    VEC(struct campaign_block) blocks;
    struct map block_index;
    VEC(struct campaign_property) properties;
    VEC(struct kept) kept;
};

/* Places */

/* The path of an entry in the folder, freed with mem_free. */
static char *path_of(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = mem_resize(NULL, size);
    (void)snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static int make_folder(const char *path, struct err *e)
{
    const int result = seam_fails() ? seam_failure(EIO) : mkdir(path, 0777);
    return result == 0 || errno == EEXIST ? 0 : err_set(e, "%s: %s", path, strerror(errno));
}

static bool is_there(const char *folder, const char *name)
{
    char *path = path_of(folder, name);
    const bool result = access(path, F_OK) == 0;
    mem_free(path);
    return result;
}

/* The lock */

/* Fails with the holder of the lock, as far as the file names it. */
static int refuse_locked(const struct campaign *c, struct err *e)
{
    char text[24] = "";
    const ssize_t size = pread(c->lock_fd, text, sizeof text - 1, 0);
    const size_t digits = size <= 0 ? 0 : strspn(text, "0123456789");
    return digits == 0 ? err_set(e, "%s: in use by another clew", c->path)
                       : err_set(e, "%s: in use by another clew (process %.*s)", c->path,
                                 (int)digits, text);
}

/* Takes the folder's lock, which ends with the last process that has it open. */
static int lock(struct campaign *c, struct err *e)
{
    char *path = path_of(c->path, "lock");
    c->lock_fd = seam_fails() ? seam_failure(EIO) : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (c->lock_fd < 0) {
        (void)err_set(e, "%s: %s", path, strerror(errno));
        mem_free(path);
        return -1;
    }
    mem_free(path);
    if ((seam_fails() ? seam_failure(EIO) : flock(c->lock_fd, LOCK_EX | LOCK_NB)) < 0) {
        return errno == EWOULDBLOCK ? refuse_locked(c, e)
                                    : err_set(e, "%s: %s", c->path, strerror(errno));
    }
    char text[24];
    const int size = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    /* Only for the message above: a failed write does not matter. */
    if (ftruncate(c->lock_fd, 0) == 0 && pwrite(c->lock_fd, text, (size_t)size, 0) != size) {
        (void)ftruncate(c->lock_fd, 0);
    }
    return 0;
}

/* Opening */

static int open_database(struct campaign *c, enum database_mode mode, struct err *e)
{
    char *path = path_of(c->path, "campaign.db");
    const int result = database_open(&c->database, path, mode, e);
    mem_free(path);
    return result;
}

/* After campaign_pause: this process's own connection. */
static int reopen(struct campaign *c, struct err *e)
{
    return c->database.sqlite != NULL ? 0 : open_database(c, DATABASE_JOIN, e);
}

/* The subject of a campaign, as rows: name, value. */
struct fact {
    const char *name, *value;
};

enum { FACT_COUNT = 7 };

static void list_facts(const struct campaign_about *about, struct fact facts[FACT_COUNT],
                       char seed[24])
{
    (void)snprintf(seed, 24, "%" PRIu64, about->seed);
    const struct fact list[FACT_COUNT] = {
        {"system", about->system},     {"build", about->build},       {"world", about->world},
        {"strategy", about->strategy}, {"settings", about->settings}, {"seed", seed},
        {"replay", about->replay},
    };
    memcpy(facts, list, sizeof list);
}

static int write_about(struct campaign *c, const struct campaign_about *about, struct err *e)
{
    struct fact facts[FACT_COUNT];
    char seed[24];
    list_facts(about, facts, seed);
    if (database_begin(&c->database, e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < FACT_COUNT; i++) {
        if (DATABASE_DO(&c->database, SQL_ABOUT_PUT, e, TEXT(facts[i].name), TEXT(facts[i].value)) <
            0) {
            database_roll_back(&c->database);
            return -1;
        }
    }
    return database_commit(&c->database, e);
}

/* The subject that a campaign was begun with and the requested one, where they differ. */
struct difference {
    struct out begun;
    struct out given;
};

static void add_part(struct out *list, const char *part, size_t size)
{
    out_text(list, list->used == 0 ? "" : ", ");
    out_bytes(list, part, size);
}

/* The parts of the settings "net fifo, depth 300" that the others do not have. */
static void add_parts(struct out *list, const char *settings, const char *others)
{
    for (const char *part = settings; *part != '\0';) {
        const char *end = strstr(part, ", ");
        const size_t size = end == NULL ? strlen(part) : (size_t)(end - part);
        bool is_common = false;
        for (const char *other = others; other != NULL && !is_common;) {
            is_common = strncmp(other, part, size) == 0 &&
                        (other[size] == '\0' || strncmp(other + size, ", ", 2) == 0);
            other = strstr(other, ", ");
            other = other == NULL ? NULL : other + 2;
        }
        if (!is_common) {
            add_part(list, part, size);
        }
        part += size + (end == NULL ? 0 : 2);
    }
}

static void add_fact(struct out *list, const char *name, const char *value)
{
    add_part(list, name, strlen(name));
    out_format(list, " \"%.100s\"", value);
}

static int compare_fact(struct campaign *c, const struct fact *fact, struct difference *d,
                        struct err *e)
{
    if (DATABASE_ASK(&c->database, SQL_ABOUT_GET, e, TEXT(fact->name)) < 0) {
        return -1;
    }
    const int more = database_next(&c->database, SQL_ABOUT_GET, e);
    if (more <= 0) {
        return more < 0
                   ? -1
                   : err_set(e, "%s: no campaign (it does not say its %s)", c->path, fact->name);
    }
    const char *known = database_text(&c->database, SQL_ABOUT_GET, 0);
    if (strcmp(known, fact->value) != 0) {
        if (strcmp(fact->name, "settings") == 0) {
            add_parts(&d->begun, known, fact->value);
            add_parts(&d->given, fact->value, known);
        } else if (strcmp(fact->name, "replay") != 0 || d->begun.used + d->given.used == 0) {
            add_fact(&d->begun, fact->name, known);
            add_fact(&d->given, fact->name, fact->value);
        }
    }
    database_end(&c->database, SQL_ABOUT_GET);
    return 0;
}

static int refuse_difference(const struct campaign *c, struct difference *d, struct err *e)
{
    if (d->begun.used + d->given.used == 0) {
        return 0;
    }
    out_text(&d->begun, d->begun.used == 0 ? "less" : "");
    out_text(&d->given, d->given.used == 0 ? "without" : "");
    return err_set(e, "%s: was begun with %.*s, not %.*s: give the same, or begin another", c->path,
                   (int)d->begun.used, d->begun.buffer, (int)d->given.used, d->given.buffer);
}

static int compare_about(struct campaign *c, const struct campaign_about *about, struct err *e)
{
    struct fact facts[FACT_COUNT];
    struct difference d;
    char seed[24];
    int result = 0;
    list_facts(about, facts, seed);
    out_open_memory(&d.begun);
    out_open_memory(&d.given);
    for (size_t i = 0; i < FACT_COUNT && result == 0; i++) {
        result = compare_fact(c, &facts[i], &d, e);
    }
    if (result == 0) {
        result = refuse_difference(c, &d, e);
    }
    out_abandon(&d.begun);
    out_abandon(&d.given);
    return result;
}

/* Reads a counter. */
static int look_up(struct campaign *c, const char *name, uint64_t *value, struct err *e)
{
    struct database *d = &c->database;
    if (DATABASE_ASK(d, SQL_NUMBER_GET, e, TEXT(name)) < 0) {
        return -1;
    }
    const int more = database_next(d, SQL_NUMBER_GET, e);
    if (more <= 0) {
        return more < 0 ? -1 : err_set(e, "%s: no campaign (no count of %s)", c->path, name);
    }
    *value = database_number(d, SQL_NUMBER_GET, 0);
    database_end(d, SQL_NUMBER_GET);
    return 0;
}

/* Adds to a counter, in a transaction, and returns its old value. */
static int advance(struct campaign *c, const char *name, uint64_t by, uint64_t *before,
                   struct err *e)
{
    return look_up(c, name, before, e) < 0
               ? -1
               : DATABASE_DO(&c->database, SQL_NUMBER_ADD, e, NUMBER(by), TEXT(name));
}

/* The same as a transaction of its own. */
static int advance_alone(struct campaign *c, const char *name, uint64_t *before, struct err *e)
{
    if (database_begin(&c->database, e) < 0) {
        return -1;
    }
    if (advance(c, name, 1, before, e) < 0) {
        database_roll_back(&c->database);
        return -1;
    }
    return database_commit(&c->database, e);
}

static int begin_session(struct campaign *c, struct err *e)
{
    if (advance_alone(c, "sessions", &c->session, e) < 0) {
        return -1;
    }
    c->session++; /* from 1: an unowned job has session 0 */
    return 0;
}

static int open_all(struct campaign *c, const struct campaign_options *o, struct err *e)
{
    if (o->is_resumed && !is_there(o->path, "campaign.db")) {
        return err_set(e, "%s: no campaign is there", o->path);
    }
    if (!o->is_resumed && make_folder(o->path, e) < 0) {
        return -1;
    }
    if (lock(c, e) < 0) {
        return -1;
    }
    char *violations = path_of(o->path, "violations");
    int result = make_folder(violations, e);
    mem_free(violations);
    if (result == 0) {
        result = open_database(c, o->is_resumed ? DATABASE_RESUME : DATABASE_NEW, e);
        c->is_fresh = result == 0 && !o->is_resumed;
    }
    if (result == 0) {
        result = o->is_resumed ? compare_about(c, &o->about, e) : write_about(c, &o->about, e);
    }
    return result < 0 ? -1 : begin_session(c, e);
}

int campaign_open(struct campaign **c, const struct campaign_options *o, struct err *e)
{
    struct campaign *made = mem_zero(1, sizeof *made);
    made->lock_fd = -1;
    names_init(&made->words);
    made->path = mem_text(o->path, strlen(o->path));
    if (open_all(made, o, e) < 0) {
        campaign_close(made);
        return -1;
    }
    *c = made;
    return 0;
}

void campaign_pause(struct campaign *c)
{
    must(!c->has_job);
    database_close(&c->database);
}

static void forget_job(struct campaign *c)
{
    c->has_job = false;
    c->made = 0;
    vec_clear(&c->runs);
    vec_clear(&c->blocks);
    map_clear(&c->block_index);
    vec_clear(&c->properties);
    vec_clear(&c->kept);
    arena_release(&c->arena);
}

void campaign_close(struct campaign *c)
{
    if (c == NULL) {
        return;
    }
    database_close(&c->database);
    if (c->lock_fd >= 0) {
        (void)close(c->lock_fd);
    }
    forget_job(c);
    vec_release(&c->runs);
    names_release(&c->words);
    vec_release(&c->word_ids);
    vec_release(&c->blocks);
    map_release(&c->block_index);
    vec_release(&c->properties);
    vec_release(&c->kept);
    mem_free(c->path);
    mem_free(c);
}

/* Removes the files that campaign_open makes, unless violations were saved. */
static void remove_files(const char *folder)
{
    static const char *const files[] = {"campaign.db", "campaign.db-wal", "campaign.db-shm",
                                        "campaign.db-journal", "lock"};
    char *violations = path_of(folder, "violations");
    const bool is_empty = rmdir(violations) == 0;
    mem_free(violations);
    for (size_t i = 0; is_empty && i < sizeof files / sizeof *files; i++) {
        char *path = path_of(folder, files[i]);
        (void)unlink(path);
        mem_free(path);
    }
    if (is_empty) {
        (void)rmdir(folder);
    }
}

void campaign_discard(struct campaign *c)
{
    char *folder = c != NULL && c->is_fresh ? mem_text(c->path, strlen(c->path)) : NULL;
    campaign_close(c);
    if (folder != NULL) {
        remove_files(folder);
    }
    mem_free(folder);
}

const char *campaign_path(const struct campaign *c)
{
    return c->path;
}

/* Jobs */

/* Takes a job that an earlier search began and did not end; 1, or 0 when there is none. */
static int claim_job(struct campaign *c, struct campaign_job *job, struct err *e)
{
    struct database *d = &c->database;
    if (DATABASE_ASK(d, SQL_JOB_OPEN, e, NUMBER(c->session)) < 0) {
        return -1;
    }
    const int more = database_next(d, SQL_JOB_OPEN, e);
    if (more <= 0) {
        return more;
    }
    *job = (struct campaign_job){.id = database_number(d, SQL_JOB_OPEN, 0),
                                 .first = database_number(d, SQL_JOB_OPEN, 1),
                                 .count = (uint32_t)database_number(d, SQL_JOB_OPEN, 2),
                                 .is_again = true};
    database_end(d, SQL_JOB_OPEN);
    return DATABASE_DO(d, SQL_JOB_CLAIM, e, NUMBER(c->session), NUMBER(job->id)) < 0 ? -1 : 1;
}

static int add_job(struct campaign *c, struct campaign_job *job, uint64_t session, struct err *e)
{
    if (DATABASE_DO(&c->database, SQL_JOB_ADD, e, NUMBER(job->first), NUMBER(job->count),
                    NUMBER(session)) < 0) {
        return -1;
    }
    job->id = database_row(&c->database);
    return 0;
}

static int find_job(struct campaign *c, uint32_t count, struct campaign_job *job, struct err *e)
{
    const int claimed = claim_job(c, job, e);
    if (claimed != 0) {
        return claimed < 0 ? -1 : 0;
    }
    *job = (struct campaign_job){.count = count};
    return advance(c, "runs", count, &job->first, e) < 0 ? -1 : add_job(c, job, c->session, e);
}

int campaign_take(struct campaign *c, uint32_t count, struct campaign_job *job, struct err *e)
{
    must(!c->has_job);
    must(count > 0);
    if (reopen(c, e) < 0 || database_begin(&c->database, e) < 0) {
        return -1;
    }
    if (find_job(c, count, job, e) < 0) {
        database_roll_back(&c->database);
        return -1;
    }
    if (database_commit(&c->database, e) < 0) {
        return -1;
    }
    c->job = *job;
    c->has_job = true;
    return 0;
}

static const char *keep_text(struct campaign *c, const char *text)
{
    return arena_text(&c->arena, text, strlen(text));
}

/* The text's number here, which often is that of the previous run. */
static uint32_t word_of(struct campaign *c, const char *text, uint32_t likely)
{
    return strcmp(names_text(&c->words, likely), text) == 0 ? likely
                                                            : names_intern_text(&c->words, text);
}

static bool is_same_run(const struct run_record *a, const struct run_record *b)
{
    return a->execution_hash == b->execution_hash && a->state_hash == b->state_hash &&
           a->steps == b->steps && a->strategy == b->strategy && a->outcome == b->outcome &&
           a->violation == b->violation;
}

int campaign_next(struct campaign *c, uint64_t *number, struct err *e)
{
    return reopen(c, e) < 0 ? -1 : look_up(c, "runs", number, e);
}

void campaign_run(struct campaign *c, const struct campaign_run *run)
{
    must(c->has_job);
    must(run->number == c->job.first + c->made);
    must(c->made < c->job.count);
    c->made++;
    static const struct run_record none = {0};
    const struct run_record *last = c->runs.count == 0 ? &none : vec_last(&c->runs);
    /* Words by their number here; by that of the database when they are written. */
    const struct run_record record = {.seed = run->seed,
                                      .execution_hash = run->execution_hash,
                                      .state_hash = run->state_hash,
                                      .steps = run->steps > UINT32_MAX ? UINT32_MAX
                                                                       : (uint32_t)run->steps,
                                      .strategy = word_of(c, run->strategy, last->strategy),
                                      .outcome = word_of(c, run->outcome, last->outcome),
                                      .violation = word_of(c, run->violation, last->violation),
                                      .count = 1};
    const uint64_t key = record.execution_hash + record.strategy;
    struct run_place *place = &c->run_places[key % RUN_PLACES];
    if (place->tag == key >> 32 && place->at < c->runs.count &&
        is_same_run(&c->runs.at[place->at], &record)) {
        c->runs.at[place->at].count++;
    } else {
        *place = (struct run_place){.tag = (uint32_t)(key >> 32), .at = (uint32_t)c->runs.count};
        vec_push(&c->runs, record);
    }
    must(place->at < c->runs.count);
}

void campaign_cover(struct campaign *c, const struct campaign_block *more)
{
    must(c->has_job);
    bool is_new = false;
    const uint32_t at = *map_slot(&c->block_index, more->index, (uint32_t)c->blocks.count, &is_new);
    if (is_new) {
        struct campaign_block kept = *more;
        kept.place = keep_text(c, more->place);
        vec_push(&c->blocks, kept);
        return;
    }
    struct campaign_block *known = vec_at(&c->blocks, at);
    known->count += more->count;
    known->nodes |= more->nodes;
}

void campaign_check(struct campaign *c, const struct campaign_property *more)
{
    must(c->has_job);
    vec_each (&c->properties, known) {
        if (strcmp(known->name, more->name) == 0) {
            known->checks += more->checks;
            known->skips += more->skips;
            known->failures += more->failures;
            return;
        }
    }
    struct campaign_property kept = *more;
    kept.name = keep_text(c, more->name);
    kept.text = keep_text(c, more->text);
    vec_push(&c->properties, kept);
}

void campaign_keep(struct campaign *c, const char *name, const void *bytes, size_t size)
{
    must(c->has_job);
    vec_push(&c->kept, (struct kept){.name = keep_text(c, name),
                                     .bytes = arena_text(&c->arena, bytes, size),
                                     .size = size});
}

/* Gives a word its id in the database. */
static int write_word(struct campaign *c, uint32_t word, struct err *e)
{
    struct database *d = &c->database;
    const char *text = names_text(&c->words, word);
    if (DATABASE_DO(d, SQL_WORD_ADD, e, TEXT(text)) < 0 ||
        DATABASE_ASK(d, SQL_WORD_GET, e, TEXT(text)) < 0) {
        return -1;
    }
    const int more = database_next(d, SQL_WORD_GET, e);
    if (more <= 0) {
        return more < 0 ? -1 : err_set(e, "%s: a word was not kept", c->path);
    }
    c->word_ids.at[word] = (uint32_t)database_number(d, SQL_WORD_GET, 0);
    database_end(d, SQL_WORD_GET);
    return 0;
}

static int write_words(struct campaign *c, struct err *e)
{
    while (c->word_ids.count < c->words.list.count) {
        vec_push(&c->word_ids, 0);
    }
    for (uint32_t i = 1; i < c->word_ids.count; i++) {
        if (c->word_ids.at[i] == 0 && write_word(c, i, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Replaces words by ids in place: a job that is not committed now is not retried. */
static int write_runs(struct campaign *c, struct err *e)
{
    if (write_words(c, e) < 0) {
        return -1;
    }
    vec_each (&c->runs, run) {
        run->strategy = c->word_ids.at[run->strategy];
        run->outcome = c->word_ids.at[run->outcome];
        run->violation = c->word_ids.at[run->violation];
    }
    return DATABASE_DO(&c->database, SQL_RUNS_PUT, e, NUMBER(c->job.id),
                       BYTES(c->runs.at, c->runs.count * sizeof *c->runs.at));
}

static int write_block(struct campaign *c, const struct campaign_block *block, struct err *e)
{
    return DATABASE_DO(&c->database, SQL_BLOCK_ADD, e, NUMBER(block->index), NUMBER(block->count),
                       NUMBER(block->nodes), TEXT(block->place));
}

static int write_lessons(struct campaign *c, struct err *e)
{
    vec_each (&c->blocks, block) {
        if (write_block(c, block, e) < 0) {
            return -1;
        }
    }
    vec_each (&c->properties, p) {
        if (DATABASE_DO(&c->database, SQL_PROPERTY_ADD, e, TEXT(p->name), TEXT(p->text),
                        NUMBER(p->checks), NUMBER(p->skips), NUMBER(p->failures)) < 0) {
            return -1;
        }
    }
    vec_each (&c->kept, kept) {
        if (DATABASE_DO(&c->database, SQL_KEPT_PUT, e, TEXT(kept->name),
                        BYTES(kept->bytes, kept->size)) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Returns the numbers that were not made when no later ones were taken; else they become an unowned
 * job. */
static int leave_rest(struct campaign *c, struct campaign_job *rest, struct err *e)
{
    uint64_t next = 0;
    if (look_up(c, "runs", &next, e) < 0) {
        return -1;
    }
    return next == rest->first + rest->count
               ? DATABASE_DO(&c->database, SQL_NUMBER_ADD, e, NUMBER(-(uint64_t)rest->count),
                             TEXT("runs"))
               : add_job(c, rest, 0, e);
}

static int write_end(struct campaign *c, struct err *e)
{
    const uint64_t made = c->made;
    struct campaign_job rest = {.first = c->job.first + made,
                                .count = c->job.count - (uint32_t)made};
    if (rest.count > 0 && leave_rest(c, &rest, e) < 0) {
        return -1;
    }
    return DATABASE_DO(&c->database, SQL_JOB_DONE, e, NUMBER(made), NUMBER(c->job.id));
}

static int write_job(struct campaign *c, struct err *e)
{
    if (database_begin(&c->database, e) < 0) {
        return -1;
    }
    if (write_runs(c, e) < 0 || write_lessons(c, e) < 0 || write_end(c, e) < 0) {
        database_roll_back(&c->database);
        return -1;
    }
    return database_commit(&c->database, e);
}

int campaign_done(struct campaign *c, struct err *e)
{
    must(c->has_job);
    const int result = write_job(c, e);
    if (result < 0) {
        vec_clear(&c->word_ids); /* the new ones are not in the database */
    }
    forget_job(c);
    return result;
}

int campaign_kept(struct campaign *c, const char *name, void **bytes, size_t *size, struct err *e)
{
    struct database *d = &c->database;
    *bytes = NULL;
    *size = 0;
    if (reopen(c, e) < 0 || DATABASE_ASK(d, SQL_KEPT_GET, e, TEXT(name)) < 0) {
        return -1;
    }
    const int more = database_next(d, SQL_KEPT_GET, e);
    if (more > 0) {
        const struct value value = database_bytes(d, SQL_KEPT_GET, 0);
        *bytes = mem_resize(NULL, value.size + 1);
        *size = value.size;
        if (value.size > 0) {
            memcpy(*bytes, value.bytes, value.size);
        }
        database_end(d, SQL_KEPT_GET);
    }
    return more < 0 ? -1 : 0;
}

/* Violations */

int campaign_is_known(struct campaign *c, const char *key, bool *is_known, struct err *e)
{
    if (reopen(c, e) < 0 || DATABASE_ASK(&c->database, SQL_VIOLATION_GET, e, TEXT(key)) < 0) {
        return -1;
    }
    const int more = database_next(&c->database, SQL_VIOLATION_GET, e);
    *is_known = more > 0;
    if (more > 0) {
        database_end(&c->database, SQL_VIOLATION_GET);
    }
    return more < 0 ? -1 : 0;
}

static void print_name(char name[CAMPAIGN_NAME_SIZE], uint64_t number)
{
    (void)snprintf(name, CAMPAIGN_NAME_SIZE, "violations/%" PRIu64, number + 1);
}

int campaign_name(struct campaign *c, char name[CAMPAIGN_NAME_SIZE], struct err *e)
{
    uint64_t number = 0;
    if (reopen(c, e) < 0 || advance_alone(c, "names", &number, e) < 0) {
        return -1;
    }
    print_name(name, number);
    return 0;
}

/* In a transaction: whether the violation is to be saved, and the name of its files. */
static int claim_name(struct campaign *c, const char *key, uint64_t run, bool *is_wanted,
                      char name[CAMPAIGN_NAME_SIZE], struct err *e)
{
    struct database *d = &c->database;
    if (DATABASE_ASK(d, SQL_VIOLATION_GET, e, TEXT(key)) < 0) {
        return -1;
    }
    const int more = database_next(d, SQL_VIOLATION_GET, e);
    *is_wanted = true;
    if (more > 0) {
        *is_wanted = run < database_number(d, SQL_VIOLATION_GET, 0);
        uint64_t number = 0;
        const char *schedule = database_text(d, SQL_VIOLATION_GET, 1);
        const bool is_named = sscanf(schedule, "violations/%" SCNu64 ".sched", &number) == 1;
        database_end(d, SQL_VIOLATION_GET);
        if (is_named) {
            print_name(name, number - 1);
            return 0;
        }
    }
    uint64_t number = 0;
    if (more < 0 || advance(c, "names", 1, &number, e) < 0) {
        return -1;
    }
    print_name(name, number);
    return 0;
}

int campaign_begin_save(struct campaign *c, const char *key, uint64_t run, bool *is_wanted,
                        char name[CAMPAIGN_NAME_SIZE], struct err *e)
{
    must(!c->is_saving);
    if (reopen(c, e) < 0 || database_begin(&c->database, e) < 0) {
        return -1;
    }
    c->is_saving = true;
    const int result = claim_name(c, key, run, is_wanted, name, e);
    if (result < 0 || !*is_wanted) {
        campaign_save_not(c);
    }
    return result;
}

void campaign_save_not(struct campaign *c)
{
    must(c->is_saving);
    c->is_saving = false;
    database_roll_back(&c->database);
}

int campaign_save(struct campaign *c, const struct campaign_violation *v, struct err *e)
{
    const int result =
        reopen(c, e) < 0
            ? -1
            : DATABASE_DO(&c->database, SQL_VIOLATION_ADD, e, TEXT(v->key), TEXT(v->kind),
                          TEXT(v->severity), TEXT(v->property), TEXT(v->what), TEXT(v->values),
                          NUMBER(v->run), NUMBER(v->step), TEXT(v->schedule), TEXT(v->trace));
    if (!c->is_saving) {
        return result;
    }
    if (result < 0) {
        campaign_save_not(c);
        return -1;
    }
    c->is_saving = false;
    return database_commit(&c->database, e);
}
