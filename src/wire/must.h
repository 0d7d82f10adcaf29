/* Assertions that are on in every build. A `must` whose claim is false is a bug of clew: it reports
 * the file, the line and the claim, and ends the process. `must_in_tests` is the same for claims
 * whose check costs more than constant time: only debug and test builds evaluate it. Freestanding
 * apart from the two functions below, which each program provides. */
#ifndef CLEW_WIRE_MUST_H
#define CLEW_WIRE_MUST_H

/* Reports a false claim and does not return. base/ defines it for the tool, runtime/ for the
 * recorded or controlled process. */
_Noreturn void must_failed(const char *file, int line, const char *what);
/* Ends the process with status 2: foreign code that has no way back cannot go on. */
_Noreturn void must_leave(const char *why);

#define must(claim) ((claim) ? (void)0 : must_failed(__FILE__, __LINE__, #claim))

#ifdef CLEW_SLOW_CHECKS
#define must_in_tests(claim) must(claim)
#else
#define must_in_tests(claim) ((void)((0) && (claim))) /* compiled, never evaluated */
#endif

/* Marks code that no input can reach: the end of a switch over one of our enums. */
#define bug(what) must_failed(__FILE__, __LINE__, what)

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

#endif
