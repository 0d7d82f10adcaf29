/* A counter that is meant to be inexact: the annotation says so. Built with -DSILENT it does not.
 * no race */
#include <clew/clew.h>

#include "program.h"

#ifdef SILENT
#define clew_ignore_begin() (void)0
#endif

static long statistic;

static void *work(void *unused)
{
    clew_ignore_begin();
    clew_ignore_begin();
    statistic++;
    clew_ignore_end();
    statistic++;
    clew_ignore_end();
    return unused;
}

int main()
{
    run_both(work, work);
    return 0;
}
