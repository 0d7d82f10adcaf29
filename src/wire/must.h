/* Checks of what we know to be true, on in every build. A `must` that falls is a bug of ours: it
 * says where and stops. Freestanding apart from the one function below, which each program
 * provides. */
#ifndef CLEW_WIRE_MUST_H
#define CLEW_WIRE_MUST_H

/* Reports a broken promise and does not return. base/ defines it for the tool, runtime/ for the
 * traced process. */
_Noreturn void must_failed(const char *file, int line, const char *what);
/* Ends the process with status 2: foreign code that has no way back cannot go on. */
_Noreturn void must_leave(const char *why);

#define must(claim) ((claim) ? (void)0 : must_failed(__FILE__, __LINE__, #claim))

/* For what no input can reach: the end of a switch over one of our enums. */
#define bug(what) must_failed(__FILE__, __LINE__, what)

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

#endif
