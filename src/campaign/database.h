/* The sqlite database of a campaign: its tables, and statements by name. */
#ifndef CLEW_CAMPAIGN_DATABASE_H
#define CLEW_CAMPAIGN_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sqlite3;
struct sqlite3_stmt;

/* STATEMENT(id, text). Prepared when first used. */
#define STATEMENT_LIST(STATEMENT)                                                                 \
    STATEMENT(BEGIN, "BEGIN IMMEDIATE")                                                           \
    STATEMENT(COMMIT, "COMMIT")                                                                   \
    STATEMENT(ABOUT_PUT, "INSERT INTO about(name, value) VALUES(?, ?)")                           \
    STATEMENT(ABOUT_GET, "SELECT value FROM about WHERE name = ?")                                \
    STATEMENT(NUMBER_GET, "SELECT value FROM counter WHERE name = ?")                             \
    STATEMENT(NUMBER_ADD, "UPDATE counter SET value = value + ? WHERE name = ?")                  \
    STATEMENT(JOB_OPEN, "SELECT id, first, count FROM job WHERE is_done = 0 AND session <> ? "    \
                        "ORDER BY id LIMIT 1")                                                    \
    STATEMENT(JOB_CLAIM, "UPDATE job SET session = ? WHERE id = ?")                               \
    STATEMENT(JOB_ADD, "INSERT INTO job(first, count, session, is_done) VALUES(?, ?, ?, 0)")      \
    STATEMENT(JOB_DONE, "UPDATE job SET is_done = 1, count = ? WHERE id = ?")                     \
    STATEMENT(RUNS_PUT, "INSERT OR REPLACE INTO runs(job, bytes) VALUES(?, ?)")                   \
    STATEMENT(WORD_ADD, "INSERT OR IGNORE INTO word(text) VALUES(?)")                             \
    STATEMENT(WORD_GET, "SELECT id FROM word WHERE text = ?")                                     \
    STATEMENT(BLOCK_ADD, "INSERT INTO block(id, count, nodes, place) VALUES(?, ?, ?, ?) "         \
                         "ON CONFLICT(id) DO UPDATE SET count = count + excluded.count, "         \
                         "nodes = nodes | excluded.nodes, place = "                               \
                         "CASE excluded.place WHEN '' THEN place ELSE excluded.place END")        \
    STATEMENT(PROPERTY_ADD, "INSERT INTO property(name, text, checks, skips, failures) "          \
                            "VALUES(?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET "              \
                            "checks = checks + excluded.checks, skips = skips + excluded.skips, " \
                            "failures = failures + excluded.failures")                            \
    STATEMENT(KEPT_PUT, "INSERT OR REPLACE INTO kept(name, bytes) VALUES(?, ?)")                  \
    STATEMENT(KEPT_GET, "SELECT bytes FROM kept WHERE name = ?")                                  \
    STATEMENT(VIOLATION_GET, "SELECT run, schedule FROM violation WHERE key = ?")                 \
    STATEMENT(VIOLATION_ADD,                                                                      \
              "INSERT INTO violation(key, kind, severity, property, what, \"values\", "           \
              "run, step, schedule, trace) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "                 \
              "ON CONFLICT(key) DO UPDATE SET severity = excluded.severity, "                     \
              "what = excluded.what, \"values\" = excluded.\"values\", run = excluded.run, "      \
              "step = excluded.step, schedule = excluded.schedule, trace = excluded.trace "       \
              "WHERE excluded.run < violation.run")                                               \
    STATEMENT(READ_WORDS, "SELECT id, text FROM word ORDER BY id")                                \
    STATEMENT(READ_RUNS, "SELECT job, bytes FROM runs ORDER BY job")                              \
    STATEMENT(READ_JOBS, "SELECT count(*), sum(is_done = 0) FROM job")                            \
    STATEMENT(READ_VIOLATIONS,                                                                    \
              "SELECT id, key, kind, severity, property, what, \"values\", run, step, "           \
              "schedule, trace FROM violation ORDER BY id")                                       \
    STATEMENT(READ_PROPERTIES, "SELECT name, text, checks, skips, failures FROM property "        \
                               "ORDER BY rowid")                                                  \
    STATEMENT(READ_BLOCKS, "SELECT id, count, nodes, place FROM block ORDER BY id")

enum statement_id {
#define STATEMENT(id, text) SQL_##id,
    STATEMENT_LIST(STATEMENT)
#undef STATEMENT
        SQL_COUNT
};

/* {0} is closed. */
struct database {
    struct sqlite3 *sqlite;
    char path[4096]; /* for messages */
    struct sqlite3_stmt *statements[SQL_COUNT];
};

enum database_mode {
    DATABASE_NEW,    /* make the tables, in a database that has none yet */
    DATABASE_RESUME, /* check its integrity, and write */
    DATABASE_JOIN,   /* write */
    DATABASE_READ,   /* check its integrity, and read */
};

/* Opens the database at path. Fails when it is no database, damaged, of a later version, or (NEW)
 * has tables already; it is closed then. */
MUST_USE int database_open(struct database *d, const char *path, enum database_mode mode,
                           struct err *e);
void database_close(struct database *d);

/* A value of a statement, bound in order or read from a row. */
enum value_type { VALUE_NUMBER, VALUE_TEXT, VALUE_BYTES };
struct value {
    enum value_type type;
    uint64_t number;
    const void *bytes; /* of text and bytes */
    size_t size;       /* of bytes */
};

#define NUMBER(n) ((struct value){.type = VALUE_NUMBER, .number = (n)})
#define TEXT(t) ((struct value){.type = VALUE_TEXT, .bytes = (t)})
#define BYTES(b, n) ((struct value){.type = VALUE_BYTES, .bytes = (b), .size = (n)})

/* Runs a statement without rows. */
MUST_USE int database_do(struct database *d, enum statement_id id, const struct value *values,
                         size_t value_count, struct err *e);
#define DATABASE_DO(d, id, e, ...)                              \
    database_do((d), (id), (const struct value[]){__VA_ARGS__}, \
                sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value), (e))

/* Begins a statement with rows; then each call of database_next moves to one: 1, 0 behind the last,
 * -1. A statement not read to its end must be ended. */
MUST_USE int database_ask(struct database *d, enum statement_id id, const struct value *values,
                          size_t value_count, struct err *e);
#define DATABASE_ASK(d, id, e, ...)                              \
    database_ask((d), (id), (const struct value[]){__VA_ARGS__}, \
                 sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value), (e))
MUST_USE int database_next(struct database *d, enum statement_id id, struct err *e);
void database_end(struct database *d, enum statement_id id);

/* A column of the row: numbers are 0 and texts "" where it is NULL; valid until the next. */
uint64_t database_number(struct database *d, enum statement_id id, int column);
const char *database_text(struct database *d, enum statement_id id, int column);
struct value database_bytes(struct database *d, enum statement_id id, int column);

/* A transaction: begin, and then commit or, when something failed, roll back. */
MUST_USE int database_begin(struct database *d, struct err *e);
MUST_USE int database_commit(struct database *d, struct err *e);
void database_roll_back(struct database *d);

/* The number of the last inserted row. */
uint64_t database_row(const struct database *d);

#endif
