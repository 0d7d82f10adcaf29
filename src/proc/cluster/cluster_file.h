/* The cluster file: several programs as the nodes of a system, in YAML.
 *
 *     nodes:
 *       primary: {run: redis-server --dir $DATA, ready: "Ready to accept"}
 *       replica: {run: redis-server --replicaof primary 6379, after: primary}
 *       s: {run: redis-sentinel $DATA/s.conf, count: 3, files: {s.conf: s.conf}}
 *     workload:
 *       writer:  {run: python3 writer.py, environment: {PORT: 6379}}
 *     check: python3 check.py
 *     limits: {steps: 50000, hang: 20}
 *
 *     struct cluster c = {0};
 *     if (cluster_read(&c, "cluster.yaml", e) < 0) { ... "line 3, column 5: ..." ... }
 *     c.programs[0].words             {"redis-server", "--dir", "/srv/clew-data/primary"}
 *     cluster_release(&c);
 *
 * `run` is split into words here, never by a shell (command_words.h). Reading a file runs nothing.
 * Man page: clew-cluster(5). */
#ifndef CLEW_PROC_CLUSTER_CLUSTER_FILE_H
#define CLEW_PROC_CLUSTER_CLUSTER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/in.h"

/* The folder below that of the file which each run has for itself: a folder for each node, $DATA,
 * and what each program printed, NAME.log. */
#define CLUSTER_DATA "clew-data"

enum { CLUSTER_NODES_MAX = 100, CLUSTER_PROGRAMS_MAX = 110, CLUSTER_NAME_MAX = 31 };

enum cluster_role {
    CLUSTER_NODE,     /* runs until the end of the run */
    CLUSTER_WORKLOAD, /* the run ends when all of these have ended */
    CLUSTER_CHECK,    /* started then; its exit status is part of the verdict */
};

/* A file that a program finds in the folder of its node. */
struct cluster_copy {
    const char *to;   /* below the folder */
    const char *from; /* below that of the cluster file */
};

struct cluster_program {
    const char *name;
    enum cluster_role role;
    uint32_t node;            /* index of the node that it runs on */
    const char *const *words; /* of its command, ended by NULL */
    size_t word_count;
    const char *const *environment; /* "NAME=VALUE" */
    size_t environment_count;
    const struct cluster_copy *copies;
    size_t copy_count;
    const char *ready;     /* a regular expression; NULL: it is ready once it was started */
    const uint32_t *after; /* indices of programs that have to be ready before it starts */
    size_t after_count;
};

/* {0} is empty. */
struct cluster {
    struct arena arena;
    const char *root;         /* the folder of the file */
    const char *const *nodes; /* names; the address of the first is 127.77.0.1 */
    size_t node_count;
    const struct cluster_program *programs; /* nodes, workload, check, in the order of the file */
    size_t program_count;
    const char *history;          /* the file that clients write (proc/cluster/client_history.h) */
    const char *history_variable; /* "HISTORY=" and the file, for their environment */
    bool has_history;             /* it is checked after each run */
    uint64_t steps;               /* 0: no limit is given */
    uint64_t hang_seconds;        /* 0: none is given */
};

/* Reads the file. Fails (-1, e set with line and column) on YAML that is malformed or has aliases,
 * unknown keys, names, paths and commands that break the rules of clew-cluster(5); c must be
 * released either way. */
MUST_USE int cluster_read(struct cluster *c, const char *path, struct err *e);

/* The same of bytes, as if they stood in the folder `root`. */
MUST_USE int cluster_parse(struct cluster *c, struct in *in, const char *root, struct err *e);
void cluster_release(struct cluster *c);

/* The address of a node as its programs know it. */
struct cluster_address {
    char text[sizeof "127.77.0.255"];
};
struct cluster_address cluster_address(uint32_t node);

#endif
