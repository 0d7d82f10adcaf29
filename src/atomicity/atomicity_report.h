/* Findings in words: the interleaving, its places, the locks held there, and the fix.
 */
#ifndef CLEW_ATOMICITY_ATOMICITY_REPORT_H
#define CLEW_ATOMICITY_ATOMICITY_REPORT_H

#include "atomicity/match.h"
#include "atomicity/region.h"
#include "trace/finding.h"

/* The kind of finding that a match is: by its pattern and the kind of variable. */
enum finding_kind match_kind(const struct match *m);

/* The key of a match: equal for those of one pattern at the same places; in f's arena. */
const char *match_key(struct findings *f, const struct match *m);

/* Adds the match to f, graded and with its execution (NULL: without). */
struct match_report_options {
    enum finding_grade grade;
    const event_id *witness;
    size_t witness_count;
    uint32_t input;
};

void report_match(struct findings *f, const struct match *m, const struct match_report_options *o);

/* The key of a region's finding: equal for regions of one name and place, broken at equal places;
 * in f's arena. */
const char *region_key(struct findings *f, const struct trace *t, const struct region_found *r);

/* Adds the region to f. */
void report_region(struct findings *f, const struct trace *t, const struct region_found *r,
                   uint32_t input);

#endif
