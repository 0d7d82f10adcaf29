/* What two threads do through descriptors: each word is a pair of threads that race, or do not. The
 * first thread is created before the second, and the first thread of the program is the third that
 * may take part. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2], others[2], file, set, counter;
static char buffer[32];
static int data;
static char *pages;

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

#define THREAD(name, ...)           \
    static void *name(void *unused) \
    {                               \
        __VA_ARGS__;                \
        return unused;              \
    }

/* Buffers */
THREAD(read_buffer, (void)!read(ends[0], buffer, 8))
THREAD(read_vector, struct iovec v[2] = {{buffer + 16, 1}, {buffer + 1, 8}};
       (void)!readv(ends[0], v, 2))
THREAD(receive_buffer, (void)!recv(others[0], buffer, 8, 0))
THREAD(receive_message, struct iovec v = {buffer, 8};
       struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1}; (void)!recvmsg(others[0], &m, 0))
THREAD(set_buffer, buffer[1] = 1)
THREAD(set_behind, buffer[2] = 1)
THREAD(write_buffer, (void)!write(ends[1], buffer, 4))
THREAD(send_buffer, (void)!send(others[1], buffer, 4, 0))
THREAD(send_message, struct iovec v = {buffer, 4};
       struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1}; (void)!sendmsg(others[1], &m, 0))
THREAD(take_then_set, take(); buffer[1] = 1)
THREAD(set_then_put, buffer[1] = 1; put("a"))

/* Equal messages, of which one is never read */
THREAD(set_and_put, data = 1; put("x"))
THREAD(put_alone, usleep(1000); put("x"))
THREAD(send_alone, usleep(1000); (void)!send(others[1], "x", 1, 0))
THREAD(set_and_send, data = 1; (void)!send(others[1], "x", 1, 0))
THREAD(count_alone, uint64_t one = 1; usleep(1000); (void)!write(counter, &one, sizeof one))
THREAD(set_and_count, uint64_t one = 1; data = 1; (void)!write(counter, &one, sizeof one))
static void take_and_use(void)
{
    take();
    printf("%d", data);
}
static void receive_and_use(void)
{
    char byte;
    (void)!recv(others[0], &byte, 1, 0);
    printf("%d", data);
}
static void lower_and_use(void)
{
    uint64_t value;
    (void)!read(counter, &value, sizeof value);
    printf("%d", data);
}

/* One number, given out twice */
THREAD(duplicate, int mine = dup(ends[1]); (void)!write(mine, "x", 1); close(mine))

/* A look, an end, a timer */
THREAD(set_and_put_more, data = 1; put("xyz"))
THREAD(set_and_close, data = 1; close(ends[1]))
THREAD(set_and_hang_up, data = 1; close(others[1]))
THREAD(set_and_shut, data = 1; shutdown(others[1], SHUT_WR))
THREAD(set_and_close_reader, data = 1; close(ends[0]))
THREAD(set_and_arm, data = 1; struct itimerspec in = {.it_value.tv_nsec = 1000};
       timerfd_settime(counter, 0, &in, NULL))
THREAD(nothing, (void)0)
static void poll_and_use(void)
{
    struct pollfd awaited = {.fd = ends[0], .events = POLLIN};
    poll(&awaited, 1, -1);
    printf("%d", data);
}
static void select_and_use(void)
{
    fd_set awaited;
    FD_ZERO(&awaited);
    FD_SET(ends[0], &awaited);
    select(ends[0] + 1, &awaited, NULL, NULL, NULL);
    printf("%d", data);
}
static void epoll_and_use(void)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = ends[0]};
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
    epoll_wait(set, &event, 1, -1);
    printf("%d", data);
}
static void peek_and_use(void)
{
    char byte;
    (void)!recv(others[0], &byte, 1, MSG_PEEK);
    printf("%d", data);
}
static void ask_and_use(void)
{
    int size = 0;
    while (ioctl(ends[0], FIONREAD, &size) == 0 && size == 0) {
        usleep(100);
    }
    printf("%d", data);
}
static void break_and_use(void)
{
    while (write(ends[1], "x", 1) == 1) {
        usleep(100);
    }
    printf("%d", data);
}

/* Uses of a file against its close */
THREAD(close_file, close(file))
#define USE(name, ...) THREAD(name, __VA_ARGS__)
USE(use_fstat, struct stat s; fstat(file, &s))
USE(use_lseek, lseek(file, 0, SEEK_SET))
USE(use_fcntl, fcntl(file, F_GETFL))
USE(use_ftruncate, (void)!ftruncate(file, 8))
USE(use_mmap, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0))
USE(use_ioctl, int n; ioctl(file, FIONREAD, &n))
USE(use_dprintf, dprintf(file, "x"))
USE(use_pread, char c; (void)!pread(file, &c, 1, 0))
USE(use_pwrite, (void)!pwrite(file, "x", 1, 0))
USE(use_fsync, fsync(file))
USE(use_fdopen, (void)fdopen(file, "r"))
USE(use_listen, listen(others[0], 1))
USE(use_setsockopt, int one = 1; setsockopt(others[0], SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one))
THREAD(use_pipe, (void)!write(ends[1], "x", 1))
THREAD(close_pipe, usleep(50000); close(ends[1]))
THREAD(close_socket, close(others[0]))

/* Locks of open files */
static void add_under_lock(int fd, int is_of_range)
{
    struct flock whole = {.l_type = F_WRLCK};
    is_of_range ? fcntl(fd, F_OFD_SETLKW, &whole) : flock(fd, LOCK_EX);
    data++;
    whole.l_type = F_UNLCK;
    is_of_range ? fcntl(fd, F_OFD_SETLKW, &whole) : flock(fd, LOCK_UN);
}
static int open_again(void)
{
    char path[32];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return open(path, O_RDWR);
}
THREAD(add_by_flock, int fd = open_again(); add_under_lock(fd, 0); close(fd))
THREAD(add_by_range, int fd = open_again(); add_under_lock(fd, 1); close(fd))
THREAD(add_by_same_flock, add_under_lock(file, 0))

/* A file as a lock */
static void add_under_file(void)
{
    int fd;
    while ((fd = open("lock-file", O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0) {
        usleep(100);
    }
    data++;
    close(fd);
    unlink("lock-file");
}
THREAD(add_by_file, add_under_file())

/* Memory at two addresses, and memory that moves */
static char *map(int size)
{
    return mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}
THREAD(set_alias, char *alias = map(4096); alias[1] = 1)
THREAD(set_alias_and_unmap, char *alias = map(4096); alias[2] = 1; munmap(alias, 4096))
THREAD(set_pages, pages[1] = 1)
THREAD(move_pages, usleep(1000); mremap(pages, 4096, 1 << 20, MREMAP_MAYMOVE))

struct pair {
    const char *word;
    void *(*first)(void *);
    void *(*second)(void *);
    void (*third)(void); /* NULL: nothing */
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
    {"token", set_and_put, put_alone, take_and_use},
    {"message", set_and_put, nothing, take_and_use},
    {"part", set_and_put_more, nothing, take_and_use},
    {"token-of-socket", set_and_send, send_alone, receive_and_use},
    {"token-of-counter", set_and_count, count_alone, lower_and_use},
    {"duplicates", duplicate, duplicate},
    {"poll", set_and_put, nothing, poll_and_use},
    {"select", set_and_put, nothing, select_and_use},
    {"epoll", set_and_put, nothing, epoll_and_use},
    {"peek", set_and_send, nothing, peek_and_use},
    {"ask", set_and_put, nothing, ask_and_use},
    {"end", set_and_close, nothing, take_and_use},
    {"end-of-socket", set_and_hang_up, nothing, receive_and_use},
    {"shut", set_and_shut, nothing, receive_and_use},
    {"poll-end", set_and_close, nothing, poll_and_use},
    {"broken", set_and_close_reader, nothing, break_and_use},
    {"timer", set_and_arm, nothing, lower_and_use},
    {"pipe", use_pipe, close_pipe},
    {"fstat", use_fstat, close_file},
    {"lseek", use_lseek, close_file},
    {"fcntl", use_fcntl, close_file},
    {"ftruncate", use_ftruncate, close_file},
    {"mmap", use_mmap, close_file},
    {"ioctl", use_ioctl, close_file},
    {"dprintf", use_dprintf, close_file},
    {"pread", use_pread, close_file},
    {"pwrite", use_pwrite, close_file},
    {"fsync", use_fsync, close_file},
    {"fdopen", use_fdopen, close_file},
    {"listen", use_listen, close_socket},
    {"flock", add_by_flock, add_by_flock},
    {"range", add_by_range, add_by_range},
    {"same-flock", add_by_same_flock, add_by_same_flock},
    {"lock-file", add_by_file, add_by_file},
    {"alias", set_pages, set_alias},
    {"unmap-alias", set_pages, set_alias_and_unmap},
    {"move", set_pages, move_pages},
    {"setsockopt", use_setsockopt, close_socket},
};

int main(int count, char **words)
{
    signal(SIGPIPE, SIG_IGN);
    pthread_t first, second;
    const struct pair *p = pairs;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        p = count > 1 && strcmp(words[1], pairs[i].word) == 0 ? &pairs[i] : p;
    }
    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, others) != 0) {
        return 2;
    }
    file = memfd_create("file", 0);
    (void)!ftruncate(file, 4096);
    pages = map(4096);
    set = epoll_create1(0);
    counter =
        p->first == set_and_arm ? timerfd_create(CLOCK_MONOTONIC, 0) : eventfd(0, EFD_SEMAPHORE);
    if (p->second == move_pages) {
        pages = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    if (p->first == read_buffer || p->first == read_vector) {
        put("ab");
    }
    if (p->first == receive_buffer || p->first == receive_message) {
        (void)!write(others[1], "ab", 2);
    }
    pthread_create(&first, NULL, p->first, NULL);
    pthread_create(&second, NULL, p->second, NULL);
    if (p->third != NULL) {
        p->third();
    }
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
