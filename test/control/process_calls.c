/* process_calls FIRST COUNT FILE: sequences of calls about processes, drawn from the numbers from
 * FIRST on. The file gets what each call returns, which does not depend on who goes first: by
 * itself and under control the program writes the same. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned state;

static unsigned draw(unsigned most)
{
    state = state * 1103515245u + 12345u;
    return (state >> 16) % most;
}

static void print(const char *call, long result)
{
    printf("%s %ld %d\n", call, result, result < 0 ? errno : 0);
}

static void print_end(const char *call, pid_t child, pid_t id, int options)
{
    int status = 0;
    const pid_t got = waitpid(id, &status, options);
    printf("%s %d %d %d %d\n", call, got == child, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
           WIFSIGNALED(status) ? WTERMSIG(status) : -1, got < 0 ? errno : 0);
}

/* A child that ends with this status. */
static pid_t make(int status)
{
    const pid_t child = fork();
    if (child == 0) {
        _exit(status);
    }
    return child;
}

/* A child that waits for signals for ever; it is there, and does so, when this returns. */
static pid_t make_waiting(int ignored)
{
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0) {
        exit(2);
    }
    const pid_t child = fork();
    if (child == 0) {
        if (ignored != 0) {
            signal(ignored, SIG_IGN);
        }
        (void)!write(ends[1], "x", 1);
        while (1) {
            pause();
        }
    }
    close(ends[1]);
    print("read", read(ends[0], &byte, 1));
    close(ends[0]);
    return child;
}

static void end_it(pid_t child, int signal)
{
    print("kill", kill(child, signal));
    print_end("waitpid", child, child, 0);
}

static void wait_for_one(void)
{
    int status = 0;
    const pid_t child = make((int)draw(256));
    print_end("waitpid", child, draw(2) == 0 ? child : -1, 0);
    print("again", waitpid(child, &status, (int)draw(2) * WNOHANG));
}

static void wait_for_id(void)
{
    siginfo_t info;
    const pid_t child = make((int)draw(256));
    memset(&info, 0, sizeof info);
    print("waitid", waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
    printf("info %d %d %d %d\n", info.si_signo, info.si_code, info.si_status, info.si_pid == child);
    print_end("waitpid", child, child, WNOHANG);
    print("waitid", waitid(P_PID, (id_t)child, &info, WEXITED));
    print("no kind", waitid(P_PID, (id_t)child, &info, WNOHANG));
}

static void kill_one(void)
{
    static const int signals[] = {SIGTERM, SIGKILL, SIGUSR1, SIGHUP};
    end_it(make_waiting(0), signals[draw(4)]);
}

static void kill_one_that_ignores(void)
{
    int status = 0;
    const pid_t child = make_waiting(SIGTERM);
    print("ignored", kill(child, SIGTERM));
    print("not ended", waitpid(child, &status, WNOHANG));
    end_it(child, SIGKILL);
    print("gone", kill(child, 0));
}

static void use_group(void)
{
    int status = 0;
    const pid_t child = make_waiting(0);
    printf("group %d\n", getpgid(child) == getpgrp());
    print("setpgid", setpgid(child, child));
    printf("group %d %d\n", getpgid(child) == child, getpgid(0) == getpgrp());
    print("none", waitpid(0, &status, WNOHANG));
    print("killpg", killpg(child, SIGTERM));
    print_end("waitpid", child, -child, 0);
    print("no group", setpgid(child, child));
}

static void read_to_the_end(void)
{
    int ends[2];
    char bytes[64];
    long got = 0;
    long all = 0;
    const size_t size = 1 + draw(sizeof bytes);
    if (pipe(ends) != 0) {
        exit(2);
    }
    const pid_t child = fork();
    if (child == 0) {
        memset(bytes, 1, sizeof bytes);
        _exit(write(ends[1], bytes, size) != (ssize_t)size);
    }
    close(ends[1]);
    while ((got = read(ends[0], bytes, 16)) > 0) {
        all += got;
    }
    print("all", all);
    close(ends[0]);
    print_end("waitpid", child, child, 0);
}

static void write_to_nobody(void)
{
    int ends[2];
    const int is_ignored = (int)draw(2);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, is_ignored ? SIG_IGN : SIG_DFL);
        _exit(pipe(ends) != 0 || close(ends[0]) != 0 || write(ends[1], "x", 1) == 1 ? 1
              : errno == EPIPE                                                      ? 2
                                                                                    : 3);
    }
    print_end("waitpid", child, child, 0);
}

static void await_signal(void)
{
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    const pid_t child = make((int)draw(256));
    memset(&info, 0, sizeof info);
    print("sigwaitinfo", sigwaitinfo(&set, &info));
    printf("info %d %d %d\n", info.si_code, info.si_status, info.si_pid == child);
    print_end("waitpid", child, child, 0);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void leave_no_zombie(void)
{
    signal(SIGCHLD, SIG_IGN);
    (void)make(3);
    print("wait", wait(NULL));
    signal(SIGCHLD, SIG_DFL);
}

static void orphan(void)
{
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0) {
        exit(2);
    }
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            while (getppid() != 1) {
                usleep(1);
            }
            _exit(write(ends[1], "x", 1) != 1);
        }
        _exit(4);
    }
    print_end("waitpid", child, child, 0);
    print("orphan", read(ends[0], &byte, 1));
    close(ends[0]);
    close(ends[1]);
}

static void pass_descriptor(void)
{
    int pair[2];
    int ends[2];
    char byte = 0;
    char room[CMSG_SPACE(sizeof(int))] = "";
    struct iovec piece = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || pipe(ends) != 0) {
        exit(2);
    }
    const pid_t child = fork();
    if (child == 0) {
        int fd = -1;
        close(ends[1]);
        if (recvmsg(pair[1], &message, 0) != 1) {
            _exit(1);
        }
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
        _exit(write(fd, "y", 1) != 1);
    }
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &ends[1], sizeof(int));
    print("sendmsg", sendmsg(pair[0], &message, 0));
    close(ends[1]);
    print("read", read(ends[0], &byte, 1));
    print("end", read(ends[0], &byte, 1));
    print_end("waitpid", child, child, 0);
    close(ends[0]);
    close(pair[0]);
    close(pair[1]);
}

static void run_command(void)
{
    char text[32];
    const int status = (int)draw(100);
    (void)snprintf(text, sizeof text, "exit %d", status);
    print("system", system(text));
    print("execl", execl("/no/such", "such", (char *)NULL));
    print("execl", execl("/etc/passwd", "passwd", (char *)NULL));
}

static void ask_for_nobody(void)
{
    int status = 0;
    print("kill", kill(999999999, 0));
    print("waitpid", waitpid(999999999, &status, 0));
    print("wait", wait(&status));
    print("bad signal", kill(getpid(), 1000));
    print("bad option", waitpid(-1, &status, 1 << 20));
}

int main(int count, char **words)
{
    static void (*const calls[])(void) = {
        wait_for_one,    wait_for_id,     kill_one,       kill_one_that_ignores, use_group,
        read_to_the_end, write_to_nobody, await_signal,   leave_no_zombie,       orphan,
        pass_descriptor, run_command,     ask_for_nobody,
    };
    enum { CALLS = 6 };
    if (count < 4 || freopen(words[3], "w", stdout) == NULL) {
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int sequence = 0; sequence < (int)strtol(words[2], NULL, 10); sequence++) {
        state = (unsigned)strtoul(words[1], NULL, 10) + (unsigned)sequence;
        for (int i = 0; i < CALLS; i++) {
            const unsigned call = draw(sizeof calls / sizeof *calls);
            printf("%d.%d: %u\n", sequence, i, call);
            calls[call]();
        }
    }
    return 0;
}
