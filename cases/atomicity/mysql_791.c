/* After bug 791 of MySQL: to rotate the binary log, the server closes it and opens the next file. A
 * thread that asks in between whether the log is open is told no, and its statement is not logged.
 *
 * couple: state close, state open */
#include "kernel.h"

#include <fcntl.h>

enum log_state { LOG_CLOSED, LOG_OPEN };
enum { STATEMENTS_MAX = 32 };

static struct {
    pthread_mutex_t lock;
    enum log_state state;
    int number; /* of the file: binlog.1 ... */
    int file;
    int statement_count;
    int statements[STATEMENTS_MAX];
} binlog = {.lock = PTHREAD_MUTEX_INITIALIZER, .state = LOG_OPEN, .number = 1, .file = -1};

static void log_close(void)
{
    binlog.state = LOG_CLOSED; /* close */
    close(binlog.file);
}

static void log_open(int number)
{
    binlog.number = number;
    binlog.file = open("/dev/null", O_WRONLY | O_APPEND);
    binlog.state = LOG_OPEN; /* open */
}

static int log_is_open(void)
{
    return binlog.state == LOG_OPEN;
}

static void log_rotate(void)
{
    pthread_mutex_lock(&binlog.lock);
    const int next = binlog.number + 1;
    log_close();
    log_open(next);
    pthread_mutex_unlock(&binlog.lock);
}

static void log_append(int statement)
{
    binlog.statements[binlog.statement_count] = statement;
    binlog.statement_count++;
}

static void execute(int statement)
{
#ifdef FIXED
    pthread_mutex_lock(&binlog.lock);
    if (log_is_open()) {
        log_append(statement);
    }
    pthread_mutex_unlock(&binlog.lock);
#else
    if (log_is_open()) {
        pthread_mutex_lock(&binlog.lock);
        log_append(statement);
        pthread_mutex_unlock(&binlog.lock);
    }
#endif
}

static void *flush_logs(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        log_rotate();
    }
    return unused;
}

static void *client(void *unused)
{
    kernel_late();
    for (int i = 0; i < ROUNDS; i++) {
        execute(i);
    }
    return unused;
}

static int is_wrong(void)
{
    return binlog.statement_count != ROUNDS || binlog.number != 1 + ROUNDS;
}

int main(void)
{
    log_open(1);
    return kernel_run(flush_logs, client, is_wrong);
}
