/* A library whose constructor uses every kind of call that clew interposes. The dynamic loader runs
 * the constructors of a program's libraries before those of preloaded ones. */
#include "early.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <threads.h>

#include "../program.h"

struct early early;

pthread_mutex_t early_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t early_condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_awake;

static void nothing(void)
{
}

static void on_signal(int number)
{
    CLAIM(number == SIGUSR1);
}

static void *wake(void *unused)
{
    CLAIM(pthread_mutex_lock(&early_mutex) == 0);
    is_awake = true;
    CLAIM(pthread_cond_signal(&early_condition) == 0);
    CLAIM(pthread_mutex_unlock(&early_mutex) == 0);
    return unused;
}

static int run_c11(void *unused)
{
    return unused != NULL;
}

static void use_threads(void)
{
    const pthread_t thread = thread_begin(wake, NULL);
    CLAIM(pthread_mutex_lock(&early_mutex) == 0);
    while (!is_awake) {
        CLAIM(pthread_cond_wait(&early_condition, &early_mutex) == 0);
    }
    CLAIM(pthread_mutex_unlock(&early_mutex) == 0);
    thread_wait(thread);
    thrd_t other;
    CLAIM(thrd_create(&other, run_c11, NULL) == thrd_success);
    CLAIM(thrd_join(other, NULL) == thrd_success);
}

static void use_locks(void)
{
    pthread_spinlock_t spin;
    pthread_barrier_t barrier;
    CLAIM(pthread_rwlock_rdlock(&table) == 0 && pthread_rwlock_unlock(&table) == 0);
    CLAIM(pthread_spin_init(&spin, 0) == 0 && pthread_spin_lock(&spin) == 0);
    CLAIM(pthread_spin_unlock(&spin) == 0 && pthread_spin_destroy(&spin) == 0);
    CLAIM(pthread_barrier_init(&barrier, NULL, 1) == 0);
    CLAIM(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    CLAIM(pthread_barrier_destroy(&barrier) == 0);
    CLAIM(pthread_once(&once, nothing) == 0);
    CLAIM(sem_init(&early.units, 0, 2) == 0);
}

static void use_descriptors(void)
{
    int pair[2];
    CLAIM(pipe(early.pipe_ends) == 0);
    write_all(early.pipe_ends[1], "x");
    CLAIM(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    write_all(pair[0], "yes");
    read_all(pair[1], 3);
    CLAIM(close(pair[0]) == 0 && close(pair[1]) == 0);
    const struct tcp_pair tcp = tcp_connected();
    write_all(tcp.client, "tcp");
    read_all(tcp.server, 3);
    const int poll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLOUT, .data = {.fd = tcp.client}};
    CLAIM(epoll_ctl(poll, EPOLL_CTL_ADD, tcp.client, &event) == 0);
    CLAIM(epoll_wait(poll, &event, 1, -1) == 1);
    CLAIM(close(dup(tcp.client)) == 0);
    CLAIM(close(poll) == 0 && close(tcp.client) == 0 && close(tcp.server) == 0);
    const int counter = eventfd(1, 0);
    uint64_t value = 0;
    CLAIM(read(counter, &value, sizeof value) == sizeof value && value == 1);
    CLAIM(close(counter) == 0);
    const int file = open("/dev/null", O_WRONLY);
    write_all(file, "nothing");
    CLAIM(close(file) == 0);
}

static void use_processes(void)
{
    early.shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CLAIM(early.shared != MAP_FAILED);
    const pid_t child = fork();
    CLAIM(child >= 0);
    if (child == 0) {
        _exit(0);
    }
    child_wait(child);
}

__attribute__((constructor)) static void construct(void)
{
    char *text = strdup("text"); /* first of all: an allocator begins by using locks */
    CLAIM(text != NULL);
    free(text);
    struct timespec now;
    CLAIM(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    CLAIM(signal(SIGUSR1, on_signal) != SIG_ERR && raise(SIGUSR1) == 0);
    use_locks();
    use_descriptors();
    use_processes();
    use_threads();
}
