/* Couples whose accesses are parts of two things that the program does one after the other, and not
 * of one that was meant to be atomic:
 *
 * - Calls: two complete calls that a task's start routine, main or a round of a loop makes, the
 *   first of which has written something that tasks share: deposit(a); withdraw(a).
 * - Loop: two rounds of a function's outermost loop. Reads of two variables, neither of which the
 *   first round writes, stay together: a loop that adds up accounts reads one in each round. Also a
 *   round of the routine that has written, and what follows the loop.
 * - Actions: a write, and a read in another critical section or call, which itself then writes what
 *   it has read. Each of the two is complete. Also two updates of a counter, or of what a part has
 *   read before, at one place; and the read of a counter's update beside another variable. The
 *   first may also be a read that was an attempt: another section that took the lock at the same
 * place goes on from this read to a write, as take() does where the list is not empty.
 * - Wait: the task waits for a condition between the two, and reads the variable again.
 * - Sync: one of them is a call with a lock, condition or semaphore.
 *
 * Only what a recording tells about calls (scope.h) says so: couples of traces without it are never
 * apart. */
#ifndef CLEW_ATOMICITY_SEPARATE_OPERATIONS_H
#define CLEW_ATOMICITY_SEPARATE_OPERATIONS_H

#include "atomicity/access_sites.h"

/* Collects what apart_why asks for; the sites are otherwise complete. O(accesses * locks held
 * there). */
void apart_build(struct sites *s);

/* Why the couple is apart; SETTLED_NOT: it is not. Where a marked region or a lock that is held
 * across makes it one operation (is_one), only two complete actions are apart. O(depth of scopes +
 * accesses around). */
enum settled_by apart_why(const struct sites *s, const struct couple *c, bool is_one);

/* Whether the couple and the site between, of another task, are three complete updates of one
 * variable: each reads it and then writes it in a section of its own. Taking from a free list and
 * giving back, while another task takes, is another order of updates. Who only looks between sees a
 * value that was not meant for it. */
bool apart_are_updates(const struct sites *s, const struct couple *c, uint32_t between);

/* Whether an access of a recording is part of an update that only adds to what it finds, as
 * `count++`: two such updates of one variable may change places, and no pattern comes of their
 * order. */
bool apart_is_update(const struct sites *s, uint32_t site);

#endif
