/* What the libubsan.a beside libclew_sim.a holds: nothing. gcc names that library when it links
 * what -fsanitize=undefined has instrumented, and `clew cc --sim` lets it find this one: the
 * functions are in sim_undefined.c. */
extern int clew_sim_nothing;
