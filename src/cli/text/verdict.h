/* Verdicts and exit statuses: decided here for every verb (docs: clew(1), EXIT STATUS).
 *
 *     found     1   something was found, whatever else is unknown
 *     unknown   3   a budget ended before an answer, or an assumption could not be checked
 *     clean     0   nothing was found, and nothing was left open */
#ifndef CLEW_CLI_TEXT_VERDICT_H
#define CLEW_CLI_TEXT_VERDICT_H

#include "report/findings_file.h"

enum verdict verdict_of(bool is_found, bool is_open);

/* The status that a command with this verdict ends with. */
int verdict_status(enum verdict verdict);

/* The status of a search. Its verdict is unknown unless it saw every execution; still, having spent
 * its budget, it has done its work, unless something kept it from searching or it ended before
 * (`is_hindered`). */
int verdict_status_of_search(enum verdict verdict, bool is_hindered);

#endif
