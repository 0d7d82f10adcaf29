/* Ctrl-C for long verbs: the first one ends the work and keeps the findings, the second one ends
 * the program. */
#ifndef CLEW_CLI_INTERRUPT_H
#define CLEW_CLI_INTERRUPT_H

#include <signal.h>

struct stopping {
    struct sigaction before[2];
};

/* Until stopping_end, SIGINT and SIGTERM are heard but once. */
void stopping_begin(struct stopping *s);
void stopping_end(struct stopping *s);

/* Asked after stopping_begin. Not 0 once an end is wanted, here and in processes forked since
 * stopping_begin, whichever of them the signal went to. */
const volatile sig_atomic_t *stopping_wish(void);

#endif
