/* Runs of a cluster: what its launcher (runtime/cluster/launcher.c) asks of the runtime, which it
 * calls through wire/cluster.h. */
#ifndef CLEW_RUNTIME_CONTROL_SCHED_CLUSTER_RUN_H
#define CLEW_RUNTIME_CONTROL_SCHED_CLUSTER_RUN_H

#include <stdint.h>

struct process;

/* A run begins. */
void cluster_begin(void);
/* The node of a process that is forked by one of this node. */
uint32_t cluster_take_node(uint32_t parent);
/* Something was written to the descriptor; a child of the process has ended. */
void cluster_written(int fd);
void cluster_child_ended(const struct process *parent);

#endif
