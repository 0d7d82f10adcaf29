/* Predictions from the exact traces of several runs of a program: races, uses after free, deadlocks
 * and atomicity violations, one finding for each key, whichever runs show it.
 *
 *     struct predictions p;
 *     predictions_init(&p);
 *     predictions_add(&p, &trace, 0, &limit);        run 0
 *     predictions_close(&p);                         p.list, in the order to confirm them
 *     predictions_release(&p);
 */
#ifndef CLEW_HUNT_PREDICTIONS_H
#define CLEW_HUNT_PREDICTIONS_H

#include "base/limit.h"
#include "base/names.h"
#include "hunt/confirm_finding.h"
#include "trace/finding.h"

/* A predicted finding, and the answer of the real program. */
struct prediction {
    struct finding finding; /* its events have the number of their run as `input` */
    bool is_tried;
    struct confirmation answer; /* if is_tried */
};

struct predictions {
    struct findings races, atomicity; /* findings of all runs; their arenas hold all texts */
    struct names keys;                /* of the races */
    bool is_cut;                      /* the limit ended an analysis, or an analysis failed */
    VEC(struct prediction) list;
};

void predictions_init(struct predictions *p);
void predictions_release(struct predictions *p);

/* Analyses the sealed trace of run number `run`. */
void predictions_add(struct predictions *p, const struct trace *t, uint32_t run,
                     const struct limit *limit);

/* Makes the list: uses after free, then deadlocks, data races and atomicity violations. */
void predictions_close(struct predictions *p);

/* Whether a confirmed prediction has done no harm and is no bug by itself: that two accesses belong
 * together is an assumption, while a data race is undefined behaviour. */
bool prediction_is_harmless(const struct prediction *p);

/* The number of predictions with this status; those that were not tried are STATUS_PREDICTED. */
size_t predictions_count(const struct predictions *p, enum finding_status status);

#endif
