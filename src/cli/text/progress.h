/* How far along a command is: one line on standard error, rewritten a few times a second and wiped
 * at the end. */
#ifndef CLEW_CLI_TEXT_PROGRESS_H
#define CLEW_CLI_TEXT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Three digits and a letter: 950, 12.3k, 4.56M. */
struct progress_number {
    char text[16];
};
struct progress_number progress_number(double number);

/* Puts the line in the place of the last one on standard error, a terminal: as much of it as fits,
 * for one that wraps cannot be wiped. "" wipes. */
void progress_show(const char *line);

struct progress_state {
    const char *subject; /* name of the current input: a file */
    const char *unit;    /* "events" */
    uint64_t count;      /* of units so far */
    uint64_t done;       /* of total, in whatever measure (bytes) */
    uint64_t total;      /* 0: not known */
    uint64_t elapsed_ns;
};

/* Writes the line, without control characters: the rate, and the remaining time where it can be
 * estimated. */
void progress_print(char *line, size_t size, const struct progress_state *state);

struct progress {
    struct progress_state state;
    bool is_on;
    bool is_shown;
    uint64_t begin_ns;
    uint64_t next_ns;
};

/* Shows nothing when is_on is false or standard error is no terminal. */
void progress_begin(struct progress *p, const char *subject, const char *unit, bool is_on);

/* One comparison in the usual case. */
void progress_step(struct progress *p, uint64_t count, uint64_t done, uint64_t total);

/* Wipes the line. */
void progress_end(struct progress *p);

#endif
