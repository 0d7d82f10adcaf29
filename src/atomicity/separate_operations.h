/* Couples whose accesses are parts of two things that the program does one after the other, and not
 * of one that was meant to be atomic:
 *
 * - Calls: two complete calls that a task's start routine, main or a round of a loop makes, the
 *   first of which has written a shared variable: deposit(a); withdraw(a).
 * - Loop: two rounds of a function's outermost loop. Reads of two variables stay together, unless
 *   the first round writes one or a round reads both: a loop that adds up accounts reads one in
 *   each round. Also a round of the routine that has written, and the code behind the loop.
 * - Actions: a write, and a read in another critical section or call, which itself then writes the
 *   variable. Each of the two is complete. Also two updates of a counter, or of a variable that its
 *   part has read before, at one place; and the read of a counter's update beside another variable.
 *   The first may also be a check under a shared lock, which the same call repeats under the
 *   exclusive lock. Or it is an attempt: a read from which another section, which took the lock at
 *   the same place, goes on to a write, as take() does where the list is not empty.
 * - Wait: the task waits for a condition between the two, and reads the variable again, or tests
 *   again what it read: its first access behind the wait is one that it made before the first of
 *   the two.
 * - Compared: a version that the task has read is compared again before the second access, and
 *   nothing is done if it has changed (compared_again.h).
 * - Asserted: a write, and a read in another critical section by which the program decides only
 *   whether it aborts.
 * - Sync: one of them is a call with a lock, condition or semaphore.
 *
 * Only recordings have calls (call_scope.h): couples of other traces are never apart. */
#ifndef CLEW_ATOMICITY_SEPARATE_OPERATIONS_H
#define CLEW_ATOMICITY_SEPARATE_OPERATIONS_H

#include "atomicity/access_sites.h"

/* Collects the updates and lock holders for apart_why; the sites are otherwise complete. O(accesses
 * * locks held there). */
void apart_build(struct sites *s);

/* Why the couple is apart; SETTLED_NOT: it is not. Only two complete actions are apart where a
 * marked region contains both accesses (is_marked), or a critical section whose lock another task
 * holds too when it uses one of the variables. O(depth of scopes + accesses around + square of the
 * locks held). */
enum settled_by apart_why(const struct sites *s, const struct couple *c, bool is_marked);

/* Whether the couple and the site between, of another task, are three complete updates of one
 * variable: each reads it and then writes it in a section of its own. Taking from a free list and
 * giving back, while another task takes, is another order of updates. A task that only looks
 * between sees a value that was not meant for it. */
bool apart_are_updates(const struct sites *s, const struct couple *c, uint32_t between);

/* Whether an access of a recording is part of an update that only adds to the value, as `count++`:
 * two such updates of one variable may change places, and their order is part of no pattern. A task
 * that looks at the result, as `if (--count == 0)`, decides its later accesses by it: only the last
 * access of its couple (is_last) is then such an update. */
bool apart_is_update(const struct sites *s, uint32_t site, bool is_last);

#endif
