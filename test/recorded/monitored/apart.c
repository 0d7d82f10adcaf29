/* Two processes use something one after the other, and only time keeps them apart: the second waits
 * for a file, which nobody records, and then for a while. Threads of the first have a lock. */
#include <clew/clew.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_NS = 50 * 1000 * 1000, LOOK_NS = 1000 * 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *unused)
{
    (void)pthread_mutex_lock(&lock);
    clew_var("use", 1);
    clew_var("use", 0);
    (void)pthread_mutex_unlock(&lock);
    return unused;
}

static void rest(long ns)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

int main(int count, char **words)
{
    if (count != 2) {
        return 2;
    }
    const pid_t child = fork();
    clew_var("use", 0);
    if (child == 0) {
        while (access(words[1], F_OK) != 0) {
            rest(LOOK_NS);
        }
        rest(PAUSE_NS);
        (void)use(NULL);
        return 0;
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, use, NULL) != 0) {
        return 2;
    }
    (void)use(NULL);
    (void)pthread_join(thread, NULL);
    const int done = open(words[1], O_CREAT | O_WRONLY, 0600);
    return child < 0 || done < 0 || close(done) != 0 || wait(NULL) != child;
}
