/* Properties in C (clew/property.h) over the variables that a program reports: a file is compiled,
 * loaded into clew and asked after each new value.
 *
 *     struct properties *p = NULL;
 *     if (properties_load(&p, &(struct property_source){"bank.c", includes}, e) < 0) { ... }
 *     properties_begin(p);
 *     properties_set(p, "balance", 100);
 *     if (properties_check(p, false, &broken, e) < 0) { ... a property itself is broken ... }
 *     properties_free(p);
 */
#ifndef CLEW_PROC_BUILD_PROPERTY_LIBRARY_H
#define CLEW_PROC_BUILD_PROPERTY_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "clew/property.h"

struct properties;

struct property_source {
    const char *path;     /* of a C file, or of a shared object, FILE.so */
    const char *includes; /* the folder of clew/property.h */
};

/* Fails if the source cannot be read, does not compile (the compiler has written its errors to
 * standard error), or has no list clew_properties; *p is NULL then. */
MUST_USE int properties_load(struct properties **p, const struct property_source *source,
                             struct err *e);
void properties_free(struct properties *p);

/* The results of one property so far. */
struct property_account {
    const char *name;
    enum clew_severity severity;
    uint64_t checks, skips, failures;
};
uint32_t properties_count(const struct properties *p);
struct property_account *properties_account(struct properties *p, uint32_t index);

/* A run begins: no variable is there. */
void properties_begin(struct properties *p);

void properties_set(struct properties *p, const char *name, int64_t value);
void properties_unset(struct properties *p, const char *name);

/* A property that does not hold, with its message. */
struct property_broken {
    uint32_t index; /* UINT32_MAX: all hold */
    const char *values;
};

/* Asks those for each moment, or those for the end of a run. One that asks for a variable which is
 * not there is skipped. Fails when one of them crashes. */
MUST_USE int properties_check(struct properties *p, bool is_end, struct property_broken *broken,
                              struct err *e);

#endif
