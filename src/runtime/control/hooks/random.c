/* Chance that comes from the system: drawn from the plan's seed instead. */
#include "runtime/control/hooks/random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/model/proc_paths.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"
#include "wire/prng.h"

/* Each task has a sequence of its own: what it draws does not depend on the schedule. */
static void fill(void *bytes, size_t size)
{
    struct task *me = control_self;
    if (!me->has_prng) {
        me->has_prng = true;
        prng_init(&me->prng, control->plan.seed ^ me->path_name ^ 0x72616e64u);
    }
    for (size_t done = 0; done < size; done += sizeof(uint64_t)) {
        const uint64_t drawn = prng_next(&me->prng);
        const size_t left = size - done;
        memcpy((char *)bytes + done, &drawn, left < sizeof drawn ? left : sizeof drawn);
    }
}

void random_fill(void *bytes, size_t size)
{
    control->result.has_drawn = 1;
    fill(bytes, size);
}

bool random_is_device(const char *path)
{
    return strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
}

static ssize_t draw(void *unused, char *bytes, size_t size)
{
    (void)unused;
    random_fill(bytes, size);
    return (ssize_t)size;
}

FILE *random_stream(void)
{
    return fopencookie(NULL, "r", (cookie_io_functions_t){.read = draw});
}

RT_EXPORT ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    if (!control_is_on) {
        return sys(SYS_getrandom, bytes, size, flags);
    }
    random_fill(bytes, size);
    return (ssize_t)size;
}

RT_EXPORT int getentropy(void *bytes, size_t size)
{
    return getrandom(bytes, size, 0) == (ssize_t)size ? 0 : -1;
}

RT_EXPORT uint32_t arc4random(void)
{
    uint32_t drawn = 0;
    (void)getrandom(&drawn, sizeof drawn, 0);
    return drawn;
}

RT_EXPORT void arc4random_buf(void *bytes, size_t size)
{
    (void)getrandom(bytes, size, 0);
}

/* As arc4random_uniform(3): every number below the limit is as likely. */
RT_EXPORT uint32_t arc4random_uniform(uint32_t limit)
{
    const uint32_t uneven = limit < 2 ? 0 : -limit % limit;
    uint32_t drawn = arc4random();
    while (drawn < uneven) {
        drawn = arc4random();
    }
    return limit < 2 ? 0 : drawn % limit;
}

/* Names of temporary files: what libc draws for them comes from a clock. */

enum { LETTERS = 6, NAMES_TRIED = 1000 };

/* The letters to be drawn, before the last `rest`; NULL when they are not there. */
static char *letters_of(const char *name, int rest)
{
    const size_t size = strlen(name);
    if (rest < 0 || size < LETTERS + (size_t)rest ||
        memcmp(name + size - (size_t)rest - LETTERS, "XXXXXX", LETTERS) != 0) {
        errno = EINVAL;
        return NULL;
    }
    return (char *)(uintptr_t)name + size - (size_t)rest - LETTERS;
}

static void draw_letters(char *letters)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (int i = 0; i < LETTERS; i++) {
        uint64_t drawn = 0;
        fill(&drawn, sizeof drawn);
        letters[i] = alphabet[drawn % (sizeof alphabet - 1)];
    }
}

RT_EXPORT int mkostemps(char *name, int rest, int flags)
{
    char *letters = letters_of(name, rest);
    for (int i = 0; letters != NULL && i < NAMES_TRIED; i++) {
        draw_letters(letters);
        const int fd = open(name, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

RT_EXPORT int mkostemp(char *name, int flags)
{
    return mkostemps(name, 0, flags);
}

RT_EXPORT int mkstemps(char *name, int rest)
{
    return mkostemps(name, rest, 0);
}

RT_EXPORT int mkstemp(char *name)
{
    return mkostemps(name, 0, 0);
}

RT_EXPORT int mkstemp64(char *name)
{
    return mkostemps(name, 0, 0);
}

RT_EXPORT int mkostemp64(char *name, int flags)
{
    return mkostemps(name, 0, flags);
}

RT_EXPORT char *mkdtemp(char *name)
{
    char *letters = letters_of(name, 0);
    for (int i = 0; letters != NULL && i < NAMES_TRIED; i++) {
        draw_letters(letters);
        control_changed();
        if (path_call(SYS_mkdirat, (const long[6]){AT_FDCWD, (long)name, 0700}) == 0) {
            return name;
        }
        if (errno != EEXIST) {
            return NULL;
        }
    }
    return NULL;
}
