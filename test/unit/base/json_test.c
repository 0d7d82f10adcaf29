#include "base/json.h"

#include "test.h"

static void check_quoted(const char *bytes, size_t size, const char *wanted)
{
    struct out out;
    out_open_memory(&out);
    json_quote(&out, bytes, size);
    out_char(&out, 0);
    CHECK_TEXT(out.buffer, wanted);
    out_abandon(&out);
}

TEST(text_is_escaped_and_what_is_not_utf8_is_replaced)
{
    check_quoted("plain", 5, "\"plain\"");
    check_quoted("a\"b\\c\n\t\x01", 8, "\"a\\\"b\\\\c\\n\\t\\u0001\"");
    check_quoted("gr\xc3\xbc\xc3\x9f", 6, "\"gr\xc3\xbc\xc3\x9f\"");
    check_quoted("\xff|\xc3", 3, "\"\xef\xbf\xbd|\xef\xbf\xbd\"");
    check_quoted("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    check_quoted("\x7f", 1, "\"\\u007f\"");
    check_quoted("", 0, "\"\"");
}

TEST(nested_values_get_their_commas)
{
    struct out out;
    out_open_memory(&out);
    struct json j = json_begin(&out);
    json_object(&j, NULL);
    json_u64(&j, "large", UINT64_MAX);
    json_array(&j, "list");
    json_i64(&j, NULL, INT64_MIN);
    json_bool(&j, NULL, true);
    json_null(&j, NULL);
    json_double(&j, NULL, 0.25);
    json_object(&j, NULL);
    json_end(&j);
    json_end(&j);
    json_text(&j, "last", "x");
    json_end(&j);
    out_char(&out, 0);
    CHECK_TEXT(out.buffer, "{\"large\":18446744073709551615,"
                           "\"list\":[-9223372036854775808,true,null,0.25,{}],\"last\":\"x\"}");
    out_abandon(&out);
}
