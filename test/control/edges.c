/* Programs at the edges of control, one for each word. */
#include <assert.h>
#include <pthread.h>
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
