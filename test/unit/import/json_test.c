/* The readers of JSON: paths into a text, and the stream of what is wanted from a large one. */
#include "import/json/json_path.h"
#include "import/json/json_tree.h"

#include <inttypes.h>

#include "base/mem.h"
#include "import/http/base64.h"
#include "import/http/wall_time.h"
#include "test.h"

static void join(void *context, struct piece value)
{
    text_add(context, value);
    text_add_char(context, ';');
}

/* The values found, each with a ';' behind; the count, or -1. */
static void check_path(const char *path, const char *json, int count, const char *wanted)
{
    struct arena a = {0};
    struct json_path p;
    struct text got = {0};
    const char *wrong = NULL;
    size_t at = 0;
    CHECK(json_path_parse(&p, &a, piece_of(path), &wrong, &at));
    CHECK_INT(json_path_find(&p, piece_of(json), join, &got), count);
    text_add_char(&got, '\0');
    CHECK_TEXT(got.chars.at, wanted);
    text_release(&got);
    arena_release(&a);
}

TEST(paths_lead_to_values)
{
    check_path("$.keys[*]", "{\"keys\":[\"a\",\"b\"],\"x\":[\"c\"]}", 2, "a;b;");
    check_path("$.docs[1]._id", "{\"docs\":[{\"_id\":\"a\"},{\"y\":{\"_id\":1},\"_id\":\"b\"}]}", 1,
               "b;");
    check_path("$.docs[*]._id", "{\"docs\":[{\"_id\":\"a\"},7,{\"_id\":8}]}", 2, "a;8;");
    check_path("$", "\"a\"", 1, "a;");
    check_path("$[*]", "[1,[2],{\"a\":3},4.5]", 2, "1;4.5;");
    check_path("$['odd name'].x", "{\"odd name\":{\"x\":\"1\"},\"x\":2}", 1, "1;");
    check_path("$.a.b", "{\"a\":{\"a\":{\"b\":1},\"c\":[{\"b\":2}],\"b\":3},\"b\":4}", 1, "3;");
    check_path("$.a", "{\"a\":{\"a\":1}}", 0, "");
    check_path("$.a", "{\"a\":null,\"b\":true}", 0, "");
    check_path("$.a", "{\"a\":1", -1, "");
    check_path("$.a", "not json", -1, "");
}

TEST(wrong_paths_are_placed)
{
    static const struct {
        const char *path;
        size_t at;
    } cases[] = {{"a", 0}, {"$a", 1}, {"$.", 1}, {"$.a[", 3}, {"$.a[x]", 3}, {"$['a]", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a = {0};
        struct json_path p;
        const char *wrong = NULL;
        size_t at = 99;
        CHECK(!json_path_parse(&p, &a, piece_of(cases[i].path), &wrong, &at));
        CHECK_INT(at, cases[i].at);
        CHECK(wrong != NULL);
        arena_release(&a);
    }
}

enum { LIST = JSON_ROOT + 1, ITEM, NAME };

static const struct json_place places[] = {
    {JSON_ROOT, "list", LIST}, {LIST, NULL, ITEM}, {ITEM, "name", NAME}, {0}};

static void on_open(void *context, uint8_t place, uint64_t offset)
{
    char text[64];
    (void)snprintf(text, sizeof text, "<%u@%" PRIu64 " ", place, offset);
    text_add(context, piece_of(text));
}

static void on_close(void *context, uint8_t place)
{
    (void)place;
    text_add(context, piece_of("> "));
}

static void on_value(void *context, uint8_t place, const struct json_value *value)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%u=%.*s%s%s ", place,
                   (int)(value->text.size < 20 ? value->text.size : 20), value->text.at,
                   value->is_string ? "" : "#", value->is_cut ? "..." : "");
    text_add(context, piece_of(text));
}

static const struct json_tree tree = {
    .places = places, .open = on_open, .close = on_close, .value = on_value};

static void check_tree(const char *json, size_t size, const char *wanted)
{
    struct in in;
    struct err e = {0};
    struct text got = {0};
    in_open_memory(&in, json, size);
    if (json_tree_read(&tree, &in, &got, &e) < 0) {
        text_set(&got, piece_of(e.text));
    }
    text_add_char(&got, '\0');
    CHECK_TEXT(got.chars.at, wanted);
    text_release(&got);
}

static void check_tree_text(const char *json, const char *wanted)
{
    check_tree(json, strlen(json), wanted);
}

TEST(wanted_values_come_with_their_places)
{
    check_tree_text("{\"x\":{\"list\":[{\"name\":1}]},\"list\":[{\"name\":\"a\",\"y\":[1]},{}]}",
                    "<1@0 <2@34 <3@35 4=a > <3@56 > > > ");
    check_tree_text("{\"list\":[[{\"name\":1}],7,\"x\",{\"name\":-2e3},null]}",
                    "<1@0 <2@8 <3@9 > 3=7# 3=x <3@28 4=-2e3# > > > ");
    check_tree_text("\xef\xbb\xbf{\"list\":[]}\n{\"list\":[]}", "<1@3 <2@11 > > <1@15 <2@23 > > ");
}

TEST(what_is_not_json_is_refused_with_its_place)
{
    check_tree_text("{\"list\":[}",
                    "byte 10: not JSON: unallowed token at this point in JSON text");
    check_tree_text("{\"list\":[{", "byte 10: the input ends in the middle of a value");
    check_tree_text("{\"list\":\"abc", "byte 12: the input ends in the middle of a value");
}

/* `count` times the text, after which the rest follows. */
static char *repeated(const char *before, const char *text, size_t count, const char *after,
                      size_t *size)
{
    *size = strlen(before) + strlen(text) * count + strlen(after);
    char *all = mem_resize(NULL, *size + 1);
    char *at = stpcpy(all, before);
    for (size_t i = 0; i < count; i++) {
        at = stpcpy(at, text);
    }
    (void)stpcpy(at, after);
    return all;
}

static void check_repeated(const char *before, const char *text, size_t count, const char *after,
                           const char *wanted)
{
    size_t size = 0;
    char *all = repeated(before, text, count, after, &size);
    check_tree(all, size, wanted);
    mem_free(all);
}

TEST(long_strings_are_cut_between_characters)
{
    const size_t many = 3 << 20;
    check_repeated("{\"list\":[{\"name\":\"", "a", many, "\"},{\"name\":\"b\"}]}",
                   "<1@0 <2@8 <3@9 4=aaaaaaaaaaaaaaaaaaaa... > <3@3145749 4=b > > > ");
    check_repeated("{\"list\":[{\"name\":\"", "\\u0041", many / 6, "\"},{\"name\":\"b\"}]}",
                   "<1@0 <2@8 <3@9 4=AAAAAAAAAAAAAAAAAAAA... > <3@3145749 4=b > > > ");
    check_repeated(
        "{\"list\":[{\"name\":\"", "\\\"", many / 2, "\"},{\"name\":\"b\"}]}",
        "<1@0 <2@8 <3@9 4=\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"... > <3@3145749 4=b > > > ");
    check_repeated("{\"list\":[{\"name\":\"", "\xe2\x82\xac", many / 3, "\"},{\"name\":\"b\"}]}",
                   "<1@0 <2@8 <3@9 4=\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
                   "\xe2\x82\xac\xe2\x82... > <3@3145749 4=b > > > ");
}

TEST(what_would_take_much_memory_is_refused)
{
    check_repeated("", "[", 600, "", "byte 513: values nested more than 512 deep");
    check_repeated("{\"list\":[", "1", 5000, "]}", "byte 4105: a number of more than 4096 digits");
}

TEST(the_first_field_tells_the_format)
{
    CHECK(json_begins_with(piece_of("\xef\xbb\xbf {\n \"log\" : {"), "log"));
    CHECK(!json_begins_with(piece_of("{\"logs\":{"), "log"));
    CHECK(!json_begins_with(piece_of("{\"a\":1,\"log\":{"), "log"));
    CHECK(!json_begins_with(piece_of("{\"log\""), "log"));
}

TEST(base64_is_decoded)
{
    static const struct {
        const char *letters;
        const char *bytes; /* NULL: it is none */
    } cases[] = {{"", ""},        {"Zg==", "f"},        {"Zm8=", "fo"},
                 {"Zm9v", "foo"}, {"Zm9\nvYg", "foob"}, {"-_-_", "\xfb\xff\xbf"},
                 {"Zm9v!", NULL}, {"Zg==Zg", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text t = {0};
        CHECK_INT(base64_decode(&t, piece_of(cases[i].letters)), cases[i].bytes != NULL);
        CHECK(cases[i].bytes == NULL || piece_is(text_piece(&t), cases[i].bytes));
        text_release(&t);
    }
}

static void check_time(const char *text, size_t size, int64_t wanted)
{
    int64_t ns = 0;
    CHECK_INT(wall_time_parse(piece_of(text), &ns), size);
    CHECK_INT(ns, wanted);
}

TEST(times_are_read_as_they_are_written)
{
    check_time("1970-01-01T00:00:00Z", 20, 0);
    check_time("2000-02-29T12:34:56.5Z", 22, INT64_C(951827696500000000));
    check_time("2024-05-01T10:00:00.123+02:00 x", 29, INT64_C(1714550400123000000));
    check_time("2024-05-01 10:00:00,123 INFO", 23, INT64_C(1714557600123000000));
    check_time("2024-05-01T10:00:00-0530", 24, INT64_C(1714577400000000000));
    check_time("1969-12-31T23:59:59.999999999Z", 30, -1);
    check_time("18/Nov/2026:03:25:11 +0000]", 26, INT64_C(1794972311000000000));
    check_time("18/Nov/2026:03:25:11.5 -0130", 28, INT64_C(1794977711500000000));
    check_time("18/Nov/2026:03:25:11 x", 20, INT64_C(1794972311000000000));
    check_time("18/Foo/2026:03:25:11 +0000", 0, 0);
    check_time("2024-13-01T10:00:00Z", 0, 0);
    check_time("9999-01-01T10:00:00Z", 0, 0);
    check_time("yesterday", 0, 0);
    check_time("", 0, 0);
}
