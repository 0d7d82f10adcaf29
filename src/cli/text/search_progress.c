#include "cli/text/search_progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limit.h"
#include "cli/text/progress.h"

void searching_begin(struct searching *s, const struct session *session, const char *subject)
{
    *s = (struct searching){.subject = subject, .begin_ns = limit_now_ns()};
    s->is_on = !session->common->quiet && !session->common->json && isatty(STDERR_FILENO) == 1;
    stopping_begin(&s->stopping);
}

void searching_end(struct searching *s)
{
    stopping_end(&s->stopping);
    if (s->is_shown) {
        progress_show("");
    }
}

static void print_line(char *line, size_t size, const char *subject,
                       const struct explore_progress *p, uint64_t elapsed_ns)
{
    const double seconds = elapsed_ns == 0 ? 1 : (double)elapsed_ns / 1e9;
    struct progress_number runs = progress_number((double)p->runs);
    struct progress_number runs_rate = progress_number((double)p->runs / seconds);
    struct progress_number steps_rate = progress_number((double)p->steps / seconds);
    int used = snprintf(line, size, "%.40s: %s runs, %s/s, %s steps/s", subject, runs.text,
                        runs_rate.text, steps_rate.text);
    if (p->coverage.block_covered > 0 && used > 0 && (size_t)used < size) {
        used += snprintf(line + used, size - (size_t)used, ", %u of %u blocks",
                         p->coverage.block_covered, p->coverage.block_total);
    }
    if (p->states > 0 && used > 0 && (size_t)used < size) {
        used += snprintf(line + used, size - (size_t)used, ", %llu ends",
                         (unsigned long long)p->states);
    }
    if (used > 0 && (size_t)used < size && p->violation_count > 0) {
        (void)snprintf(line + used, size - (size_t)used, ", %llu found, the last %.0f s ago",
                       (unsigned long long)p->violation_count, (double)p->find_ns / 1e9);
    }
}

void searching_show(struct searching *s, const char *line)
{
    if (s->is_on) {
        progress_show(line);
        s->is_shown = true;
    }
}

void searching_progress(void *context, const struct explore_progress *p)
{
    struct searching *s = context;
    if (!s->is_on) {
        return;
    }
    char line[200];
    print_line(line, sizeof line, s->subject, p, limit_now_ns() - s->begin_ns);
    searching_show(s, line);
}
