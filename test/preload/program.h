/* What the recorded programs share. Each begins with a comment for recorded_test.py:
 *
 *     expect: COUNT KIND [OBJECT]      so many events of a kind, all tasks together; 3+ is at least
 *     order: WORDS                     an event with these words in its text, after the last one
 *     allow: RULE                      what clew check may call unfinished here, or outside:
 *                                      messages may have unseen senders
 *     status: N                        how the program ends (0 unless said) */
#ifndef CLEW_TEST_PRELOAD_PROGRAM_H
#define CLEW_TEST_PRELOAD_PROGRAM_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Ends the program when the claim is false. */
#define CLAIM(claim)        \
    do {                    \
        if (!(claim)) {     \
            perror(#claim); \
            exit(99);       \
        }                   \
    } while (0)

typedef void *thread_function(void *);

static inline pthread_t thread_begin(thread_function *run, void *argument)
{
    pthread_t thread;
    CLAIM(pthread_create(&thread, NULL, run, argument) == 0);
    return thread;
}

static inline void thread_wait(pthread_t thread)
{
    CLAIM(pthread_join(thread, NULL) == 0);
}

/* A moment that has long passed, and one that never comes. */
static inline struct timespec time_past(void)
{
    return (struct timespec){.tv_sec = 1};
}

static inline struct timespec time_never(void)
{
    return (struct timespec){.tv_sec = INT32_MAX};
}

/* Waits for a child that must end well. */
static inline void child_wait(pid_t pid)
{
    int status = 0;
    CLAIM(waitpid(pid, &status, 0) == pid);
    CLAIM(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static inline void write_all(int fd, const char *text)
{
    CLAIM(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

/* Reads until size bytes have come. */
static inline void read_all(int fd, size_t size)
{
    char bytes[4096];
    while (size > 0) {
        const ssize_t got = read(fd, bytes, size < sizeof bytes ? size : sizeof bytes);
        CLAIM(got > 0);
        size -= (size_t)got;
    }
}

/* A socket bound to a free port of the loopback address, and that address. */
static inline int socket_bound(int type, struct sockaddr_in *address)
{
    const int fd = socket(AF_INET, type, 0);
    CLAIM(fd >= 0);
    *address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof *address;
    CLAIM(bind(fd, (struct sockaddr *)address, size) == 0);
    CLAIM(getsockname(fd, (struct sockaddr *)address, &size) == 0);
    return fd;
}

/* The two ends of a TCP connection within this process. */
struct tcp_pair {
    int client, server;
};

static inline struct tcp_pair tcp_connected(void)
{
    struct sockaddr_in address;
    struct tcp_pair pair;
    const int listener = socket_bound(SOCK_STREAM, &address);
    CLAIM(listen(listener, 1) == 0);
    pair.client = socket(AF_INET, SOCK_STREAM, 0);
    CLAIM(connect(pair.client, (struct sockaddr *)&address, sizeof address) == 0);
    pair.server = accept(listener, NULL, NULL);
    CLAIM(pair.server >= 0);
    CLAIM(close(listener) == 0);
    return pair;
}

#endif
