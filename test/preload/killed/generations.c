/* Threads that are created and joined, generation after generation: `generations COUNT SIZE`. Then
 * it prints what the process has become: pages it holds, mappings, descriptors. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIZE_MAX_OF_GENERATION = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *live(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static int generation(int size)
{
    static pthread_t threads[SIZE_MAX_OF_GENERATION];
    for (int i = 0; i < size; i++) {
        if (pthread_create(&threads[i], NULL, live, NULL) != 0) {
            perror("pthread_create");
            return -1;
        }
    }
    for (int i = 0; i < size; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}

static long pages_held(void)
{
    long all = 0;
    long held = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &all, &held) != 2) {
        return -1;
    }
    fclose(file);
    return held;
}

static long mappings(void)
{
    long lines = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    for (int c = 0; file != NULL && (c = getc(file)) != EOF;) {
        lines += c == '\n';
    }
    if (file != NULL) {
        fclose(file);
    }
    return lines;
}

static long descriptors(void)
{
    long found = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder != NULL && readdir(folder) != NULL) {
        found++;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return found;
}

int main(int argc, char **argv)
{
    const int rounds = argc == 3 ? (int)strtol(argv[1], NULL, 10) : 0;
    const int size = argc == 3 ? (int)strtol(argv[2], NULL, 10) : 0;
    if (size < 1 || size > SIZE_MAX_OF_GENERATION) {
        return 2;
    }
    for (int i = 0; i < rounds; i++) {
        if (generation(size) < 0) {
            return 3;
        }
    }
    printf("%ld %ld %ld %ld\n", count, pages_held(), mappings(), descriptors());
    return 0;
}
