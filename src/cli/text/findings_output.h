/* Results as the user sees them: sentences, or the one JSON object. */
#ifndef CLEW_CLI_TEXT_FINDINGS_OUTPUT_H
#define CLEW_CLI_TEXT_FINDINGS_OUTPUT_H

#include "campaign/campaign.h"
#include "cli/session.h"
#include "report/findings_file.h"
#include "trace/finding.h"

/* The finding as a sentence, and its events a line each. */
void report_finding(struct session *s, const struct finding *finding);

/* A race with its number: the sentence, its events, the missing order and, where there is one, the
 * witness: event by event of the trace, or by their numbers when the trace is NULL. */
void report_race(struct session *s, const struct finding *finding, uint64_t number,
                 const struct trace *trace);

/* All findings up to the limit, numbered from 1: each as a race or, with --jsonl, as a line. */
void report_list(struct session *s, const struct findings *f);

/* Why there is no finding of the number that --explain asks for, where there are `count`; -1. */
int report_unexplained(uint64_t number, size_t count, struct err *e);

/* The finding as one line of JSON. */
void report_line(struct session *s, const struct finding *finding, uint64_t number);

/* A finding file about the session's inputs. */
void report_begin(struct finding_file *f, const struct session *s);

/* Prints ", 2 suppressed, 1 known from the baseline", without counts of 0. */
void report_hidden(struct session *s);

/* Takes the findings away that are not to be shown, from number `first` on. */
void report_hide(struct session *s, struct findings *f, size_t first);

/* Adds the number of hidden findings and the resource usage to the stats and prints the object. */
void report_print(struct finding_file *f, struct session *s);

/* The command that shows a violation of a campaign again: its folder, and the schedule in it. */
const char *report_replay(struct findings *f, const struct campaign_about *about,
                          const char *folder, const char *schedule);

/* "1 task", "2 tasks". */
void report_count(struct out *out, uint64_t count, const char *one, const char *many);

/* Text of several lines, each indented. */
void report_lines(struct session *s, const char *text);

#endif
