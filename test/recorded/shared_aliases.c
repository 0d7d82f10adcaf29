/* One file, mapped twice by one process: the two addresses are one variable. Another file mapped
 * where the first was is not.
 *
 * race: through_first through_second */
#define _GNU_SOURCE
#include "shared.h"

static long *first, *second;

static void *use_first(void *unused)
{
    first[1] = 1; /* through_first */
    return unused;
}

static void *use_second(void *unused)
{
    second[1] = 2; /* through_second */
    return unused;
}

static int make_file(void)
{
    char path[] = "aliases-XXXXXX";
    const int fd = mkstemp(path);
    CLAIM(fd >= 0 && unlink(path) == 0 && ftruncate(fd, PAGE) == 0);
    return fd;
}

static void *use_old(void *unused)
{
    first[2] = 1;
    return unused;
}

static void *use_new(void *unused)
{
    second[2] = 1;
    return unused;
}

int main(void)
{
    const int fd = make_file();
    first = map_shared(fd, PAGE);
    second = map_shared(fd, PAGE);
    run_both(use_first, use_second);
    const int other = make_file();
    CLAIM(mmap(second, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, other, 0) == second);
    run_both(use_old, use_new);
    return 0;
}
