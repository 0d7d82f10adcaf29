/* Programs at the edges of control, one for each word. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

static const struct edge {
    const char *name;
    int (*run)(void);
} edges[] = {{"look_twice_and_free", look_twice_and_free}};

int main(int count, char **words)
{
    for (size_t i = 0; count > 1 && i < sizeof edges / sizeof *edges; i++) {
        if (strcmp(words[1], edges[i].name) == 0) {
            return edges[i].run();
        }
    }
    return 2;
}
