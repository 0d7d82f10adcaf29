/* Entries for fuzzing: a reader of any bytes must end cleanly. Called by libFuzzer (tools/fuzz) and
 * by tests on mutated inputs alike. In test/fuzz/NAME_fuzz.c, with seeds in test/fuzz/corpus/NAME:
 *
 *     FUZZ_ENTRY(falcon)
 *     {
 *         ... read `size` bytes at `bytes`;
 *             end by must() or a sanitizer when something is wrong ...
 *     }
 *
 * and in a test: FUZZ_DECLARE(falcon); ... fuzz_falcon(bytes, size); */
#ifndef CLEW_TEST_FUZZ_H
#define CLEW_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_DECLARE(name) void fuzz_##name(const uint8_t *bytes, size_t size)

/* Weak, because a test may link several entries; libFuzzer links one. */
/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so */
__attribute__((weak)) int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define FUZZ_ENTRY(name)                                          \
    FUZZ_DECLARE(name);                                           \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) \
    {                                                             \
        fuzz_##name(bytes, size);                                 \
        return 0;                                                 \
    }                                                             \
    void fuzz_##name(const uint8_t *bytes, size_t size)

#endif
