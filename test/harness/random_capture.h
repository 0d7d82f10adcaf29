/* Captures of a service with users, versions, locks and barriers, made from bytes; and which
 * atomicity patterns they allow, by brute force.
 *
 *     struct capture c;
 *     capture_make(&c, bytes, size);          three bytes a request, the same for the same bytes
 *     capture_print_har(&c, &out);
 *     capture_patterns(&c, &out);
 *
 * The service is simulated: it keeps a version per resource, which changes with each write to it,
 * above or below it; it returns versions or does not, and refuses writes that require another one.
 * Brute force works on the actions of the service, not on a reader's result. It shares no code with
 * the engine. */
#ifndef CLEW_TEST_RANDOM_CAPTURE_H
#define CLEW_TEST_RANDOM_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

enum { CAPTURE_REQUESTS_MAX = 16, CAPTURE_USERS = 3, CAPTURE_RESOURCES = 4, CAPTURE_NAMES = 2 };

enum capture_kind {
    CAPTURE_READ,
    CAPTURE_WRITE,
    CAPTURE_REFUSED, /* a write, by its version */
    CAPTURE_LOCK,
    CAPTURE_UNLOCK,
    CAPTURE_DONE,   /* of a job: comes before ... */
    CAPTURE_RESULT, /* ... its results that are asked for later */
    CAPTURE_NOTHING
};

struct capture_request {
    enum capture_kind kind;
    const char *verb;
    uint8_t user;
    uint8_t name; /* of a resource, a lock or a job */
    uint16_t status;
    uint32_t told, asked; /* versions, 0: none */
    bool asks_any;        /* If-Match: * */
};

struct capture {
    struct capture_request list[CAPTURE_REQUESTS_MAX];
    uint32_t count;
};

void capture_make(struct capture *c, const uint8_t *bytes, size_t size);

/* The rules that the capture needs, besides the built-in ones. */
extern const char capture_rules[];

void capture_print_har(const struct capture *c, struct out *out);

/* Prints a line for each pattern that some order of the requests shows: its key, the two requests
 * that are interrupted, and those that interrupt ("RWW 3 7 | 5"). */
void capture_patterns(const struct capture *c, struct out *out);

/* How much there was to agree about. */
struct capture_tally {
    uint64_t captures, with_patterns, patterns, refused, conditional;
};

/* Reads the capture, runs the engine and compares; false if the two differ or an execution of the
 * engine is impossible. Adds to *tally; the outputs go to *told, which may be NULL. */
bool capture_agrees(const uint8_t *bytes, size_t size, struct capture_tally *tally,
                    struct out *told);

#endif
