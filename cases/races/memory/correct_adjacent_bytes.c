/* Two threads write neighbouring bytes and neighbouring members.
 *
 * no race */
#include "../race.h"

static struct {
    char left;
    char right;
    short lower;
    int upper;
} word;
static char bytes[8];

static void *write_left(void *unused)
{
    word.left = 1;
    word.lower = 2;
    for (int i = 0; i < 8; i += 2) {
        bytes[i] = 'a';
    }
    return unused;
}

static void *write_right(void *unused)
{
    word.right = 3;
    word.upper = 4;
    for (int i = 1; i < 8; i += 2) {
        bytes[i] = 'b';
    }
    return unused;
}

int main(void)
{
    threads_run(write_left, write_right);
    MUST(word.left + word.right + word.lower + word.upper == 10);
    MUST(bytes[0] == 'a' && bytes[7] == 'b');
    return 0;
}
