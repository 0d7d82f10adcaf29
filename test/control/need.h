/* For programs whose runs end with status 0 whoever goes when, and with another when something did
 * not do what it says. */
#ifndef CLEW_TEST_CONTROL_NEED_H
#define CLEW_TEST_CONTROL_NEED_H

#include <stdlib.h>

enum { BAD = 3 };

#define NEED(claim)     \
    do {                \
        if (!(claim)) { \
            exit(BAD);  \
        }               \
    } while (0)

#endif
