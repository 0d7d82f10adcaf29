#include <string.h>

#include "base/mem.h"
#include "base/out.h"
#include "fuzz.h"
#include "solve/smtlib.h"

enum { VARIABLES = 8 };

/* What has been read, printed as get-value would, reads the same. */
static void check_values(const int64_t *values)
{
    struct out o;
    out_open_memory(&o);
    out_char(&o, '(');
    for (unsigned i = 0; i < VARIABLES; i++) {
        /* The least number has no positive twin to be printed as "(- twin)". */
        out_format(
            &o, values[i] < 0 ? "(x%u (- %llu))" : "(x%u %llu)", i,
            (unsigned long long)(values[i] < 0 ? -(uint64_t)values[i] : (uint64_t)values[i]));
    }
    out_char(&o, ')');
    int64_t again[VARIABLES] = {0};
    struct smtlib_reply reply = {.values = again, .value_count = VARIABLES};
    struct err e;
    must(smtlib_parse_reply(o.buffer, o.used, &reply, &e) == 0);
    must(reply.kind == SMTLIB_VALUES);
    must(memcmp(values, again, sizeof again) == 0);
    out_abandon(&o);
}

/* Reads reply after reply, as they would come from a solver. */
FUZZ_ENTRY(smtlib_answer)
{
    int64_t values[VARIABLES] = {0};
    const char *at = (const char *)bytes;
    for (;;) {
        struct smtlib_scan at_once = {0};
        struct smtlib_scan by_byte = {0};
        const bool is_whole = smtlib_scan(&at_once, at, size);
        bool is_whole_by_byte = false;
        for (size_t i = 0; i <= size && !is_whole_by_byte; i++) {
            is_whole_by_byte = smtlib_scan(&by_byte, at, i);
        }
        must(is_whole == is_whole_by_byte);
        must(at_once.seen == by_byte.seen);
        must(at_once.seen <= size);
        struct smtlib_reply reply = {.values = values, .value_count = VARIABLES};
        struct err e;
        if (smtlib_parse_reply(at, is_whole ? at_once.seen : size, &reply, &e) == 0 &&
            reply.kind == SMTLIB_VALUES) {
            check_values(values);
        }
        if (!is_whole) {
            return;
        }
        at += at_once.seen;
        size -= at_once.seen;
    }
}
