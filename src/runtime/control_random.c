/* Chance that comes from the system: drawn from the plan's seed instead. */
#include "runtime/control_random.h"

#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control.h"
#include "runtime/sys.h"
#include "wire/prng.h"

static struct prng prng;
static uint64_t begun; /* the plan it was begun for */

void random_fill(void *bytes, size_t size)
{
    if (begun != control->plan.number) {
        begun = control->plan.number;
        prng_init(&prng, control->plan.seed ^ 0x72616e64u);
    }
    for (size_t done = 0; done < size; done += sizeof(uint64_t)) {
        const uint64_t drawn = prng_next(&prng);
        const size_t left = size - done;
        memcpy((char *)bytes + done, &drawn, left < sizeof drawn ? left : sizeof drawn);
    }
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

RT_EXPORT uint32_t arc4random(void);
RT_EXPORT uint32_t arc4random(void)
{
    uint32_t drawn = 0;
    (void)getrandom(&drawn, sizeof drawn, 0);
    return drawn;
}

RT_EXPORT void arc4random_buf(void *bytes, size_t size);
RT_EXPORT void arc4random_buf(void *bytes, size_t size)
{
    (void)getrandom(bytes, size, 0);
}

/* As arc4random_uniform(3): every number below the limit is as likely. */
RT_EXPORT uint32_t arc4random_uniform(uint32_t limit);
RT_EXPORT uint32_t arc4random_uniform(uint32_t limit)
{
    const uint32_t uneven = limit < 2 ? 0 : -limit % limit;
    uint32_t drawn = arc4random();
    while (drawn < uneven) {
        drawn = arc4random();
    }
    return limit < 2 ? 0 : drawn % limit;
}
