/* What clew tells the launcher of a cluster (wire/cluster.h). */
#ifndef CLEW_PROC_CLUSTER_LAUNCH_H
#define CLEW_PROC_CLUSTER_LAUNCH_H

#include "base/vec.h"
#include "proc/cluster/cluster_file.h"

typedef VEC(char *) launch_words;

/* Appends the launcher's arguments, its name first and NULL last. The texts are in the cluster's
 * arena. */
void launch_put_words(struct cluster *c, launch_words *words);

#endif
