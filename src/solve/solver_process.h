/* A solver process: another program behind pipes.
 *
 *     struct program p;
 *     if (program_open(&p, &(struct program_options){.command = "z3 -in"}, e) < 0) { ... }
 *     program_say(&p, "(check-sat)\n", 12);
 *     if (program_hear(&p, is_whole, &scan, e) < 0) { ... }     p.heard.at[0 .. p.heard.count)
 *     program_close(&p);
 *
 * It does not outlive program_close; a program that reads to the end of its input does not outlive
 * us either. */
#ifndef CLEW_SOLVE_SOLVER_PROCESS_H
#define CLEW_SOLVE_SOLVER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"

struct program_options {
    const char
        *command;       /* words split at blanks; '...', "..." and \ as in a shell; no shell runs */
    uint64_t bytes_max; /* of its memory; 0: unlimited */
};

struct program {
    pid_t pid;
    int in;  /* to its standard input */
    int out; /* from its standard output */
    int err; /* from its standard error */
    VEC(char) to_say;
    size_t said;         /* of to_say */
    VEC(char) heard;     /* from its standard output, not yet consumed */
    size_t heard_max;    /* more output than this at once is an error; set by the caller */
    uint64_t deadline;   /* on limit_now_ns' clock; 0: none; set by the caller */
    bool is_late;        /* program_hear failed because of it */
    char complaint[256]; /* the beginning of its standard error */
    size_t complaint_size;
};

/* Starts the program. Fails when the command has no words or an open quote, or cannot be run. */
MUST_USE int program_open(struct program *p, const struct program_options *options, struct err *e);

/* Queues the text for program_hear to send. */
void program_say(struct program *p, const char *text, size_t size);

/* Sends the queued text and collects p->heard until is_enough(context, heard, size) returns true.
 * Fails when the program ends first, exceeds heard_max, or the deadline passes; it is then
 * unusable. */
MUST_USE int program_hear(struct program *p,
                          bool (*is_enough)(void *context, const char *bytes, size_t size),
                          void *context, struct err *e);

/* Removes the first bytes of p->heard. */
void program_take(struct program *p, size_t size);

/* Kills the program and releases it. */
void program_close(struct program *p);

#endif
