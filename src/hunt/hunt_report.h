/* The report of a hunt: Markdown for people, findings files for other verbs. */
#ifndef CLEW_HUNT_HUNT_REPORT_H
#define CLEW_HUNT_HUNT_REPORT_H

#include "hunt/hunt.h"
#include "report/findings_file.h"

/* Writes report.md and, where something was predicted, predictions.findings. */
MUST_USE int hunt_report_write(struct hunt *h, struct err *e);

/* Adds each bug as a finding, statistics, and what the answer assumes. Texts belong to the hunt. */
void hunt_report_fill(const struct hunt *h, struct finding_file *f);

/* Writes "bugs", "stages" and "predictions" as members of the object. The context is the hunt. */
void hunt_report_json(const void *hunt, struct json *j);

/* "harmful: the run fails", "benign here: both orders ...": one line. */
void hunt_print_harm(const struct bug *bug, struct out *out);

/* "12 steps, 1 context switch (from 31 and 4)"; nothing where the bug was not minimized. */
void hunt_print_size(const struct hunt *h, const struct bug *bug, struct out *out);

#endif
