/* Two owners drop their reference to an object whose count is a plain variable.
 *
 * race: object.references drop drop */
#include "../race.h"

static struct {
    int references;
    int value;
} object = {.references = 3, .value = 1};

static void *owner(void *unused)
{
    MUST(object.value == 1);
    object.references--; /* drop */
    return unused;
}

int main(void)
{
    threads_run(owner, owner);
    return 0;
}
