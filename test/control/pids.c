/* Every call that takes or returns a process id agrees with getpid(), gettid(), getppid(). */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "need.h"

static int pair[2];

static void check_owner(void)
{
    struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = getpid()};
    struct f_owner_ex told = {0};
    int group = 0;
    NEED(fcntl(pair[0], F_SETOWN, getpid()) == 0);
    NEED(fcntl(pair[0], F_GETOWN) == getpid());
    NEED(fcntl(pair[0], F_SETOWN, -getpgrp()) == 0);
    NEED(fcntl(pair[0], F_SETOWN_EX, &owner) == 0);
    NEED(owner.pid == getpid());
    NEED(fcntl(pair[0], F_GETOWN_EX, &told) == 0 && told.pid == getpid());
    owner = (struct f_owner_ex){.type = F_OWNER_TID, .pid = gettid()};
    NEED(fcntl(pair[0], F_SETOWN_EX, &owner) == 0);
    group = getpid();
    NEED(ioctl(pair[0], FIOSETOWN, &group) == 0 && group == getpid());
    NEED(ioctl(pair[0], FIOGETOWN, &group) == 0 && group == getpid());
}

static void check_credentials(void)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    NEED(getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0);
    NEED(peer.pid == getpid());

    int on = 1;
    char byte = 'x';
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    union {
        char bytes[CMSG_SPACE(sizeof peer)];
        struct cmsghdr header;
    } control = {0};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    NEED(setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0);
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_CREDENTIALS;
    c->cmsg_len = CMSG_LEN(sizeof peer);
    peer = (struct ucred){.pid = getpid(), .uid = getuid(), .gid = getgid()};
    memcpy(CMSG_DATA(c), &peer, sizeof peer);
    NEED(sendmsg(pair[0], &message, 0) == 1);
    memset(&control, 0, sizeof control);
    NEED(recvmsg(pair[1], &message, 0) == 1);
    memcpy(&peer, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof peer);
    NEED(peer.pid == getpid());
}

static void check_files(void)
{
    char path[64];
    char line[200];
    snprintf(path, sizeof path, "/proc/%d/status", (int)getpid());
    NEED(access(path, F_OK) == 0);
    FILE *status = fopen(path, "r");
    NEED(status != NULL && fgets(line, sizeof line, status) != NULL);
    fclose(status);
    snprintf(path, sizeof path, "/proc/self/task/%d", (int)gettid());
    struct stat s;
    NEED(stat(path, &s) == 0 && S_ISDIR(s.st_mode));
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)getpid(), (int)gettid());
    const int fd = open(path, O_RDONLY);
    NEED(fd >= 0);
    close(fd);
    snprintf(path, sizeof path, "/proc/%d/exe", (int)getpid());
    NEED(readlink(path, line, sizeof line) > 0);
    snprintf(path, sizeof path, "/proc/%d", (int)getppid());
    NEED(access(path, F_OK) == 0);
    NEED(access("/proc/424242424", F_OK) != 0);
}

static void check_scheduling(pid_t id)
{
    cpu_set_t set;
    struct sched_param parameters;
    struct timespec slice;
    NEED(sched_getaffinity(id, sizeof set, &set) == 0);
    NEED(sched_setaffinity(id, sizeof set, &set) == 0);
    NEED(sched_getscheduler(id) >= 0);
    NEED(sched_getparam(id, &parameters) == 0);
    NEED(sched_rr_get_interval(id, &slice) == 0);
    NEED(getpriority(PRIO_PROCESS, (id_t)id) == getpriority(PRIO_PROCESS, 0));
}

static void check_process(void)
{
    struct rlimit limit;
    char from = 'a';
    char to = 'b';
    const struct iovec local = {&to, 1};
    const struct iovec remote = {&from, 1};
    NEED(prlimit(getpid(), RLIMIT_NOFILE, NULL, &limit) == 0);
    NEED(getpgid(getpid()) == getpgrp() && getpgid(0) == getpgrp());
    NEED(getsid(getpid()) == getsid(0) && getsid(0) > 0);
    NEED(getpriority(PRIO_PGRP, (id_t)getpgrp()) >= -20);
    NEED(kill(getpid(), 0) == 0 && kill(getppid(), 0) == 0);
    NEED(syscall(SYS_tgkill, getpid(), gettid(), 0) == 0);
    NEED(process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1 && to == 'a');
    const int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    NEED(self >= 0);
    close(self);
    NEED(syscall(SYS_getpid) == getpid() && syscall(SYS_gettid) == gettid());
}

static void *work(void *unused)
{
    NEED(gettid() != getpid());
    check_scheduling(gettid());
    check_files();
    return unused;
}

int main(void)
{
    pthread_t thread;
    NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    check_owner();
    check_credentials();
    check_files();
    check_scheduling(getpid());
    check_process();
    NEED(pthread_create(&thread, NULL, work, NULL) == 0);
    NEED(pthread_join(thread, NULL) == 0);
    return 0;
}
