/* Five bugs of HBase and MapReduce from the TaxDC study, each a small scenario of three nodes. A
 * scenario with its bug turned on runs alone; when none is, all five run side by side, as they are
 * when they are right. */
#ifndef CASES_TAXDC_TAXDC_H
#define CASES_TAXDC_TAXDC_H

#include <clew/sim.h>

enum { A, B, C, NODE_COUNT };

/* What a node tells itself is what a thread of its own has done. */
enum message_type {
    KEY_REQUEST, /* h5780 */
    KEY,
    JOIN_NOW,
    JOIN,
    CONTAINER, /* m3274 */
    WORKED,
    PREEMPT,
    PREEMPTED,
    COMPLETED,
    TASK, /* m5358 */
    ATTEMPTED,
    SUCCEEDED,
    KILL_ATTEMPT,
    CLEAN, /* m4157 */
    CLEANED,
    UNREGISTER,
    KILL_MASTER,
    REDUCED, /* m5009 */
    COMMIT,
    GRANTED,
    DONE,
    ABORT,
    KILL_REDUCE,
    MESSAGE_TYPES
};

/* What a node knows, a part for each scenario. */
struct node {
    struct {
        int code;             /* of a region server, 0 before the key has come */
        bool has_null_member; /* the master let somebody join without a code */
    } h5780;
    struct {
        bool has_container;
        bool is_told_to_stop;
        bool is_waiting; /* the application master, for the end of the task it wants to stop */
    } m3274;
    struct {
        bool is_killed;    /* the attempt of this node manager */
        bool is_task_done; /* as the application master knows it */
        bool is_confused;  /* a task that is done was done again */
    } m5358;
    struct {
        enum { FILES_THERE, CLEANING, CLEAN_NOW } files;
        bool is_ended;
        bool has_left_files; /* the application master was ended too early */
    } m4157;
    struct {
        enum { REDUCING, COMMITTING, COMMITTED } phase;
        int attempt;
        bool is_committing; /* as the application master knows it */
        bool is_confused;   /* committed again */
    } m5009;
};

struct scenario {
    const char *name;
    const char *about;
    bool *is_broken;
    void (*start)(struct node *node);
    void (*message)(struct node *node, const struct clew_message *m);
    enum message_type messages_first; /* the scenario's own are these */
    enum message_type messages_last;
};

extern const struct scenario h5780, m3274, m5358, m4157, m5009;

static inline void send_word(int to, enum message_type type)
{
    clew_send(to, type, NULL, 0);
}

#endif
