/* A stack whose functions all lock: a worker asks whether it is empty and, if not, pops. Another
 * worker takes the last job between the question and the pop.
 *
 * couple: depth is_empty, depth pop */
#include "kernel.h"

enum { DEPTH_MAX = 16, JOBS = 8 };

struct stack {
    pthread_mutex_t lock;
    int depth;
    long jobs[DEPTH_MAX];
};

static struct stack stack = {.lock = PTHREAD_MUTEX_INITIALIZER};
static int underflows[2];
static long sums[2];

static void stack_push(struct stack *s, long job)
{
    pthread_mutex_lock(&s->lock);
    if (s->depth < DEPTH_MAX) {
        s->jobs[s->depth] = job;
        s->depth++;
    }
    pthread_mutex_unlock(&s->lock);
}

static int stack_is_empty(struct stack *s)
{
    pthread_mutex_lock(&s->lock);
    const int is_empty = s->depth == 0; /* is_empty */
    pthread_mutex_unlock(&s->lock);
    return is_empty;
}

/* The job on top; -1 when there is none. */
static long stack_pop(struct stack *s)
{
    long job = -1;
    pthread_mutex_lock(&s->lock);
    if (s->depth > 0) { /* pop */
        s->depth--;     /* pop */
        job = s->jobs[s->depth];
    }
    pthread_mutex_unlock(&s->lock);
    return job;
}

/* Does one job for a worker; returns 0 when there is none left. */
static int work(int number)
{
#ifdef FIXED
    const long job = stack_pop(&stack);
    if (job < 0) {
        return 0;
    }
    sums[number] += job;
#else
    if (stack_is_empty(&stack)) {
        return 0;
    }
    const long job = stack_pop(&stack);
    underflows[number] += job < 0;
    sums[number] += job;
#endif
    return 1;
}

static void *worker(void *unused)
{
    for (int i = 0; i < JOBS / 2; i++) {
        work(0);
    }
    return unused;
}

static void *helper(void *unused)
{
    kernel_late();
    while (work(1)) {
    }
    return unused;
}

static int is_wrong(void)
{
    return underflows[0] != 0 || underflows[1] != 0 || sums[0] + sums[1] != 36 ||
           !stack_is_empty(&stack);
}

int main(void)
{
    for (long job = 1; job <= JOBS; job++) {
        stack_push(&stack, job);
    }
    return kernel_run(worker, helper, is_wrong);
}
