#include <string.h>

#include "fuzz.h"
#include "report/findings_file.h"

/* Parses and prints; false when it is no findings file. */
static bool print_again(const void *bytes, size_t size, struct out *out)
{
    struct finding_file f = {0};
    struct err e;
    struct in in;
    in_open_memory(&in, bytes, size);
    const bool is_file = finding_file_parse(&f, &in, &e) == 0;
    if (is_file) {
        finding_file_print(&f, out);
    }
    finding_file_release(&f);
    return is_file;
}

/* What is printed from a findings file is one, and prints as itself. */
FUZZ_ENTRY(findings)
{
    struct out first;
    struct out second;
    out_open_memory(&first);
    out_open_memory(&second);
    if (print_again(bytes, size, &first)) {
        must(print_again(first.buffer, first.used, &second));
        must(first.used == second.used);
        must(memcmp(first.buffer, second.buffer, first.used) == 0);
    }
    out_abandon(&first);
    out_abandon(&second);
}
