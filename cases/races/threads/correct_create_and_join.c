/* What a thread reads is written before it is created, and its result is read after it is joined.
 *
 * no race */
#include "../race.h"

static int input;
static int output;

static void *square(void *unused)
{
    output = input * input;
    return unused;
}

int main(void)
{
    for (input = 0; input < 4; input++) {
        thread_join(thread_start(square, NULL));
        MUST(output == input * input);
    }
    return 0;
}
