#include "base/yaml.h"

#include "base/out.h"
#include "fault.h"
#include "fuzz.h"
#include "mutate.h"
#include "scratch.h"
#include "test.h"

FUZZ_DECLARE(yaml);

static int read_text(struct yaml *y, const char *text, struct err *e)
{
    struct in in;
    *y = (struct yaml){0};
    in_open_memory(&in, text, strlen(text));
    return yaml_read(y, &in, e);
}

TEST(nodes_are_found_and_know_their_places)
{
    struct yaml y;
    struct err e;
    CHECK_INT(read_text(&y,
                        "# settings\nsteps: 2000\nevents:\n  - {request: put, to: n1}\n  - text\n",
                        &e),
              0);
    CHECK_INT(y.root->kind, YAML_MAP);
    int64_t number = 0;
    CHECK_INT(yaml_want_i64(yaml_field(y.root, "steps"), 1, 5000, &number, &e), 0);
    CHECK_INT(number, 2000);
    const struct yaml_node *events = yaml_field(y.root, "events");
    CHECK_INT(events->item_count, 2);
    CHECK_INT(events->line, 4);
    CHECK_INT(events->key->line, 3);
    const struct yaml_node *to = yaml_field(&events->items[0], "to");
    CHECK_TEXT(to->text, "n1");
    CHECK_INT(to->line, 4);
    CHECK_INT(to->column, 24);
    CHECK_INT(events->items[1].kind, YAML_TEXT);
    CHECK(yaml_field(y.root, "absent") == NULL);
    CHECK(yaml_field(&events->items[1], "to") == NULL);
    yaml_release(&y);
}

TEST(an_empty_document_has_no_root)
{
    struct yaml y;
    struct err e;
    CHECK_INT(read_text(&y, "# nothing\n", &e), 0);
    CHECK(y.root == NULL);
    yaml_release(&y);
}

TEST(what_is_no_settings_file_is_refused_with_its_place)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a: 1\n  b: 2\n", "line 2, column 4: mapping values are not allowed in this context"},
        {"a: 1\nb: 2\na: 3\n", "line 3, column 1: \"a\" is there already, in line 1"},
        {"a: &x 1\n", "line 1, column 4: anchors and tags are not understood here"},
        {"a: [1]\nb: !!int 3\n", "line 2, column 4: anchors and tags are not understood here"},
        {"a: *x\n", "line 1, column 4: aliases are not understood here"},
        {"[a]: 1\n", "line 1, column 1: a key was expected"},
        {"a: 1\n---\nb: 2\n", "line 2, column 1: only one document was expected"},
        {"a: [1, 2\n", "line 2, column 1: did not find expected ',' or ']'"},
        {"a: \xff\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml y;
        struct err e = {.text = ""};
        CHECK_INT(read_text(&y, cases[i].text, &e), -1);
        if (cases[i].message != NULL) {
            CHECK_TEXT(e.text, cases[i].message);
        }
        yaml_release(&y);
    }
}

TEST(what_was_wanted_is_told)
{
    struct yaml y;
    struct err e;
    CHECK_INT(read_text(&y, "stpes: 1\nnet: fofo\nsize: 99\nlist: [1]\n", &e), 0);
    static const char *const fields[] = {"steps", "net", "size", "list", NULL};
    static const char *const nets[] = {"fifo", "datagram", NULL};
    CHECK_INT(yaml_want_fields(y.root, fields, &e), -1);
    CHECK_TEXT(e.text, "line 1, column 1: there is no key \"stpes\" here (did you mean steps?)");
    size_t index = 0;
    CHECK_INT(yaml_want_word(yaml_field(y.root, "net"), nets, &index, &e), -1);
    CHECK_TEXT(e.text, "line 2, column 6: there is no choice \"fofo\" here (did you mean fifo?)");
    static const char *const far_off[] = {"one", "another", "third", NULL};
    CHECK_INT(yaml_want_word(yaml_field(y.root, "net"), far_off, &index, &e), -1);
    CHECK_TEXT(e.text, "line 2, column 6: there is no choice \"fofo\" here: one, another or third");
    int64_t number = 0;
    CHECK_INT(yaml_want_i64(yaml_field(y.root, "size"), -1, 64, &number, &e), -1);
    CHECK_TEXT(e.text, "line 3, column 7: a number from -1 to 64 was expected, not \"99\"");
    CHECK_INT(yaml_want_i64(yaml_field(y.root, "list"), -1, 64, &number, &e), -1);
    CHECK_TEXT(e.text, "line 4, column 7: a word or number was expected");
    CHECK_INT(yaml_want(yaml_field(y.root, "net"), YAML_LIST, &e), -1);
    CHECK_TEXT(e.text, "line 2, column 6: a list (- ...) was expected");
    yaml_release(&y);
}

TEST(numbers_reach_to_the_ends_of_64_bits)
{
    static const struct {
        const char *text;
        int64_t number;
        int result;
    } cases[] = {{"9223372036854775807", INT64_MAX, 0},
                 {"-9223372036854775808", INT64_MIN, 0},
                 {"9223372036854775808", 0, -1},
                 {"-", 0, -1},
                 {"1.5", 0, -1},
                 {"''", 0, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml y;
        struct err e;
        int64_t number = 0;
        CHECK_INT(read_text(&y, cases[i].text, &e), 0);
        CHECK_INT(yaml_want_i64(y.root, INT64_MIN, INT64_MAX, &number, &e), cases[i].result);
        CHECK_INT(number, cases[i].number);
        yaml_release(&y);
    }
}

TEST(depth_and_keys_are_bounded)
{
    struct out out;
    struct yaml y;
    struct err e;
    out_open_memory(&out);
    for (int i = 0; i < 100; i++) {
        out_char(&out, '[');
    }
    out_char(&out, '\0');
    CHECK_INT(read_text(&y, out.buffer, &e), -1);
    CHECK_TEXT(e.text, "line 1, column 65: this is nested too deeply");
    yaml_release(&y);
    out_abandon(&out);
    out_open_memory(&out);
    for (int i = 0; i < 1001; i++) {
        out_format(&out, "k%d: 1\n", i);
    }
    out_char(&out, '\0');
    CHECK_INT(read_text(&y, out.buffer, &e), -1);
    CHECK_TEXT(e.text, "line 1001, column 1: a mapping has at most a thousand keys");
    yaml_release(&y);
    out_abandon(&out);
}

TEST(mutated_settings_are_read_or_refused)
{
    mutate_entry("yaml", fuzz_yaml);
}

static int read_file(void *path)
{
    struct err e;
    struct in in;
    struct yaml y = {0};
    if (in_open(&in, path, &e) < 0) {
        return fault_told(&e);
    }
    const int result = yaml_read(&y, &in, &e);
    in_close(&in);
    yaml_release(&y);
    return result < 0 ? fault_told(&e) : 0;
}

TEST(every_call_of_the_reader_fails_once)
{
    static const char text[] = "a: [1, {b: c}]\n";
    char path[200];
    (void)snprintf(path, sizeof path, "%s", scratch_write("a.yaml", text, sizeof text - 1));
    CHECK(fault_sweep(&(struct fault_sweep){.run = read_file, .context = path}) > 3);
}
