#include "fuzz.h"
#include "world/fuzz.h"

/* What is drawn from a fuzz file keeps its rules. */
static void check_drawn(const struct fuzz *f, const struct fuzz_injections *drawn)
{
    must(drawn->count <= f->initial.count + f->event_count);
    for (size_t i = 0; i < drawn->count; i++) {
        const struct fuzz_injection *injection = &drawn->list[i];
        must(injection->node < 3);
        must(injection->type < 2);
        must(injection->size == 0 || injection->bytes != NULL);
    }
}

FUZZ_ENTRY(fuzz_file)
{
    static const char *const nodes[] = {"n1", "n2", "n3", NULL};
    static const char *const messages[] = {"put", "get", NULL};
    const struct fuzz_names names = {nodes, messages};
    struct fuzz f = {0};
    struct err e = {.text = ""};
    struct in in;
    in_open_memory(&in, bytes, size);
    const int result = fuzz_read(&f, &in, &e) < 0 ? -1 : fuzz_check(&f, &names, &e);
    if (result < 0) {
        must(e.text[0] != '\0');
    } else {
        struct prng prng;
        struct arena arena = {0};
        prng_init(&prng, 1);
        const struct fuzz_injections drawn = fuzz_draw(&f, &names, &prng, &arena);
        check_drawn(&f, &drawn);
        arena_release(&arena);
    }
    fuzz_release(&f);
}
