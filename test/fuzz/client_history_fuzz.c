#include "fuzz.h"
#include "proc/cluster/client_history.h"

/* What is read ends after it begins, and is judged within its budget. */
FUZZ_ENTRY(client_history)
{
    struct client_history h;
    struct client_history_fault fault;
    struct err e = {.text = ""};
    struct in in;
    client_history_init(&h);
    in_open_memory(&in, bytes, size);
    if (client_history_read(&h, &in, &e) < 0) {
        must(e.text[0] != '\0');
    } else {
        vec_each (&h.operations, o) {
            must(o->end > o->begin);
        }
        const enum client_history_verdict verdict = client_history_check(&h, 1000, &fault);
        must((verdict == HISTORY_BAD) == (fault.key[0] != '\0'));
    }
    client_history_release(&h);
}
