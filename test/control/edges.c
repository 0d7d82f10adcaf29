/* Programs at the edges of control, one for each word. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct account {
    int balance, limit;
};

static struct account *account;

static void *spend(void *unused)
{
    account->balance--;
    return unused;
}

__attribute__((noinline)) static int limit_of(const struct account *a)
{
    return a->limit;
}

/* The same read in the same function, called from two places in a row, is no loop that waits. */
static int look_twice_and_free(void)
{
    pthread_t spender;
    account = calloc(1, sizeof *account);
    pthread_create(&spender, NULL, spend, NULL);
    const int least = limit_of(account);
    const int most = limit_of(account);
    free(account);
    pthread_join(spender, NULL);
    return most - least;
}

static void *end_at_once(void *unused)
{
    return unused;
}

static void run_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, end_at_once, NULL);
    pthread_join(thread, NULL);
}

/* A child that is made inside libc, and what it writes. */
static int ask_shell(void)
{
    char line[8] = "";
    FILE *answer = popen("sleep 0.05; echo yes", "r");
    run_thread();
    assert(answer != NULL);
    assert(fgets(line, sizeof line, answer) != NULL);
    return strcmp(line, "yes\n") != 0 || pclose(answer) != 0;
}

static void child_ended(int signal)
{
    (void)signal;
}

/* The signal that a child has ended comes from outside; and so does its own death. */
static int await_child(void)
{
    sigset_t children;
    sigset_t none;
    int status = 0;
    sigemptyset(&none);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    signal(SIGCHLD, child_ended);
    const pid_t child = fork();
    if (child == 0) {
        pause();
    }
    kill(child, SIGKILL);
    sigsuspend(&none);
    return waitpid(child, &status, 0) != child || !WIFSIGNALED(status);
}

static int become_another(void)
{
    execl("/bin/no-such-program", "no-such-program", NULL);
    execlp("true", "true", NULL);
    return 1;
}

static int become_another_later(void)
{
    run_thread();
    return become_another();
}

static volatile int never;

/* Of code that does not tell its accesses, nothing is seen of this. */
static void *look_for_ever(void *unused)
{
    while (never == 0) {
    }
    return unused;
}

static int hang(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look_for_ever, NULL);
    pthread_join(thread, NULL);
    return 0;
}

/* A signal that a waiter was woken by, but left for a handler, is nobody's any more: it must not
 * stand in the way of those that come later. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_begun, is_over;

static void *await_both(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_begun) {
        pthread_cond_wait(&changed, &lock);
    }
    while (!is_over) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void say(int *what)
{
    pthread_mutex_lock(&lock);
    *what = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static int interrupt_waiter(void)
{
    pthread_t waiter;
    signal(SIGUSR1, child_ended);
    pthread_create(&waiter, NULL, await_both, NULL);
    say(&is_begun);
    pthread_kill(waiter, SIGUSR1);
    pthread_cond_broadcast(&changed);
    say(&is_over);
    pthread_join(waiter, NULL);
    return 0;
}

static void *await_end(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_over) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *await_begin(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_begun) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

/* What one who came later could not have taken, is not kept for it. */
static int interrupt_first_waiter(void)
{
    pthread_t first;
    pthread_t second;
    signal(SIGUSR1, child_ended);
    pthread_create(&first, NULL, await_begin, NULL);
    say(&is_begun);
    pthread_create(&second, NULL, await_end, NULL);
    pthread_kill(first, SIGUSR1);
    pthread_join(first, NULL);
    say(&is_over);
    pthread_join(second, NULL);
    return 0;
}

/* Threads of a child are real ones, and have their own values all the same. */
enum { ROUNDS = 2000 };
static pthread_spinlock_t turn;
static pthread_key_t key;
static int rounds;

static void *count_rounds(void *own)
{
    pthread_setspecific(key, own);
    for (int i = 0; i < ROUNDS; i++) {
        int *volatile block = malloc(sizeof *block);
        *block = i;
        pthread_spin_lock(&turn);
        rounds += *block == i;
        pthread_spin_unlock(&turn);
        free(block);
    }
    return pthread_getspecific(key);
}

static int count_in_threads(void)
{
    pthread_t threads[2];
    void *found[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, count_rounds, &found[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &found[i]);
    }
    return found[0] != &found[0] || found[1] != &found[1] || rounds != 2 * ROUNDS;
}

static int fork_threads(void)
{
    int status = 0;
    pthread_spin_init(&turn, PTHREAD_PROCESS_PRIVATE);
    pthread_key_create(&key, NULL);
    run_thread();
    const pid_t child = fork();
    if (child == 0) {
        _exit(count_in_threads());
    }
    return waitpid(child, &status, 0) != child || status != 0;
}

/* What a handler of pthread_atfork does in a child is no step of the run. */
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static int written[2];

static void hold_both(void)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&lock);
}

static void give_both(void)
{
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&outer);
}

static void *write_three(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        assert(write(written[1], "x", 1) == 1);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static int fork_handlers(void)
{
    pthread_t writer;
    int status = 0;
    char bytes[16];
    assert(pipe(written) == 0);
    pthread_atfork(hold_both, give_both, give_both);
    pthread_create(&writer, NULL, write_three, NULL);
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    assert(waitpid(child, &status, 0) == child);
    pthread_join(writer, NULL);
    return status != 0 || read(written[0], bytes, sizeof bytes) != 3;
}

/* Whoever tries again and again lets others go on, whatever it tries. */
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static sem_t is_held, is_posted;

static void *hold_all(void *unused)
{
    pthread_rwlock_wrlock(&table);
    pthread_spin_lock(&turn);
    sem_post(&is_held);
    sched_yield();
    pthread_spin_unlock(&turn);
    pthread_rwlock_unlock(&table);
    sem_post(&is_posted);
    assert(write(written[1], "x", 1) == 1);
    return unused;
}

static int try_again(void)
{
    pthread_t holder;
    char byte = 0;
    pthread_spin_init(&turn, PTHREAD_PROCESS_PRIVATE);
    sem_init(&is_held, 0, 0);
    sem_init(&is_posted, 0, 0);
    assert(pipe2(written, O_NONBLOCK) == 0);
    pthread_create(&holder, NULL, hold_all, NULL);
    sem_wait(&is_held);
    while (pthread_spin_trylock(&turn) != 0) {
        sched_yield();
    }
    while (pthread_rwlock_tryrdlock(&table) != 0) {
    }
    while (sem_trywait(&is_posted) != 0) {
    }
    while (read(written[0], &byte, 1) != 1) {
        sched_yield();
    }
    pthread_join(holder, NULL);
    return byte != 'x';
}

static void write_end(void)
{
    assert(write(written[1], "x", 1) == 1);
}

static void check_end(void)
{
    char byte = 0;
    if (read(written[0], &byte, 1) == 1) {
        _exit(43);
    }
}

/* What is registered for its end runs, the last first. */
static int end_quickly(void)
{
    assert(pipe2(written, O_NONBLOCK) == 0);
    at_quick_exit(check_end);
    at_quick_exit(write_end);
    run_thread();
    quick_exit(42);
}

/* Several end at once, and the first task with them: the last of them ends the process. */
static int end_together(void)
{
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, end_at_once, NULL);
        pthread_detach(thread);
    }
    pthread_exit(NULL);
}

static const struct edge {
    const char *name;
    int (*run)(void);
} edges[] = {
    {"look_twice_and_free", look_twice_and_free},
    {"ask_shell", ask_shell},
    {"await_child", await_child},
    {"become_another", become_another},
    {"become_another_later", become_another_later},
    {"hang", hang},
    {"interrupt_waiter", interrupt_waiter},
    {"interrupt_first_waiter", interrupt_first_waiter},
    {"fork_threads", fork_threads},
    {"fork_handlers", fork_handlers},
    {"try_again", try_again},
    {"end_quickly", end_quickly},
    {"end_together", end_together},
};

int main(int count, char **words)
{
    for (size_t i = 0; count > 1 && i < sizeof edges / sizeof *edges; i++) {
        if (strcmp(words[1], edges[i].name) == 0) {
            return edges[i].run();
        }
    }
    return 2;
}
