/* Functions of libc for simulated systems (libclew_sim.a): memory, time and random numbers come
 * from the simulator. `clew cc --sim` links the archive after the files and archives of the system,
 * so that it resolves their references to malloc and the like, but not libc's own. The definitions
 * are weak: a function that the system itself defines takes precedence.
 *
 *     SIM_LIBC int rand(void)
 *     {
 *         return (int)(sim_calls()->draw() >> 33);
 *     }
 */
#ifndef CLEW_RUNTIME_SIM_SIM_CALLS_H
#define CLEW_RUNTIME_SIM_SIM_CALLS_H

#define CLEW_SIM_IN_PROGRAM
#include <clew/sim.h>

#define SIM_LIBC __attribute__((weak, visibility("hidden")))

/* The simulator's own table. Constructors use it: they run before clew_calls is set. */
extern const struct clew_calls clew_sim_calls __attribute__((weak));

static inline const struct clew_calls *sim_calls(void)
{
    return clew_calls != NULL ? clew_calls : &clew_sim_calls;
}

#endif
