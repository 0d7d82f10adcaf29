/* What the library for simulated systems (libclew_sim.a) is made of: functions of libc that a
 * system calls, answered by the simulator. `clew cc --sim` links the archive behind the files and
 * archives of the system, so that their undefined references to malloc and the like end here;
 * libc's own calls do not. The definitions are weak: a function that the system brings along wins.
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

/* The simulator's own table, which constructors need: they run before clew_calls is set. */
extern const struct clew_calls clew_sim_calls __attribute__((weak));

static inline const struct clew_calls *sim_calls(void)
{
    return clew_calls != NULL ? clew_calls : &clew_sim_calls;
}

#endif
