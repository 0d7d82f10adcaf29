/* Grades: a finding is *sound* when a beginning of a real execution shows it, in which every read
 * (but the last event of a task) sees the write it saw; else *may*. */
#ifndef CLEW_ATOMICITY_ATOMICITY_GRADE_H
#define CLEW_ATOMICITY_ATOMICITY_GRADE_H

#include "atomicity/execution.h"
#include "solve/solve.h"
#include "trace/finding.h"

/* Grades the claim, whose execution x has been checked. Another execution that shows the claim, and
 * has been checked too, may replace x. The slice that the places need is asked `via` a solver.
 * Traces that do not tell which writes reads saw, and questions of more than a few thousand events,
 * are graded may. */
enum finding_grade grade_claim(const struct frame *f, const event_id *places, size_t place_count,
                               struct segments *x, enum solve_way via);

#endif
