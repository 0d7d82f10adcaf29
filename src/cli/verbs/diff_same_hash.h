/* Two schedules whose headers have one hash: whether they can be of one execution. */
#ifndef CLEW_CLI_VERBS_DIFF_SAME_HASH_H
#define CLEW_CLI_VERBS_DIFF_SAME_HASH_H

#include "trace/schedule.h"

/* Writes why the two, whose steps are in order, are not of one execution; "" where nothing that
 * they say is against it. What only one says that a request brings is not: it may be what it brings
 * by itself. A choice that only one has is against it unless that one names all of its
 * steps, for else it names none that is the default. */
void one_hash_doubt(const struct schedule *first, const struct schedule *second, char *text,
                    size_t size);

/* What b says that this request, named in a, brings; NULL: nothing. */
const struct content *one_hash_content(const struct schedule *b, const struct schedule *a,
                                       const struct message_name *m);

#endif
