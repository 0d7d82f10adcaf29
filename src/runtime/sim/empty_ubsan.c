/* The contents of the empty libubsan.a beside libclew_sim.a. gcc links that library with code
 * compiled with -fsanitize=undefined; `clew cc --sim` makes it find this one, because sim_ubsan.c
 * defines the functions. */
extern int clew_sim_nothing;
