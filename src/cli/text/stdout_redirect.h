/* Output of systems and properties. Their code is loaded into this process and has its standard
 * output, where results go and nothing else. */
#ifndef CLEW_CLI_TEXT_STDOUT_REDIRECT_H
#define CLEW_CLI_TEXT_STDOUT_REDIRECT_H

#include "base/err.h"

/* To be called before such code is loaded: its output is dropped, where it is run again and again.
 * This holds until the process ends, when some of that code may still run. */
MUST_USE int printed_drop(struct err *e);

/* The same, or later: it goes to standard error, at once, where one run is shown. */
MUST_USE int printed_show(struct err *e);

#endif
