/* A server that forks its workers before clients come. Each worker counts the requests that it has
 * answered in memory that all share, reading the count before it answers and storing it after. Two
 * that answer at the same time count one request. FIXED: a lock that processes share. */
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 2 };

static struct shared {
    pthread_mutex_t lock;
    int served;
} * shared;

static void work(int all)
{
    const int client = accept(all, NULL, NULL);
    char request = 0;
    assert(client >= 0 && read(client, &request, 1) == 1);
#ifdef FIXED
    pthread_mutex_lock(&shared->lock);
#endif
    const int served = shared->served;
    assert(write(client, &request, 1) == 1);
    shared->served = served + 1;
#ifdef FIXED
    pthread_mutex_unlock(&shared->lock);
#endif
    _exit(0);
}

static void ask(const struct sockaddr_in *address)
{
    char byte = 'x';
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(fd, (const void *)address, sizeof *address) == 0);
    assert(write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1);
    _exit(0);
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    pthread_mutexattr_t attributes;
    const int all = socket(AF_INET, SOCK_STREAM, 0);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &attributes);
    assert(bind(all, (void *)&address, size) == 0 && listen(all, WORKERS) == 0);
    assert(getsockname(all, (void *)&address, &size) == 0);
    for (int i = 0; i < WORKERS; i++) {
        if (fork() == 0) {
            work(all);
        }
        if (fork() == 0) {
            ask(&address);
        }
    }
    while (wait(NULL) > 0) {
    }
    assert(shared->served == WORKERS);
    return 0;
}
