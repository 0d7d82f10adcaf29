/* A small cluster: nodes are processes that send each other datagrams over the loopback.
 *
 * Each program here is a bug of a real system, reduced to what matters, and is lucky or not. The
 * steps that the luck is about have letters; a lucky run takes them in one order, in which the bug
 * does not show, and `PROGRAM unlucky` in another, in which it does (status 1). Who waits for whom
 * is hidden from clew, as the whims of a network are: it sees the run and not why it went so. */
#ifndef CLEW_TEST_RECORDED_CLUSTER_H
#define CLEW_TEST_RECORDED_CLUSTER_H

#include <arpa/inet.h>
#include <clew/clew.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

#define UNSEEN __attribute__((noinline, no_sanitize("thread")))

enum { SECONDS_MAX = 50, STATUS_BUG = 1 };

/* ---- luck ---- */

static const char *steps;       /* in the order of this run */
static volatile int *step_next; /* the one whose turn it is, the same in all processes */

UNSEEN static void step_begin(char step)
{
    const int turn = (int)(strchr(steps, step) - steps);
    for (int i = 0; *step_next < turn; i++) {
        CLAIM(i < SECONDS_MAX * 1000);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    __sync_synchronize();
}

UNSEEN static void step_end(void)
{
    __sync_synchronize();
    *step_next = *step_next + 1;
}

/* ---- messages ---- */

struct message {
    char what[12];
    int value;
};

/* Made before the nodes are, so that a message waits for a node that is late. */
struct mailbox {
    int socket;
    struct sockaddr_in address;
};

static inline void mailbox_open(struct mailbox *box)
{
    socklen_t size = sizeof box->address;
    box->address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    box->socket = socket(AF_INET, SOCK_DGRAM, 0);
    CLAIM(box->socket >= 0);
    CLAIM(bind(box->socket, (struct sockaddr *)&box->address, size) == 0);
    CLAIM(getsockname(box->socket, (struct sockaddr *)&box->address, &size) == 0);
    const struct timeval limit = {.tv_sec = SECONDS_MAX};
    CLAIM(setsockopt(box->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
}

static inline void mail_send(const struct mailbox *from, const struct mailbox *to, const char *what,
                             int value)
{
    struct message m = {.value = value};
    strncpy(m.what, what, sizeof m.what - 1);
    CLAIM(sendto(from->socket, &m, sizeof m, 0, (const struct sockaddr *)&to->address,
                 sizeof to->address) == sizeof m);
}

static inline struct message mail_receive(const struct mailbox *box)
{
    struct message m;
    CLAIM(recv(box->socket, &m, sizeof m, 0) == sizeof m);
    return m;
}

static inline bool message_is(const struct message *m, const char *what)
{
    return strcmp(m->what, what) == 0;
}

/* ---- nodes ---- */

/* Begins a run, which takes the steps in the first order, or `unlucky` in the second. */
static inline void cluster_begin(int argc, char **argv, const char *lucky, const char *unlucky)
{
    (void)argc;
    steps = argv[1] != NULL && strcmp(argv[1], "unlucky") == 0 ? unlucky : lucky;
    step_next =
        mmap(NULL, sizeof *step_next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CLAIM(step_next != MAP_FAILED);
}

/* A node whose status is what `run` returns. */
static inline void node_begin(const char *name, int (*run)(void))
{
    const pid_t pid = fork();
    CLAIM(pid >= 0);
    if (pid == 0) {
        clew_node(name);
        exit(run());
    }
}

/* Waits for all nodes. */
static inline int cluster_end(void)
{
    int status = 0;
    int worst = 0;
    while (wait(&status) > 0) {
        const int own = WIFEXITED(status) ? WEXITSTATUS(status) : 99;
        worst = own > worst ? own : worst;
    }
    return worst;
}

#endif
