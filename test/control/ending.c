/* Linked to programs with --wrap=main: a run that goes well ends with a status of its own, so that
 * `clew explore --fail-on exit` keeps its trace. */
#include <stdlib.h>

enum { ENDED_WELL = 77 };

int __real_main(int count, char **words, char **environment);
int __wrap_main(int count, char **words, char **environment);

int __wrap_main(int count, char **words, char **environment)
{
    const int status = __real_main(count, words, environment);
    exit(status == 0 ? ENDED_WELL : status);
}
