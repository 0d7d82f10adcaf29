/* Turns the command line of a compiler into that of `clew cc` and `clew c++`. Sources are compiled
 * with -fsanitize=thread, and linked not with ThreadSanitizer's runtime but with libclew_hooks.a,
 * which does nothing if the program runs without clew. */
#ifndef CLEW_PROC_BUILD_COMPILER_H
#define CLEW_PROC_BUILD_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

/* One command to run, ended by NULL. */
struct compiler_step {
    char **words;
};

/* The steps one command line becomes, in order. */
struct compiler_plan {
    struct arena arena;
    VEC(struct compiler_step) steps;
    VEC(const char *) leftovers; /* objects in between, to be removed at the end */
    bool is_static;              /* links a program that no library can be loaded into */
    const char *system;          /* the system that is linked, "a.out" by default; NULL: none is */
};

struct compiler_options {
    const char *compiler;     /* "gcc", "clang++" ... */
    const char *hooks;        /* path of libclew_hooks.a */
    const char *sim;          /* path of libclew_sim.a */
    const char *includes;     /* folder of clew/clew.h */
    const char *folder;       /* where objects in between go */
    bool is_system;           /* the result is a system for `clew explore`, not a program */
    const char *const *words; /* the command line behind `clew cc` */
    size_t word_count;
};

/* Plans; plan is {0} before. A system is compiled by one step: as a shared object with debug
 * information, in which undefined behaviour traps. A command line that only compiles, or only asks
 * (-v, -E, -M), stays one step. One that compiles and links becomes a step for each source and one
 * that links. */
void compiler_plan(struct compiler_plan *plan, const struct compiler_options *options);
void compiler_release(struct compiler_plan *plan);

#endif
