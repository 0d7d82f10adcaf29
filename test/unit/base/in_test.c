#include "base/in.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "test.h"

TEST(the_window_slides_over_a_whole_pipe_without_losing_a_byte)
{
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    struct in in = {.fd = ends[0]};
    struct err e;
    unsigned char next_in = 0;
    unsigned char next_out = 0;
    for (int round = 0; round < 300; round++) {
        unsigned char bytes[997];
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = next_in++;
        }
        CHECK_INT(write(ends[1], bytes, sizeof bytes), sizeof bytes);
        CHECK(in_fill(&in, sizeof bytes - 500, &e) >= 497);
        const size_t used = in.available > 1100 ? 1100 : in.available;
        for (size_t i = 0; i < used; i++) {
            CHECK_INT((unsigned char)in.at[i], next_out++);
        }
        in_skip(&in, used);
    }
    (void)close(ends[1]);
    CHECK(in_fill(&in, 1 << 20, &e) >= 0);
    for (size_t i = 0; i < in.available; i++) {
        CHECK_INT((unsigned char)in.at[i], next_out++);
    }
    CHECK_INT(in.offset + in.available, 300 * 997);
    CHECK(in.is_end);
    in_close(&in);
}

TEST(all_that_is_left_is_read_up_to_a_bound)
{
    char bytes[200000] = "ab";
    int ends[2];
    struct err e = {0};
    CHECK_INT(pipe(ends), 0);
    CHECK_INT(write(ends[1], bytes, 50000), 50000);
    (void)close(ends[1]);
    struct in in = {.fd = ends[0]};
    CHECK_INT(in_fill_all(&in, 50000, &e), 0);
    CHECK_INT(in.available, 50000);
    CHECK_INT(in.at[1], 'b');
    in_close(&in);
    in_open_memory(&in, bytes, sizeof bytes);
    CHECK_INT(in_fill_all(&in, sizeof bytes - 1, &e), -1);
    CHECK_TEXT(e.text, "is larger than 199999 bytes");
    CHECK_INT(in_fill_all(&in, sizeof bytes, &e), 0);
}

TEST(a_directory_and_a_missing_file_are_refused_in_words)
{
    struct in in;
    struct err e;
    CHECK_INT(in_open(&in, "/", &e), -1);
    CHECK_TEXT(e.text, "is a directory, not a file");
    CHECK_INT(in_open(&in, "/nonexistent/file", &e), -1);
    CHECK_TEXT(e.text, "cannot be opened: No such file or directory");
}

TEST(each_failing_call_is_an_error_with_its_place)
{
    for (uint64_t call = 1; call <= 4; call++) {
        struct in in;
        struct err e;
        seam_arm(call == 3 ? 4 : call); /* the third call is the buffer's allocation */
        const int opened = in_open(&in, "/dev/null", &e);
        const ssize_t filled = opened < 0 ? 0 : in_fill(&in, 1, &e);
        CHECK(seam_disarm());
        CHECK(opened < 0 || filled < 0);
        if (opened == 0) {
            CHECK(strstr(e.text, "byte 0: cannot be read") != NULL);
            in_close(&in);
        }
    }
}
