/* Random numbers for simulated systems. All come from the node's generator, which the run's seed
 * initializes. A seed that the system sets (srand) has no effect, nor has the state that a caller
 * passes (rand_r, erand48). */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>

#include "runtime/sim/sim_calls.h"

/* The next random number's upper `bits` bits. */
static uint64_t draw(unsigned bits)
{
    return sim_calls()->draw() >> (64 - bits);
}

static double draw_fraction(void)
{
    return (double)draw(48) / (double)(UINT64_C(1) << 48);
}

SIM_LIBC int rand(void)
{
    return (int)draw(31);
}

SIM_LIBC void srand(unsigned seed)
{
    (void)seed;
}

SIM_LIBC int rand_r(unsigned *seed)
{
    *seed = (unsigned)draw(31);
    return (int)*seed;
}

SIM_LIBC long random(void)
{
    return (long)draw(31);
}

SIM_LIBC void srandom(unsigned seed)
{
    (void)seed;
}

SIM_LIBC double drand48(void)
{
    return draw_fraction();
}

SIM_LIBC double erand48(unsigned short state[3])
{
    (void)state;
    return draw_fraction();
}

SIM_LIBC long lrand48(void)
{
    return (long)draw(31);
}

SIM_LIBC long nrand48(unsigned short state[3])
{
    (void)state;
    return (long)draw(31);
}

SIM_LIBC long mrand48(void)
{
    return (int32_t)draw(32);
}

SIM_LIBC long jrand48(unsigned short state[3])
{
    (void)state;
    return (int32_t)draw(32);
}

SIM_LIBC void srand48(long seed)
{
    (void)seed;
}

static void fill(void *bytes, size_t size)
{
    for (size_t done = 0; done < size; done += sizeof(uint64_t)) {
        const uint64_t drawn = sim_calls()->draw();
        const size_t left = size - done;
        memcpy((char *)bytes + done, &drawn, left < sizeof drawn ? left : sizeof drawn);
    }
}

SIM_LIBC ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    (void)flags;
    fill(bytes, size);
    return (ssize_t)size;
}

SIM_LIBC int getentropy(void *bytes, size_t size)
{
    fill(bytes, size);
    return 0;
}

SIM_LIBC uint32_t arc4random(void)
{
    return (uint32_t)draw(32);
}

SIM_LIBC void arc4random_buf(void *bytes, size_t size)
{
    fill(bytes, size);
}

SIM_LIBC uint32_t arc4random_uniform(uint32_t bound)
{
    return bound < 2 ? 0 : (uint32_t)(draw(32) * (uint64_t)bound >> 32);
}
