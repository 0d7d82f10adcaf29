/* Lines over TCP, for the programs of this folder: a server answers one line to each, a client asks
 * by the name of a node. */
#ifndef LINES_H
#define LINES_H

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT = 7000, LINE = 64 };

static inline void fail(const char *what)
{
    perror(what);
    exit(2);
}

static inline void set(char to[LINE], const char *text)
{
    (void)snprintf(to, LINE, "%s", text);
}

static inline int connect_to(const char *node)
{
    struct addrinfo *found = NULL;
    const struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    if (getaddrinfo(node, "7000", &wanted, &found) != 0) {
        fail(node);
    }
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
        fail("connect");
    }
    freeaddrinfo(found);
    return fd;
}

static inline void send_line(int fd, const char *line)
{
    char whole[LINE] = "";
    (void)snprintf(whole, sizeof whole, "%.62s\n", line);
    if (write(fd, whole, strlen(whole)) < 0) {
        fail("write");
    }
}

/* Without its end; 0: there is none any more. */
static inline int read_line(int fd, char line[LINE])
{
    size_t size = 0;
    while (size < LINE - 1 && read(fd, &line[size], 1) == 1) {
        if (line[size] == '\n') {
            line[size] = 0;
            return 1;
        }
        size++;
    }
    return 0;
}

/* Asks, and takes the answer. */
static inline void ask(const char *node, const char *question, char answer[LINE])
{
    const int fd = connect_to(node);
    send_line(fd, question);
    if (read_line(fd, answer) == 0) {
        fail("no answer");
    }
    close(fd);
}

static inline int listen_here(void)
{
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&any, sizeof any) != 0 || listen(fd, 8) != 0) {
        fail("listen");
    }
    puts("listening");
    fflush(stdout);
    return fd;
}

/* Answers connections, each in a thread of its own. */
static inline void serve(void *(*answer)(void *fd))
{
    const int listening = listen_here();
    while (1) {
        pthread_t thread = 0;
        const int fd = accept(listening, NULL, NULL);
        if (fd < 0 || pthread_create(&thread, NULL, answer, (void *)(intptr_t)fd) != 0) {
            fail("accept");
        }
        pthread_detach(thread);
    }
}

#endif
