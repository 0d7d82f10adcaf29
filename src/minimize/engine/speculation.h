/* Speculation: other processes run the next candidates ahead of the leader. They guess that each
 * candidate before them is fruitless, which holds for most.
 *
 *     leader      runs candidates 0, 3, 6 ..., and asks the workers in turn
 *     worker 1    runs candidates 1, 4, 7 ..., and reports their outcomes
 *     worker 2    runs candidates 2, 5, 8 ...
 *
 * A worker is a fork of the leader in the midst of a stage, and runs the stage on as the leader
 * will: it takes the candidates of others for fruitless. The leader repeats the first candidate
 * that is not, so that the leader itself has found each accepted candidate, in the order of
 * candidates, and the result is the same with any number of workers. The worker that found it
 * continues from it as the leader does; the others guessed wrong, and end. Workers die with the
 * leader. */
#ifndef CLEW_MINIMIZE_ENGINE_SPECULATION_H
#define CLEW_MINIMIZE_ENGINE_SPECULATION_H

#include <stdbool.h>
#include <stdint.h>

struct speculation;

/* The outcome of a candidate. */
struct glimpse {
    uint64_t key; /* of its plan: a worker that went another way than the leader is found out */
    uint64_t steps;
    uint64_t steps_reused; /* of them, that were not taken again */
    uint32_t replays;      /* more than one where replays of one plan differ */
    bool is_fruitless;
};

/* For process_count processes; NULL, which all of these take, when that is less than two. */
struct speculation *speculation_new(uint32_t process_count);
void speculation_free(struct speculation *f);

/* Whether keys are of any use now. */
bool speculation_is_on(const struct speculation *f);

/* Whether this process is a worker: it tells nobody but the leader anything. */
bool speculation_is_worker(const struct speculation *f);

/* Whether the next candidate, which has this key, is known to be fruitless; then its outcome. Waits
 * for the candidate's worker. In a worker, true for candidates of others. */
bool speculation_knows(struct speculation *f, uint64_t key, struct glimpse *known);

/* The candidate asked for last was run and had this outcome. In the leader, missing workers begin
 * when candidates were fruitless for a while; when one is not, all workers end but the one that had
 * found it. Where none can be made, the leader goes on alone. */
void speculation_note(struct speculation *f, const struct glimpse *g);

/* The next runs depend on more than candidates: workers end, and so does this process if it is one.
 */
void speculation_end(struct speculation *f);

#endif
