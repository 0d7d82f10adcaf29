#include "cli/text/progress.h"

#include <limits.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/limit.h"

static const uint64_t interval_ns = 200000000;

struct progress_number progress_number(double number)
{
    static const char letters[] = " kMGT";
    struct progress_number result;
    size_t step = 0;
    while (number >= 1000 && step + 2 < sizeof letters) {
        number /= 1000;
        step++;
    }
    must(step + 1 < sizeof letters);
    const int decimals = step == 0 || number >= 100 ? 0 : number >= 10 ? 1 : 2;
    (void)snprintf(result.text, sizeof result.text, "%.*f%.*s", decimals, number, step == 0 ? 0 : 1,
                   letters + step);
    return result;
}

void progress_show(const char *line)
{
    struct winsize window = {0};
    const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    const int room = is_known ? window.ws_col - 1 : INT_MAX; /* the last column may wrap */
    (void)fprintf(stderr, "\r\x1b[K%.*s", room, line);
    (void)fflush(stderr);
}

static void print_left(char *text, size_t size, double seconds)
{
    if (seconds < 60) {
        (void)snprintf(text, size, "%.0f s left", seconds);
    } else if (seconds < 3600) {
        (void)snprintf(text, size, "%.0f min left", seconds / 60);
    } else {
        (void)snprintf(text, size, "%.1f h left", seconds / 3600);
    }
}

void progress_print(char *line, size_t size, const struct progress_state *s)
{
    const double seconds = (double)s->elapsed_ns / 1e9;
    const struct progress_number count = progress_number((double)s->count);
    const struct progress_number rate =
        progress_number(seconds > 0 ? (double)s->count / seconds : 0);
    const int used =
        snprintf(line, size, "%.40s: %s %s, %s/s", s->subject, count.text, s->unit, rate.text);
    if (used > 0 && (size_t)used < size && s->total > 0 && s->done > 0) {
        const double share = s->done < s->total ? (double)s->done / (double)s->total : 1;
        must(share > 0);
        must(share <= 1);
        char left[32];
        print_left(left, sizeof left, seconds * (1 - share) / share);
        (void)snprintf(line + used, size - (size_t)used, ", %.0f%%, %s", share * 100, left);
    }
}

void progress_begin(struct progress *p, const char *subject, const char *unit, bool is_on)
{
    *p = (struct progress){.state = {.subject = subject, .unit = unit}};
    p->is_on = is_on && isatty(STDERR_FILENO) == 1;
    if (p->is_on) {
        p->begin_ns = limit_now_ns();
        p->next_ns = p->begin_ns + interval_ns;
    }
}

void progress_step(struct progress *p, uint64_t count, uint64_t done, uint64_t total)
{
    if (!p->is_on) {
        return;
    }
    const uint64_t now = limit_now_ns();
    must(now >= p->begin_ns);
    if (now < p->next_ns) {
        return;
    }
    p->next_ns = now + interval_ns;
    p->state.count = count;
    p->state.done = done;
    p->state.total = total;
    p->state.elapsed_ns = now - p->begin_ns;
    char line[160];
    progress_print(line, sizeof line, &p->state);
    progress_show(line);
    p->is_shown = true;
}

void progress_end(struct progress *p)
{
    if (p->is_shown) {
        progress_show("");
    }
    p->is_on = p->is_shown = false;
}
