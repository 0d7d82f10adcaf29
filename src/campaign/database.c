#include "campaign/database.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/fault_injection.h"
#include "campaign/campaign.h"

/* "clew" */
enum { APPLICATION_ID = 0x636c6577, BUSY_MS = 30000 };

static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE about(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE counter(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "INSERT INTO counter VALUES('runs', 0), ('names', 0), ('sessions', 0);"
    "CREATE TABLE job(id INTEGER PRIMARY KEY, first INTEGER NOT NULL, count INTEGER NOT NULL,"
    " session INTEGER NOT NULL, is_done INTEGER NOT NULL);"
    "CREATE INDEX job_open ON job(id) WHERE is_done = 0;"
    "CREATE TABLE violation(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT,"
    " severity TEXT, property TEXT, what TEXT, \"values\" TEXT, run INTEGER, step INTEGER, "
    "schedule TEXT, trace "
    "TEXT);"
    "CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE runs(job INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
    "CREATE TABLE block(id INTEGER PRIMARY KEY, count INTEGER NOT NULL, nodes INTEGER NOT NULL,"
    " place TEXT NOT NULL);"
    "CREATE TABLE property(name TEXT PRIMARY KEY, text TEXT, checks INTEGER NOT NULL,"
    " skips INTEGER NOT NULL, failures INTEGER NOT NULL);"
    "CREATE TABLE kept(name TEXT PRIMARY KEY, bytes BLOB);"
    "PRAGMA application_id = 1668048247;"
    "PRAGMA user_version = 3;"
    "COMMIT;";

_Static_assert(APPLICATION_ID == 1668048247, "as in the schema");
_Static_assert(CAMPAIGN_VERSION == 3, "as in the schema");

static const char *const texts[SQL_COUNT] = {
#define STATEMENT(id, text) [SQL_##id] = (text),
    STATEMENT_LIST(STATEMENT)
#undef STATEMENT
};

/* Reports sqlite's error, in terms of the file. */
static int refuse(const struct database *d, int code, struct err *e)
{
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return err_set(e, "%s: damaged (%s); the schedules in violations/ are not", d->path,
                       sqlite3_errstr(code));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return err_set(e, "%s: another process has kept it busy for %d seconds", d->path,
                       BUSY_MS / 1000);
    default: return err_set(e, "%s: %s", d->path, sqlite3_errstr(code));
    }
}

/* Every call of sqlite that may touch a file. */
static int step(sqlite3_stmt *statement)
{
    return seam_fails() ? SQLITE_IOERR : sqlite3_step(statement);
}

static int prepare(struct database *d, enum statement_id id, sqlite3_stmt **statement,
                   struct err *e)
{
    if (d->statements[id] == NULL) {
        const int code =
            seam_fails() ? SQLITE_IOERR
                         : sqlite3_prepare_v3(d->sqlite, texts[id], -1, SQLITE_PREPARE_PERSISTENT,
                                              &d->statements[id], NULL);
        if (code == SQLITE_ERROR) {
            return err_set(e, "%s: no campaign (%s)", d->path, sqlite3_errmsg(d->sqlite));
        }
        if (code != SQLITE_OK) {
            return refuse(d, code, e);
        }
    }
    *statement = d->statements[id];
    return 0;
}

static int bind(sqlite3_stmt *statement, int index, const struct value *value)
{
    switch (value->type) {
    case VALUE_NUMBER: return sqlite3_bind_int64(statement, index, (sqlite3_int64)value->number);
    case VALUE_TEXT: return sqlite3_bind_text(statement, index, value->bytes, -1, SQLITE_STATIC);
    case VALUE_BYTES:
        return sqlite3_bind_blob64(statement, index, value->size == 0 ? "" : value->bytes,
                                   value->size, SQLITE_STATIC);
    }
    bug("type of value");
}

int database_ask(struct database *d, enum statement_id id, const struct value *values,
                 size_t value_count, struct err *e)
{
    sqlite3_stmt *statement = NULL;
    if (prepare(d, id, &statement, e) < 0) {
        return -1;
    }
    must((size_t)sqlite3_bind_parameter_count(statement) == value_count);
    for (size_t i = 0; i < value_count; i++) {
        const int code = bind(statement, (int)i + 1, &values[i]);
        if (code != SQLITE_OK) {
            return refuse(d, code, e);
        }
    }
    return 0;
}

int database_next(struct database *d, enum statement_id id, struct err *e)
{
    const int code = step(d->statements[id]);
    if (code == SQLITE_ROW) {
        return 1;
    }
    database_end(d, id);
    return code == SQLITE_DONE ? 0 : refuse(d, code, e);
}

void database_end(struct database *d, enum statement_id id)
{
    /* It returns the error of the last step again. */
    (void)sqlite3_reset(d->statements[id]);
}

int database_do(struct database *d, enum statement_id id, const struct value *values,
                size_t value_count, struct err *e)
{
    if (database_ask(d, id, values, value_count, e) < 0) {
        return -1;
    }
    return database_next(d, id, e) < 0 ? -1 : 0;
}

uint64_t database_number(struct database *d, enum statement_id id, int column)
{
    return (uint64_t)sqlite3_column_int64(d->statements[id], column);
}

const char *database_text(struct database *d, enum statement_id id, int column)
{
    const void *text = sqlite3_column_text(d->statements[id], column);
    return text == NULL ? "" : text;
}

struct value database_bytes(struct database *d, enum statement_id id, int column)
{
    const void *bytes = sqlite3_column_blob(d->statements[id], column);
    return BYTES(bytes, (size_t)sqlite3_column_bytes(d->statements[id], column));
}

int database_begin(struct database *d, struct err *e)
{
    return database_do(d, SQL_BEGIN, NULL, 0, e);
}

int database_commit(struct database *d, struct err *e)
{
    if (database_do(d, SQL_COMMIT, NULL, 0, e) < 0) {
        database_roll_back(d);
        return -1;
    }
    return 0;
}

void database_roll_back(struct database *d)
{
    if (sqlite3_get_autocommit(d->sqlite) == 0) {
        /* Nothing of it is on disk; after a failure the next open recovers. */
        (void)sqlite3_exec(d->sqlite, "ROLLBACK", NULL, NULL, NULL);
    }
}

uint64_t database_row(const struct database *d)
{
    return (uint64_t)sqlite3_last_insert_rowid(d->sqlite);
}

/* Opening */

static int execute(struct database *d, const char *text, struct err *e)
{
    const int code = seam_fails() ? SQLITE_IOERR : sqlite3_exec(d->sqlite, text, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : refuse(d, code, e);
}

/* The first column of the first row of the query: a number, or a text cut to size. */
static int ask_once(struct database *d, const char *text, char *answer, size_t size, struct err *e)
{
    sqlite3_stmt *statement = NULL;
    int code =
        seam_fails() ? SQLITE_IOERR : sqlite3_prepare_v2(d->sqlite, text, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        code = step(statement);
    }
    if (code == SQLITE_ROW) {
        const unsigned char *got = sqlite3_column_text(statement, 0);
        (void)snprintf(answer, size, "%s", got == NULL ? "" : (const char *)got);
    }
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW ? 0 : refuse(d, code, e);
}

/* Whether it is a campaign, of a known version, and intact. */
static int examine(struct database *d, bool is_thorough, struct err *e)
{
    char application[32];
    char version[32];
    char fault[200];
    if (ask_once(d, "PRAGMA application_id", application, sizeof application, e) < 0 ||
        ask_once(d, "PRAGMA user_version", version, sizeof version, e) < 0) {
        return -1;
    }
    if (strcmp(application, "1668048247") != 0) {
        return err_set(e, "%s: no campaign", d->path);
    }
    if (strcmp(version, "3") != 0) {
        return err_set(e, "%s: version %s; this clew reads version %d only", d->path, version,
                       CAMPAIGN_VERSION);
    }
    if (!is_thorough) {
        return 0;
    }
    if (ask_once(d, "PRAGMA quick_check(1)", fault, sizeof fault, e) < 0) {
        return -1;
    }
    if (strcmp(fault, "ok") != 0) {
        /* The first line may only name the database of the next. */
        const char *said = strncmp(fault, "***", 3) == 0 ? strchr(fault, '\n') : NULL;
        said = said == NULL ? fault : said + 1;
        return err_set(e, "%s: damaged (%.*s); the schedules in violations/ are not", d->path,
                       (int)strcspn(said, "\n"), said);
    }
    return 0;
}

/* A database without tables, or without a subject, is one whose creation was interrupted. */
static int make(struct database *d, struct err *e)
{
    char count[32];
    if (ask_once(d, "SELECT count(*) FROM sqlite_schema", count, sizeof count, e) < 0) {
        return -1;
    }
    if (strcmp(count, "0") == 0) {
        return execute(d, schema, e);
    }
    struct err ignored = {.text = ""};
    const bool is_begun =
        examine(d, true, &ignored) < 0 ||
        ask_once(d, "SELECT count(*) FROM about", count, sizeof count, &ignored) < 0 ||
        strcmp(count, "0") != 0;
    return is_begun ? err_set(e, "%s: is there already (--resume goes on with a campaign)", d->path)
                    : 0;
}

static int open_file(struct database *d, enum database_mode mode, struct err *e)
{
    const int flags =
        mode == DATABASE_NEW ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
    int code = seam_fails() ? SQLITE_CANTOPEN : sqlite3_open_v2(d->path, &d->sqlite, flags, NULL);
    if (code == SQLITE_CANTOPEN && mode == DATABASE_READ) {
        (void)sqlite3_close(d->sqlite);
        code = sqlite3_open_v2(d->path, &d->sqlite, SQLITE_OPEN_READONLY, NULL);
    }
    if (code != SQLITE_OK) {
        return refuse(d, code, e);
    }
    (void)sqlite3_busy_timeout(d->sqlite, BUSY_MS);
    (void)sqlite3_extended_result_codes(d->sqlite, 1);
    return 0;
}

int database_open(struct database *d, const char *path, enum database_mode mode, struct err *e)
{
    *d = (struct database){0};
    (void)snprintf(d->path, sizeof d->path, "%s", path);
    int result = open_file(d, mode, e);
    /* The journal is a write-ahead log: a transaction is an append, and committed data outlives the
     * process. A file of another kind, or a database of another, stays unchanged. */
    if (result == 0 && mode != DATABASE_NEW) {
        result = examine(d, mode != DATABASE_JOIN, e);
    }
    /* The runs of a job are one long value: large pages need fewer writes. */
    if (result == 0 && mode == DATABASE_NEW) {
        result = execute(d, "PRAGMA page_size = 16384;", e);
    }
    if (result == 0 && mode != DATABASE_READ) {
        result = execute(d, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;", e);
    }
    if (result == 0 && mode == DATABASE_NEW) {
        result = make(d, e);
    }
    if (result < 0) {
        database_close(d);
    }
    return result;
}

void database_close(struct database *d)
{
    for (size_t i = 0; i < SQL_COUNT; i++) {
        (void)sqlite3_finalize(d->statements[i]);
        d->statements[i] = NULL;
    }
    (void)sqlite3_close(d->sqlite);
    d->sqlite = NULL;
}
