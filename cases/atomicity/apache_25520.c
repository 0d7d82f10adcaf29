/* After bug 25520 of Apache's mod_log_config: the buffered writer copies a line to the end of the
 * buffer and then moves the end. Nothing is locked: two lines are copied to the same place, and the
 * access log is garbled.
 *
 * couple: heap copy, heap advance
 * couple: heap advance, heap advance */
#include "kernel.h"

#include <string.h>

enum { BUFFER_SIZE = 256 };

struct buffered_log {
    pthread_mutex_t mutex;
    size_t outcnt;
    char outbuf[BUFFER_SIZE];
};

static struct buffered_log *access_log;

static void flush_log(struct buffered_log *buf)
{
    buf->outcnt = 0; /* flush */
}

static void buffered_log_writer(struct buffered_log *buf, const char *const *parts, int count)
{
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        length += strlen(parts[i]);
    }
#ifdef FIXED
    pthread_mutex_lock(&buf->mutex);
#endif
    if (length + buf->outcnt > BUFFER_SIZE) { /* copy */
        flush_log(buf);
    }
    char *end = &buf->outbuf[buf->outcnt]; /* copy */
    for (int i = 0; i < count; i++) {
        const size_t part = strlen(parts[i]);
        memcpy(end, parts[i], part);
        end += part;
    }
    buf->outcnt += length; /* advance */
#ifdef FIXED
    pthread_mutex_unlock(&buf->mutex);
#endif
}

static void *first(void *unused)
{
    static const char *const line[] = {"10.0.0.1", " GET ", "/", "\n"};
    buffered_log_writer(access_log, line, 4);
    return unused;
}

static void *second(void *unused)
{
    static const char *const line[] = {"10.0.0.2", " HEAD ", "/a", "\n"};
    kernel_late();
    buffered_log_writer(access_log, line, 4);
    return unused;
}

static int is_wrong(void)
{
    return access_log->outcnt != 15 + 17;
}

int main(void)
{
    access_log = calloc(1, sizeof *access_log);
    if (access_log == NULL || pthread_mutex_init(&access_log->mutex, NULL) != 0) {
        return 2;
    }
    const int status = kernel_run(first, second, is_wrong);
    free(access_log);
    return status;
}
