/* After bug 169 of MySQL: rows are changed under the lock of the table, and the statement is
 * appended to the binary log under the lock of the log, after the other was given back. An insert
 * between the two of a delete is logged in the wrong order, and a recovery from the log ends with
 * another table.
 *
 * couple: rows delete, line_count append
 * couple: rows insert, line_count append
 * couple: rows delete, lines statement
 * couple: rows insert, lines statement
 * pattern: 3 4 */
#include "kernel.h"

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    long rows;
} table;

enum { LOG_MAX = 64, STATEMENT_DELETE = 1, STATEMENT_INSERT = 2 };

static long line_count;
static char lines[LOG_MAX];

/* Appends the statement while the table is still locked, or after. */
static void log_statement(char statement)
{
#ifndef FIXED
    pthread_mutex_unlock(&table_lock);
#endif
    pthread_mutex_lock(&log_lock);
    lines[line_count] = statement; /* statement append */
    line_count = line_count + 1;   /* append */
    pthread_mutex_unlock(&log_lock);
#ifdef FIXED
    pthread_mutex_unlock(&table_lock);
#endif
}

static void *delete_all(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&table_lock);
        table.rows = 0; /* delete */
        log_statement(STATEMENT_DELETE);
    }
    return unused;
}

static void *insert(void *unused)
{
    kernel_late();
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&table_lock);
        table.rows = table.rows + 1; /* insert */
        log_statement(STATEMENT_INSERT);
    }
    return unused;
}

/* What a recovery from the log would make of the table. */
static int is_wrong(void)
{
    long rows = 0;
    for (long i = 0; i < line_count; i++) {
        rows = lines[i] == STATEMENT_DELETE ? 0 : rows + 1;
    }
    return rows != table.rows;
}

int main(void)
{
    return kernel_run(delete_all, insert, is_wrong);
}
