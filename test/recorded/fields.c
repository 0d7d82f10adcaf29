/* Small fields of one word that one thread writes while the word is its alone: none hides
 * another, nor do a copy of the whole and what is written after it.
 *
 * race: first reader1
 * race: second reader2
 * race: whole reader3
 * may race: whole reader1
 * may race: whole reader2 */
#include <stdint.h>
#include <string.h>

#include "program.h"

static struct fields {
    uint8_t first, second;
    uint16_t third;
} fields;
static const struct fields zero;
static volatile int turn;

/* An order that the recorder does not see, so that the reader comes second. */
__attribute__((no_sanitize("thread"))) static void hand_on(void)
{
    turn = 1;
}
__attribute__((no_sanitize("thread"))) static void wait_for_turn(void)
{
    while (turn == 0) {
    }
}

static void *write_all(void *unused)
{
    memcpy(&fields, &zero, sizeof fields); /* whole */
    fields.first = 1;                      /* first */
    fields.second = 2;                     /* second */
    hand_on();
    return unused;
}

static void *read_all(void *unused)
{
    wait_for_turn();
    CLAIM(fields.first == 1);  /* reader1 */
    CLAIM(fields.second == 2); /* reader2 */
    CLAIM(fields.third == 0);  /* reader3 */
    return unused;
}

int main(void)
{
    run_both(write_all, read_all);
    return 0;
}
