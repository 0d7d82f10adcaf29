#include "base/json_reader.h"

#include <string.h>

#include "test.h"

static int count_null(void *context)
{
    ++*(int *)context;
    return 1;
}

static const yajl_callbacks callbacks = {.yajl_null = count_null};

TEST(bytes_may_come_in_pieces)
{
    int count = 0;
    yajl_handle parser = json_reader_new(&callbacks, &count);
    CHECK_INT(json_reader_feed(parser, "[null, nu", 9), 0);
    CHECK_INT(json_reader_feed(parser, "ll]", 3), 0);
    CHECK_INT(yajl_complete_parse(parser), yajl_status_ok);
    CHECK_INT(count, 2);
    yajl_free(parser);
}

TEST(what_is_not_json_is_refused_in_one_line)
{
    struct err e = {0};
    yajl_handle parser = json_reader_new(NULL, NULL);
    CHECK_INT(json_reader_feed(parser, "[nil]", 5), -1);
    CHECK_INT(json_reader_fail(parser, 41, &e), -1);
    CHECK(strncmp(e.text, "byte 41: not JSON: ", 19) == 0);
    CHECK(strchr(e.text, '\n') == NULL);
    yajl_free(parser);
}
