/* Variables of all kinds, changed by two threads that do not wait for each other; reported by
 * nobody. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum colour { RED, GREEN = 5 };
struct node {
    volatile short key;
    struct node *volatile next;
};
struct {
    int id;
    struct {
        union {
            long balance;
            char bytes[8];
        };
        unsigned flag : 1;
    };
    double rate;
} account = {.id = 7};
struct node *volatile table[4];
signed char matrix[2][3];
enum colour colour;
bool is_done;
atomic_uint hits;
__thread int own;
int left, right;
static int unused_one;

__attribute__((noinline)) static int next_id(void)
{
    static volatile int last;
    return ++last;
}

static void *work(void *unused)
{
    left++;
    unused_one = 1;
    own++;
    account.balance -= 30;
    account.flag = 1;
    account.rate = 0.5;
    matrix[1][2] = -3;
    atomic_fetch_add(&hits, 1);
    right++;
    return unused;
}

int main(void)
{
    struct node second = {0};
    second.key = -2;
    struct node *first = malloc(sizeof *first);
    first->next = &second;
    first->key = 9;
    table[3] = first;
    colour = GREEN;
    second.key = 11;
    first->next = NULL;
    free(first);
    table[3] = NULL;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, work, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    is_done = next_id() == 1;
    return 0;
}
