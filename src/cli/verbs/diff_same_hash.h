/* Two schedules whose headers have one hash: whether they can be of one execution. */
#ifndef CLEW_CLI_VERBS_DIFF_SAME_HASH_H
#define CLEW_CLI_VERBS_DIFF_SAME_HASH_H

#include "trace/schedule.h"

/* Writes why the two, whose steps are in order, are not of one execution; "" where no line of
 * theirs contradicts it. A content line in only one does not: the request may have these bytes by
 * default. A choice that only one has contradicts it, unless that one names all of its steps;
 * otherwise it names none that is the default. */
void one_hash_doubt(const struct schedule *first, const struct schedule *second, char *text,
                    size_t size);

/* The content in b of this request, named in a; NULL: none. */
const struct content *one_hash_content(const struct schedule *b, const struct schedule *a,
                                       const struct message_name *m);

#endif
