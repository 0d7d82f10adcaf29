/* The libc functions that a simulated system may call, by name. The simulator rewinds and repeats a
 * system whose state it knows. A call that keeps state elsewhere, or imports external data,
 * invalidates a proof. `clew cc --sim` checks when it links a system, and the simulator checks
 * again when it loads one.
 *
 *     libc_symbol_find("strlen").use          LIBC_HARMLESS
 *     libc_symbol_find("malloc").use          LIBC_ROUTED: its library takes libc's place
 *     libc_symbol_find("pthread_create").why  "starts a thread, which ..."
 */
#ifndef CLEW_WORLD_LIBC_SYMBOLS_H
#define CLEW_WORLD_LIBC_SYMBOLS_H

enum libc_use {
    LIBC_HARMLESS, /* keeps no state that outlives the call, or only the caller's */
    LIBC_ROUTED,   /* the simulator answers, in a system that `clew cc --sim` has linked */
    LIBC_REFUSED,  /* cannot be simulated */
    LIBC_UNKNOWN,  /* not in the table: some shared library's */
};

struct libc_symbol {
    enum libc_use use;
    const char *why; /* of LIBC_ROUTED and LIBC_REFUSED, its effect: "opens a file, ..." */
};

/* Linear search of the table. */
struct libc_symbol libc_symbol_find(const char *name);

#endif
