/* What two threads do through descriptors: each word is a pair of threads that race, or do not. The first thread is created
 * before the second, and the first thread of the program is the third that may take part. */
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2], others[2];
static char buffer[32];

static void put(const char *text)
{
    (void)!write(ends[1], text, strlen(text));
}

static char take(void)
{
    char byte = 0;
    (void)!read(ends[0], &byte, 1);
    return byte;
}

#define THREAD(name, ...)                 \
    static void *name(void *unused)       \
    {                                     \
        __VA_ARGS__;                      \
        return unused;                    \
    }

/* Buffers */
THREAD(read_buffer, (void)!read(ends[0], buffer, 8))
THREAD(read_vector, struct iovec v[2] = {{buffer + 16, 1}, {buffer + 1, 8}}; (void)!readv(ends[0], v, 2))
THREAD(receive_buffer, (void)!recv(others[0], buffer, 8, 0))
THREAD(receive_message, struct iovec v = {buffer, 8}; struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1}; (void)!recvmsg(others[0], &m, 0))
THREAD(set_buffer, buffer[1] = 1)
THREAD(set_behind, buffer[2] = 1)
THREAD(write_buffer, (void)!write(ends[1], buffer, 4))
THREAD(send_buffer, (void)!send(others[1], buffer, 4, 0))
THREAD(send_message, struct iovec v = {buffer, 4}; struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1}; (void)!sendmsg(others[1], &m, 0))
THREAD(take_then_set, take(); buffer[1] = 1)
THREAD(set_then_put, buffer[1] = 1; put("a"))

struct pair {
    const char *word;
    void *(*first)(void *);
    void *(*second)(void *);
};

static const struct pair pairs[] = {
    {"read", read_buffer, set_buffer},
    {"readv", read_vector, set_buffer},
    {"recv", receive_buffer, set_buffer},
    {"recvmsg", receive_message, set_buffer},
    {"write", write_buffer, set_buffer},
    {"send", send_buffer, set_buffer},
    {"sendmsg", send_message, set_buffer},
    {"read-less", read_buffer, set_behind},
    {"write-then-set", write_buffer, take_then_set},
    {"set-then-read", set_then_put, read_buffer},
};

int main(int count, char **words)
{
    pthread_t first, second;
    const struct pair *p = pairs;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        p = count > 1 && strcmp(words[1], pairs[i].word) == 0 ? &pairs[i] : p;
    }
    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, others) != 0) {
        return 2;
    }
    if (p->first == read_buffer || p->first == read_vector) {
        put("ab");
    }
    (void)!write(others[1], "ab", 2);
    pthread_create(&first, NULL, p->first, NULL);
    pthread_create(&second, NULL, p->second, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
