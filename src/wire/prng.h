/* The generator of all random numbers: xoshiro256** (Blackman and Vigna, 2018), seeded through
 * splitmix64. The same seed gives the same numbers on every machine, in the tool and inside a
 * controlled process. */
#ifndef CLEW_WIRE_PRNG_H
#define CLEW_WIRE_PRNG_H

#include <stdint.h>

#include "wire/must.h"

struct prng {
    uint64_t state[4];
};

static inline uint64_t prng_splitmix(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline void prng_init(struct prng *prng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        prng->state[i] = prng_splitmix(&seed);
    }
}

static inline uint64_t prng_rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

static inline uint64_t prng_next(struct prng *prng)
{
    uint64_t *s = prng->state;
    const uint64_t result = prng_rotate(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = prng_rotate(s[3], 45);
    return result;
}

/* A uniformly distributed number below bound (Lemire, "Fast Random Integer Generation in an
 * Interval", 2019: multiply, and reject the biased low part). */
static inline uint64_t prng_below(struct prng *prng, uint64_t bound)
{
    must(bound > 0);
    __extension__ typedef unsigned __int128 wide;
    wide m = (wide)prng_next(prng) * bound;
    if ((uint64_t)m < bound) {
        const uint64_t threshold = -bound % bound;
        while ((uint64_t)m < threshold) {
            m = (wide)prng_next(prng) * bound;
        }
    }
    return (uint64_t)(m >> 64);
}

#endif
