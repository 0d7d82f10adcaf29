/* Everything that two threads share here has a name a reader of the source knows. details_test.py
 * looks at the names; the races are on purpose.
 *
 * race: calls calls
 * race: member member
 * race: nested nested
 * race: letter letter
 * race: element element
 * race: first first
 * race: matrix matrix
 * race: inner inner
 * race: half half
 * race: whole whole
 * race: bit bit
 * race: heap heap
 * race: copy copy
 * race: wrapped wrapped
 * race: read_line read_line
 * race: printed printed
 * race: resolved resolved */
#include <stdio.h>
#include <string.h>

#include "program.h"

struct entry {
    int key;
    struct {
        short low, high;
    } pair;
    union {
        long whole;
        int halves[2];
    };
    unsigned is_used : 1;
};

struct {
    pthread_mutex_t lock;
    struct entry *head;
    struct entry inner[3];
    char name[8];
} queue;

int closers[10];
int grid[3][4];
struct entry table[5];
struct entry *block;
char *text, *wrapped, *line, *printed, *resolved;

static inline __attribute__((always_inline)) void *xmalloc(size_t size)
{
    void *made = malloc(size);
    CLAIM(made != NULL);
    return made;
}

/* Not inlined: the line of its caller is on the stack alone. */
static __attribute__((noinline)) void *safe_malloc(size_t size)
{
    void *made = malloc(size);
    CLAIM(made != NULL);
    return made;
}

/* The C library allocates for its caller. */
static void fill(void)
{
    char words[] = "some words\n";
    size_t room = 0;
    FILE *file = fmemopen(words, sizeof words - 1, "r");
    CLAIM(file != NULL);
    CLAIM(getline(&line, &room, file) > 0);
    CLAIM(asprintf(&printed, "%d of %s", 3, "them") > 0);
    resolved = realpath("/", NULL);
    CLAIM(resolved != NULL);
    fclose(file);
}

static void *touch(void *unused)
{
    static long calls;
    calls++;                /* calls */
    queue.head = block;     /* member */
    queue.inner[2].key = 1; /* nested */
    queue.name[3] = 'x';    /* letter */
    closers[5] = 1;         /* element */
    closers[0] = 1;         /* first */
    grid[2][3] = 1;         /* matrix */
    table[3].pair.high = 1; /* inner */
    table[4].halves[1] = 1; /* half */
    table[1].whole = 1;     /* whole */
    table[2].is_used = 1;   /* bit */
    block[1].pair.low = 1;  /* heap */
    text[0] = 'x';          /* copy */
    wrapped[1] = 'x';       /* wrapped */
    line[0] = 'x';          /* read_line */
    printed[0] = 'x';       /* printed */
    resolved[0] = 'x';      /* resolved */
    return unused;
}

int main(void)
{
    block = xmalloc(2 * sizeof *block);
    text = strdup("text");
    CLAIM(text != NULL);
    wrapped = safe_malloc(2);
    fill();
    CLAIM(pthread_mutex_lock(&queue.lock) == 0);
    CLAIM(pthread_mutex_unlock(&queue.lock) == 0);
    run_both(touch, touch);
    free(resolved);
    free(printed);
    free(line);
    free(wrapped);
    free(text);
    free(block);
    return 0;
}
