/* Uses of the heap, right and wrong: the argument says which. control's memory checks must name
 * each wrong one as what it is, and none of the right ones. */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile char sink;

/* Not known to the compiler, which would otherwise warn of it or leave it out. */
__attribute__((noinline)) static void *hidden(void *pointer)
{
    __asm__ volatile("" : "+r"(pointer) : : "memory");
    return pointer;
}

static char *block(size_t size)
{
    char *made = hidden(malloc(size));
    if (made == NULL) {
        exit(99);
    }
    memset(made, 1, size);
    return made;
}

/* A block that is no longer one. */
static char *freed(size_t size)
{
    char *made = block(size);
    char *same = hidden(made);
    free(made);
    return same;
}

/* Wrong */

static void read_after_free(void)
{
    sink = freed(24)[3];
}

static void write_after_free(void)
{
    freed(24)[23] = 1;
}

static void read_after_many(void)
{
    char *b = freed(24);
    for (int i = 0; i < 20; i++) {
        free(block(24));
    }
    sink = b[3];
}

static void read_after_realloc(void)
{
    char *b = block(24);
    const char *same = hidden(b);
    free(realloc(b, 4000));
    sink = same[0];
}

static void copy_after_free(void)
{
    char own[16] = {0};
    memcpy(own, freed(sizeof own), sizeof own);
    sink = own[1];
}

static void lock_after_free(void)
{
    pthread_mutex_t *m = hidden(malloc(sizeof *m));
    pthread_mutex_t *same = hidden(m);
    (void)pthread_mutex_init(m, NULL);
    free(m);
    (void)pthread_mutex_lock(same);
}

static void free_twice(void)
{
    free(freed(8));
}

static void realloc_after_free(void)
{
    free(realloc(freed(8), 100));
}

/* A write that no compiler leaves out because the block goes next. */
#define put(block_of, at)              \
    do {                               \
        volatile char *b = (block_of); \
        b[at] = 1;                     \
        free((char *)b);               \
    } while (0)

static void write_behind(void)
{
    put(block(24), 24);
}

static void write_behind_odd(void)
{
    put(block(13), 13);
}

static void read_behind_word(void)
{
    char *b = block(12);
    uint64_t word = 0;
    memcpy(&word, b + 8, sizeof word);
    sink = (char)word;
    free(b);
}

static void write_before(void)
{
    put(block(24), -1);
}

static void set_behind(void)
{
    char *b = block(32);
    volatile size_t size = 33; /* a size that is known may become stores that nobody tells of */
    memset(b, 0, size);
    free(hidden(b));
}

static void write_behind_large(void)
{
    put(block(300000), 300000);
}

static void write_behind_aligned(void)
{
    put(hidden(aligned_alloc(64, 64)), 64);
}

static void free_inside(void)
{
    free(hidden(block(64) + 16));
}

/* Right */

static void use_all(void)
{
    for (size_t size = 0; size < 600; size++) {
        char *b = block(size);
        for (size_t i = 0; i < size; i++) {
            b[i] = (char)i;
        }
        b = realloc(b, size * 2 + 1);
        b[size * 2] = 1;
        free(b);
    }
    free(NULL);
}

static void use_aligned(void)
{
    for (size_t alignment = 16; alignment <= 4096; alignment *= 2) {
        char *b = hidden(aligned_alloc(alignment, alignment * 3));
        memset(b, 1, alignment * 3);
        if ((uintptr_t)b % alignment != 0) {
            exit(99);
        }
        free(b);
        void *other = NULL;
        if (posix_memalign(&other, alignment, 7) != 0) {
            exit(99);
        }
        memset(other, 1, 7);
        free(other);
    }
}

static void use_usable(void)
{
    char *b = block(17);
    memset(b, 1, malloc_usable_size(b));
    free(b);
}

static void use_of_libc(void)
{
    char *copy = strdup("a text of its own");
    char *line = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&line, &size);
    (void)fprintf(file, "%s, %d", copy, 42);
    (void)fclose(file);
    sink = line[size - 1];
    free(line);
    free(copy);
}

static void use_zeroed(void)
{
    int *numbers = hidden(calloc(100, sizeof *numbers));
    for (int i = 0; i < 100; i++) {
        if (numbers[i] != 0) {
            exit(99);
        }
        numbers[i] = i;
    }
    free(numbers);
    volatile size_t too_many = SIZE_MAX / 2;
    if (hidden(calloc(too_many, 4)) != NULL) {
        exit(99);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} uses[] = {
#define USE(name)   \
    {               \
#name, name \
    }
    USE(read_after_free),
    USE(write_after_free),
    USE(read_after_many),
    USE(read_after_realloc),
    USE(copy_after_free),
    USE(lock_after_free),
    USE(free_twice),
    USE(realloc_after_free),
    USE(write_behind),
    USE(write_behind_odd),
    USE(read_behind_word),
    USE(write_before),
    USE(set_behind),
    USE(write_behind_large),
    USE(write_behind_aligned),
    USE(free_inside),
    USE(use_all),
    USE(use_aligned),
    USE(use_usable),
    USE(use_of_libc),
    USE(use_zeroed),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof uses / sizeof *uses; i++) {
        if (strcmp(uses[i].name, argv[1]) == 0) {
            uses[i].run();
            return 0;
        }
    }
    return 99;
}
