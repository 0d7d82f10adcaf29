/* Two senders, one receiver: the first sender writes `news`, and the receiver reads it after it has
 * received COUNT times. One receive may be of the other sender; after two it has heard of both.
 *
 *     senders KIND COUNT
 */
#include <arpa/inet.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int news;
static int copy;
static int ends[2]; /* the receiver's, the senders' */
static int queue;
static mqd_t posix_queue;
static struct sockaddr_in address;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int waiting;
static pthread_t receiver;

struct letter {
    long type;
    char text[4];
};

static void need(int is_well)
{
    if (!is_well) {
        exit(9);
    }
}

static void send_eventfd(void)
{
    const uint64_t one = 1;
    need(write(ends[1], &one, sizeof one) == sizeof one);
}

static void receive_eventfd(void)
{
    uint64_t value;
    need(read(ends[0], &value, sizeof value) == sizeof value);
}

static void open_eventfd(void)
{
    ends[0] = ends[1] = eventfd(0, 0);
}

static void send_byte(void)
{
    need(write(ends[1], "x", 1) == 1);
}

static void receive_bytes(void)
{
    char bytes[16];
    need(read(ends[0], bytes, sizeof bytes) > 0);
}

static void open_pipe(void)
{
    need(pipe(ends) == 0);
}

static void open_datagrams(void)
{
    need(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
}

static void open_connections(void)
{
    socklen_t size = sizeof address;
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    need(bind(ends[0], (struct sockaddr *)&address, size) == 0 && listen(ends[0], 4) == 0);
    need(getsockname(ends[0], (struct sockaddr *)&address, &size) == 0);
}

static void send_connection(void)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    need(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
}

static void receive_connection(void)
{
    need(accept(ends[0], NULL, NULL) >= 0);
}

static void send_request(void)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    need(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    need(write(fd, "x", 1) == 1);
}

static void receive_request(void)
{
    char byte;
    need(read(accept(ends[0], NULL, NULL), &byte, 1) == 1);
}

/* Each sender has a pipe of its own; the receiver waits for all and does not look which one it
 * was. */
static int pipes[2][2], set;
static _Thread_local int own; /* of the pipes */

static void open_pipes(void)
{
    set = epoll_create1(0);
    for (int i = 0; i < 2; i++) {
        struct epoll_event event = {.events = EPOLLIN};
        need(pipe(pipes[i]) == 0);
        event.data.fd = pipes[i][0];
        need(epoll_ctl(set, EPOLL_CTL_ADD, pipes[i][0], &event) == 0);
    }
}

static void send_own_byte(void)
{
    need(write(pipes[own][1], "x", 1) == 1);
}

static void receive_any_byte(void)
{
    struct epoll_event event;
    char byte;
    need(epoll_wait(set, &event, 1, -1) == 1 && read(event.data.fd, &byte, 1) == 1);
}

static void see_any_byte(void)
{
    struct pollfd list[] = {{pipes[0][0], POLLIN, 0}, {pipes[1][0], POLLIN, 0}};
    need(poll(list, 2, -1) > 0);
}

/* What a sender does before it asks for the routine is not done by those who ask later. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_made;

static void make(void)
{
    pthread_mutex_lock(&lock);
    is_made = 1;
    pthread_mutex_unlock(&lock);
}

static void make_once(void)
{
    pthread_once(&once, make);
}

static void make_later(void)
{
    usleep(40000);
    make_once();
}

static void open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN); /* which does not merge */
    receiver = pthread_self();
    need(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
}

static void send_signal(void)
{
    need(pthread_kill(receiver, SIGRTMIN) == 0);
}

static void receive_signal(void)
{
    sigset_t set;
    int number = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    need(sigwait(&set, &number) == 0);
}

static void open_queue(void)
{
    queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
}

static void send_letter(void)
{
    const struct letter letter = {1, "new"};
    need(msgsnd(queue, &letter, sizeof letter.text, 0) == 0);
}

static void receive_letter(void)
{
    struct letter letter;
    need(msgrcv(queue, &letter, sizeof letter.text, 0, 0) == sizeof letter.text);
}

static void open_posix_queue(void)
{
    struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 8};
    char name[32];
    snprintf(name, sizeof name, "/clew-senders-%d", (int)getpid());
    posix_queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    need(posix_queue >= 0 && mq_unlink(name) == 0);
}

static void send_posix_letter(void)
{
    need(mq_send(posix_queue, "new", 3, 0) == 0);
}

static void receive_posix_letter(void)
{
    char text[8];
    need(mq_receive(posix_queue, text, sizeof text, NULL) == 3);
}

/* Each send meets a receive, or another send. */
static void open_barrier(void)
{
    need(pthread_barrier_init(&barrier, NULL, 2) == 0);
}

static void meet(void)
{
    pthread_barrier_wait(&barrier);
}

/* The first sender waits until the receiver does, which never checks what for. */
static void send_notify(void)
{
    int is_waiting = 0;
    while (!is_waiting) {
        pthread_mutex_lock(&lock);
        is_waiting = waiting;
        pthread_mutex_unlock(&lock);
        usleep(1000);
    }
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void receive_notify(void)
{
    pthread_mutex_lock(&lock);
    waiting = 1;
    pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* A flag that both set, and counts that both raise. The receiver looks whether anybody was there.
 */
static int flag, counted, received;
static atomic_int atomic_count;

static int is_set(const int *variable, int most)
{
    pthread_mutex_lock(&lock);
    const int value = *variable;
    pthread_mutex_unlock(&lock);
    return value > most;
}

static void set_flag(void)
{
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_mutex_unlock(&lock);
}

static void see_flag(void)
{
    while (!is_set(&flag, 0)) {
        usleep(1000);
    }
}

static void count_one(void)
{
    pthread_mutex_lock(&lock);
    counted++;
    pthread_mutex_unlock(&lock);
}

static void see_count(void)
{
    while (!is_set(&counted, received)) {
        usleep(1000);
    }
    received++;
}

static void count_atomically(void)
{
    atomic_fetch_add(&atomic_count, 1);
}

static void see_atomic_count(void)
{
    while (atomic_load(&atomic_count) <= received) {
        usleep(1000);
    }
    received++;
}

/* Both only keep what the counter was. */
static _Thread_local int number;
static int numbers[2];

static void take_number(void)
{
    numbers[own] = atomic_fetch_add(&atomic_count, 1);
}

static void take_number_later(void)
{
    usleep(40000);
    number = atomic_fetch_add(&atomic_count, 1);
}

/* The wait may give up, and the receiver does not look whether it did. */
static sem_t semaphore;

static void open_semaphore(void)
{
    need(sem_init(&semaphore, 0, 0) == 0);
}

static void post(void)
{
    sem_post(&semaphore);
}

static void wait_a_while(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    sem_timedwait(&semaphore, &until);
}

static void open_nothing(void)
{
}

static const struct kind {
    const char *name;
    void (*open)(void), (*send)(void), (*receive)(void);
} kinds[] = {
    {"eventfd", open_eventfd, send_eventfd, receive_eventfd},
    {"pipe", open_pipe, send_byte, receive_bytes},
    {"datagram", open_datagrams, send_byte, receive_bytes},
    {"accept", open_connections, send_connection, receive_connection},
    {"request", open_connections, send_request, receive_request},
    {"several", open_pipes, send_own_byte, receive_any_byte},
    {"look", open_pipes, send_own_byte, see_any_byte},
    {"once", open_nothing, make_once, make_later},
    {"signal", open_signals, send_signal, receive_signal},
    {"msgrcv", open_queue, send_letter, receive_letter},
    {"mq", open_posix_queue, send_posix_letter, receive_posix_letter},
    {"barrier", open_barrier, meet, meet},
    {"condition", open_nothing, send_notify, receive_notify},
    {"flag", open_nothing, set_flag, see_flag},
    {"count", open_nothing, count_one, see_count},
    {"atomic-count", open_nothing, count_atomically, see_atomic_count},
    {"timed", open_semaphore, post, wait_a_while},
    {"number", open_nothing, take_number, take_number_later},
};

static const struct kind *kind;

static void *first(void *unused)
{
    news = 1;
    kind->send();
    return unused;
}

static void *second(void *unused)
{
    own = 1;
    usleep(20000); /* so that the receiver has mostly heard of the first by then */
    if (kind->send != send_notify && kind->send != post) {
        kind->send();
    }
    return unused;
}

static int wait_for_children(int count)
{
    int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t one = fork();
    if (one == 0) {
        *shared = 1;
        _exit(0);
    }
    if (fork() == 0) {
        usleep(20000);
        _exit(0);
    }
    for (int i = 0; i < count; i++) {
        wait(NULL);
    }
    copy = *shared;
    while (wait(NULL) > 0) {
    }
    return 0;
}

int main(int argc, char **argv)
{
    const int count = argc == 3 ? (int)strtol(argv[2], NULL, 10) : 0;
    pthread_t threads[2];
    need(count > 0);
    if (strcmp(argv[1], "wait") == 0) {
        return wait_for_children(count);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kind = strcmp(kinds[i].name, argv[1]) == 0 ? &kinds[i] : kind;
    }
    need(kind != NULL);
    kind->open();
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < count; i++) {
        kind->receive();
    }
    copy = news;
    if (kind->receive == meet && count == 1) {
        meet(); /* for the other sender */
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    if (kind->open == open_queue) {
        msgctl(queue, IPC_RMID, NULL);
    }
    return 0;
}
