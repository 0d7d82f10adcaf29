/* The HTML page of an execution: one file that a browser opens without a network.
 *
 *     struct page p = {.title = "run.clew",
 *                      .verdict = "count is written by ...",
 *                      .runs = {{.title = "run.clew", .trace = &t}},
 *                      .run_count = 1};
 *     if (page_write(&p, &out, e) < 0) { ... }
 *
 *     +--------------------------------------------+
 *     | verdict, command that replays it, assumed  |
 *     +----------------------------+---------------+
 *     | space-time diagram:        | the event:    |
 *     | lanes, arrows, locks held  | source, state |
 *     +----------------------------+---------------+
 *
 * The page holds the trace as packed columns (page/columns.h) and names as JSON; its script and
 * style are built into the program. A Content-Security-Policy forbids everything else. Names from
 * traces reach the document as text only. */
#ifndef CLEW_PAGE_PAGE_H
#define CLEW_PAGE_PAGE_H

#include "base/err.h"
#include "base/out.h"
#include "report/explanation.h"
#include "trace/finding.h"

/* A source file that locations of the trace name: "account.c:11". Only lines near an event enter
 * the page. */
struct page_file {
    const char *name; /* as the locations have it */
    const char *text;
    size_t size;
};

/* A step of a run: the changes that it made, and its line of the source. Texts are "" where there
 * is nothing to say. */
struct page_step {
    const char *detail; /* "term=2 (was 1)" */
    const char *source;
};

#define PAGE_STEP_NONE UINT32_MAX

/* A run that the page shows. */
struct page_run {
    const char *title;         /* the name of its input */
    const struct trace *trace; /* sealed */
    /* Of a run under control: the step of each event, PAGE_STEP_NONE where it has none, and the
     * steps. */
    const uint32_t *event_steps;
    size_t event_step_count;
    const struct page_step *steps;
    size_t step_count;
    uint32_t step_first; /* the number of the first of them */
};

/* Of the runs that take the first steps of a run and draw the rest at random, those that fail as it
 * does. */
struct page_share {
    uint32_t step_count, failed, runs;
};

/* Texts may be NULL where there are none. */
struct page {
    const char *title;   /* of the document */
    const char *verdict; /* one sentence */
    const char *cause;   /* of a failure: the race, deadlock or violation that it comes from */
    const char *replay;  /* the command that shows it */
    const char *const *assumptions;
    size_t assumption_count;
    struct page_run runs[2];
    size_t run_count;                /* 2: another run stands beside the first */
    const struct findings *findings; /* whose events are positions in the first run; NULL: none */
    size_t findings_elsewhere;       /* findings that the page does not show */
    const struct explanation *explanation; /* of the first finding; NULL: none */
    const struct page_share *shares;       /* of the first run, in ascending order of steps */
    size_t share_count;
    const char *lost;   /* the sentence of the step where the share rises most */
    uint32_t lost_step; /* that step, from 0; PAGE_STEP_NONE: none */
    const struct page_file *files;
    size_t file_count;
};

/* Writes the page. Fails when an event of a finding is not in the first run. O(events log events);
 * of two runs also the cost of order/pair_events.h. */
MUST_USE int page_write(const struct page *p, struct out *out, struct err *e);

#endif
