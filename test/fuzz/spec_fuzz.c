#include <string.h>

#include "fuzz.h"
#include "spec/checker.h"

/* Judges a short run by whatever the specification says. */
static void check_run(const struct spec *s)
{
    static const char *const processes[] = {"a", "b", "s1"};
    struct checker *c = NULL;
    struct err e;
    if (checker_new(&c, s, &(struct checker_system){processes, 3}, &e) < 0) {
        must(e.text[0] != '\0');
        return;
    }
    const uint32_t slot = checker_slot(c, 0, "x");
    for (uint64_t step = 0; step < 6; step++) {
        checker_set(c, slot, (int64_t)step % 2);
        (void)checker_step(c, step * 1000000);
    }
    static const struct checker_ending endings[] = {
        {.kind = CHECKER_REST}, {.kind = CHECKER_LASSO, .repeats = 3}, {.kind = CHECKER_CUT}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        (void)checker_end(c, &endings[i]);
        checker_rewind(c, 6);
    }
    checker_free(c);
}

static bool print_again(const void *bytes, size_t size, struct out *out)
{
    struct spec s;
    struct err e = {.text = ""};
    struct in in;
    in_open_memory(&in, bytes, size);
    spec_init(&s);
    const bool is_spec = spec_parse(&s, &in, &e) == 0;
    must(is_spec || e.text[0] != '\0');
    if (is_spec) {
        spec_print(&s, out);
        check_run(&s);
    }
    spec_release(&s);
    return is_spec;
}

/* What is printed from a specification is one, and prints as itself. */
FUZZ_ENTRY(spec)
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
