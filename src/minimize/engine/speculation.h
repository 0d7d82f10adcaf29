/* Looking ahead: other processes find out what the next candidates come to, on the guess that each
 * before them comes to nothing, which is so for most.
 *
 *     leader      runs candidates 0, 3, 6 ..., and asks of the others in turn
 *     worker 1    runs candidates 1, 4, 7 ..., tells what they came to
 *     worker 2    runs candidates 2, 5, 8 ...
 *
 * A worker is a fork of the leader in the midst of a stage, and goes on with the stage as the
 * leader will: what it does not run itself it takes for fruitless. The first candidate that is not
 * is run by the leader too, so that all that is accepted was found by the leader, in the order of
 * candidates, and is the same with any number of workers. Who found it goes on with it as the
 * leader does; the others guessed wrong, and end. Workers die with the leader. */
#ifndef CLEW_MINIMIZE_ENGINE_SPECULATION_H
#define CLEW_MINIMIZE_ENGINE_SPECULATION_H

#include <stdbool.h>
#include <stdint.h>

struct speculation;

/* What a candidate came to. */
struct glimpse {
    uint64_t key; /* of its plan: a worker that went another way than the leader is found out */
    uint64_t steps;
    uint64_t steps_reused; /* of them, that were not taken again */
    uint32_t replays;      /* more than one where replays of one plan differ */
    bool is_fruitless;
};

/* For so many processes; NULL, which all of these take, when that is less than two. */
struct speculation *speculation_new(uint32_t process_count);
void speculation_free(struct speculation *f);

/* Whether keys are of any use now. */
bool speculation_is_on(const struct speculation *f);

/* Whether this process is a worker: it tells nobody but the leader anything. */
bool speculation_is_worker(const struct speculation *f);

/* Whether the next candidate, which has this key, is known to be fruitless; then what it came
 * to. Waits for the worker whose it is. In a worker, true for those that are not its own. */
bool speculation_knows(struct speculation *f, uint64_t key, struct glimpse *known);

/* The candidate asked for last was run and came to this. In the leader, workers that are missing
 * begin when this was fruitless for a while; when it is not, all end but the one that had found it.
 * Where none can be made, the leader goes on alone. */
void speculation_note(struct speculation *f, const struct glimpse *g);

/* What follows cannot be foreseen: workers end, and this one, if it is one. */
void speculation_end(struct speculation *f);

#endif
