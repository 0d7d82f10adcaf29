/* How clew tells the launcher of a cluster what to start, and how the launcher speaks to the
 * runtime that controls it.
 *
 * The launcher (runtime/cluster/launcher.c) is the first process of a run. Its arguments describe
 * the programs, one after the other; each argument is a letter and a text:
 *
 *     "Pprimary" "N1" "D/srv/data/primary" "L/srv/data/primary.log" "Wredis-server"
 *     "Wwriter"  "N2" ... */
#ifndef CLEW_WIRE_CLUSTER_H
#define CLEW_WIRE_CLUSTER_H

#include <stdint.h>

/* ARGUMENT(id, letter): the first three begin a program of their role. */
#define CLUSTER_ARGUMENT_LIST(ARGUMENT)                                               \
    ARGUMENT(PROGRAM_NODE, 'P')     /* its name */                                    \
    ARGUMENT(PROGRAM_WORKLOAD, 'U') /* likewise */                                    \
    ARGUMENT(PROGRAM_CHECK, 'C')    /* likewise */                                    \
    ARGUMENT(NUMBER, 'N')           /* of its node, from 1 */                         \
    ARGUMENT(FOLDER, 'D')           /* of its node */                                 \
    ARGUMENT(LOG, 'L')              /* the file that it prints to */                  \
    ARGUMENT(READY, 'R')            /* a regular expression */                        \
    ARGUMENT(AFTER, 'A')            /* the index of a program that has to be ready */ \
    ARGUMENT(VARIABLE, 'E')         /* of the environment: NAME=VALUE */              \
    ARGUMENT(COPY_FROM, 'F')        /* a file, ... */                                 \
    ARGUMENT(COPY_TO, 'T')          /* ... and where it is copied to */               \
    ARGUMENT(WORD, 'W')             /* of its command */

enum cluster_argument {
#define ARGUMENT(id, letter) CLUSTER_##id = (letter),
    CLUSTER_ARGUMENT_LIST(ARGUMENT)
#undef ARGUMENT
};

/* How a run of a cluster ended. */
enum cluster_end {
    CLUSTER_PASSED,
    CLUSTER_EXITED,  /* a program of the workload or a node ended with a status other than 0 */
    CLUSTER_CHECKED, /* the check did */
    CLUSTER_UNABLE,  /* the launcher could not do its work */
};

#define CLUSTER_WEAK __attribute__((weak, visibility("default")))

/* The next process that the caller forks is known by this path and belongs to this node. */
void clew_rt_cluster_fork(const char *path, uint32_t node) CLUSTER_WEAK;
/* What is written to the descriptor is news. */
void clew_rt_cluster_log(int fd) CLUSTER_WEAK;
/* Waits for news: something was written to a log, or a child has ended. `starting` says which nodes
 * are not ready. */
void clew_rt_cluster_await(const char *starting) CLUSTER_WEAK;
/* All nodes are ready. */
void clew_rt_cluster_ready(void) CLUSTER_WEAK;
/* Ends the run and all its processes. */
_Noreturn void clew_rt_cluster_end(enum cluster_end end, const char *text) CLUSTER_WEAK;

#endif
