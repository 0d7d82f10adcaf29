/* The page of the run of a schedule: the run, its violation, the explanation, and the nearest
 * passing run beside it.
 *
 *     struct run_page p = {0};
 *     if (run_page_build(&p, w, &schedule, &options, e) == 0) {
 *         result = page_write_with_sources(&p.page, &folders, &out, e);
 *     }
 *     run_page_release(&p);
 */
#ifndef CLEW_HUNT_RUN_PAGE_H
#define CLEW_HUNT_RUN_PAGE_H

#include "explore/replay.h"
#include "hunt/explain_run.h"
#include "hunt/likelihood.h"
#include "page/page.h"

struct run_page_options {
    const char *title;  /* the name of the schedule */
    const char *replay; /* the command that shows the run; NULL: none */
    const char *cause;  /* what the failure comes from, one sentence; NULL: not known */
    struct explain_options explain;
    const struct likelihood_options *likelihood; /* measure when the run was lost; NULL: do not */
};

/* A run under control, and its trace. */
struct traced_run {
    struct trace trace;
    struct replayed replayed;
};

/* {0} is empty. */
struct run_page {
    struct page page; /* its findings are the violation, if the run has one */
    struct traced_run runs[2];
    struct explained_run explained;
    struct likelihood likelihood;
    struct findings findings;
    struct arena arena;
};

/* Runs the schedule and explains it. A run without a violation, or one that does not follow the
 * schedule, has a page too: its verdict says so. Fails on a schedule for another world, and when
 * the world breaks. */
MUST_USE int run_page_build(struct run_page *p, struct world *w, const struct schedule *s,
                            const struct run_page_options *o, struct err *e);
void run_page_release(struct run_page *p);

#endif
