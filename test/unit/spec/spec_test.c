#include "spec/spec.h"

#include "fault.h"
#include "fuzz.h"
#include "mutate.h"
#include "scratch.h"
#include "test.h"

FUZZ_DECLARE(spec);

static int parse(struct spec *s, const char *text, struct err *e)
{
    struct in in;
    in_open_memory(&in, text, strlen(text));
    spec_init(s);
    return spec_parse(s, &in, e);
}

static void check_printed(const char *text, const char *wanted)
{
    struct spec s;
    struct err e = {.text = ""};
    struct out out;
    out_open_memory(&out);
    if (parse(&s, text, &e) < 0) {
        fail_msg("%s: %s", text, e.text);
    }
    spec_print(&s, &out);
    out_char(&out, '\0');
    CHECK_TEXT(out.buffer, wanted);
    out_abandon(&out);
    spec_release(&s);
}

TEST(operators_bind_as_they_read)
{
    static const struct {
        const char *text, *printed;
    } cases[] = {
        {"a: always p.x = 1 and p.y = 2 or not p.z = 3 implies p.w > 0",
         "a: always p.x = 1 and p.y = 2 or not p.z = 3 implies p.w > 0\n"},
        {"a: always (p.x = 1) and ((p.y = 2) or (not (p.z = 3)))",
         "a: always p.x = 1 and (p.y = 2 or not p.z = 3)\n"},
        {"a: never p.x - (p.y - p.z) + 2*(p.x + 1) >= -3",
         "a: never p.x - (p.y - p.z) + 2*(p.x + 1) >= -3\n"},
        {"a: never -p.x == -5 # with a comment\n", "a: never -1*p.x = -5\n"},
        {"a: always (p.x = 1 implies p.y = 1) implies p.z = 1 implies p.w = 1",
         "a: always (p.x = 1 implies p.y = 1) implies p.z = 1 implies p.w = 1\n"},
        {"a: always p.x = 1 leads to [<= 5000ms] p.y = 1",
         "a: always p.x = 1 leads to <= 5s p.y = 1\n"},
        {"a: always p.x = 1 leads to <= 90s p.y = 1 until p.z = 0",
         "a: always p.x = 1 leads to <= 90s p.y = 1 until p.z = 0\n"},
        {"a: always once <= 0ms p.x = 1", "a: always once <= 0s p.x = 1\n"},
        {"group g: s1, s*, \"10.0.0.1\"\na: possibly exists p in g. p.x = now severity note",
         "group g: s1, \"s*\", \"10.0.0.1\"\na: possibly exists p in g. p.x = now severity note\n"},
        {"a: never exists p. exists q. p != q and p.count = q.\"odd name\"",
         "a: never exists p. exists q. p != q and p.\"count\" = q.\"odd name\"\n"},
        {"a: never (forall p. p.x = 1) or messages(a, b) > 3ms",
         "a: never (forall p. p.x = 1) or messages(a, b) > 3000000\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_printed(cases[i].text, cases[i].printed);
        check_printed(cases[i].printed, cases[i].printed);
    }
}

TEST(what_is_wrong_is_named_with_line_and_column)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1, column 1: there is no property"},
        {"a: nevr p.x = 1", "line 1, column 4: there is no claim \"nevr\" (did you mean never?)"},
        {"a: 7", "line 1, column 4: never, possibly or always was expected, not \"7\""},
        {"a: never p.x = 1 adn p.y = 1",
         "line 1, column 18: there is no operator \"adn\" (did you mean and?)"},
        {"a: never p.x = 1 severity eror",
         "line 1, column 27: there is no severity \"eror\" (did you mean error?)"},
        {"a: never p.x = 1\n  p.y = 2",
         "line 2, column 3: an operator (and, or ...), or the next property (NAME: ...) was "
         "expected, not \"p\""},
        {"a: never p.x", "line 1, column 10: this is a number, where a truth is wanted: compare it "
                         "(= != < <= > >=)"},
        {"a: never (p.x = 1) + 2 = 3",
         "line 1, column 15: this is true or false, where a number is wanted"},
        {"a: never exist p. p.x = 1",
         "line 1, column 10: \"exist\" means nothing here (did you mean exists?)"},
        {"a: never boss = 1", "line 1, column 10: \"boss\" alone is a process: its variables "
                              "are written PROCESS.NAME"},
        {"group servers: s1\na: never exists p in severs. p.x = 1",
         "line 2, column 22: there is no group \"severs\" (did you mean servers?)"},
        {"a: never p.x = 1\na: never p.y = 1",
         "line 2, column 1: there is a property \"a\" already, in line 1"},
        {"group g: a\ngroup g: b\nx: never true",
         "line 2, column 7: there is a group \"g\" already, in line 1"},
        {"a: never exists p. exists p. p.x = 1",
         "line 1, column 27: \"p\" is bound already: choose another name"},
        {"a: never count(p: eventually p.x = 1) > 1",
         "line 1, column 10: what is counted or summed must be about one moment"},
        {"a: never p.x = 99999999999999999999", "line 1, column 16: the number is out of range"},
        {"a: never p.x = 9223372036854775808", "line 1, column 16: the number is out of range"},
        {"a: never eventually <= 5 p.x = 1",
         "line 1, column 24: a duration such as 5s was expected, not \"5\""},
        {"a: never eventually <= 5sec p.x = 1",
         "line 1, column 24: there is no unit \"sec\" (there are ns us ms s m h d)"},
        {"a: never eventually <= 300000000000s p.x = 1",
         "line 1, column 24: the duration is out of range (at most 292 years)"},
        {"a: never p.x = 1 leads p.y = 1",
         "line 1, column 24: \"to\" (leads to) was expected, not \"p\""},
        {"a: never (p.x = 1", "line 1, column 18: \")\" was expected, but the text ends"},
        {"a: never p.x = 1 $",
         "line 1, column 18: \"$\" means nothing here (odd names go in quotes)"},
        {"a: never \"odd.x = 1", "line 1, column 20: the quotes are not closed on this line"},
        {"a: never \"\".x = 1", "line 1, column 10: a name has at least one letter, and no zero "
                                "byte"},
        {"always: never p.x = 1", "line 1, column 1: a property (NAME: ...) or group was expected; "
                                  "\"always\" as a name goes in quotes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spec s;
        struct err e = {.text = ""};
        CHECK_INT(parse(&s, cases[i].text, &e), -1);
        CHECK_TEXT(e.text, cases[i].message);
        spec_release(&s);
    }
}

/* "a: never " and so many of a text, then an end. */
static const char *repeated(struct out *out, const char *text, size_t count, const char *end)
{
    out_open_memory(out);
    out_text(out, "a: never ");
    for (size_t i = 0; i < count; i++) {
        out_text(out, text);
    }
    out_text(out, end);
    out_char(out, '\0');
    return out->buffer;
}

TEST(depth_is_bounded_and_said)
{
    static const struct {
        const char *text, *end;
    } cases[] = {{"(", "p.x = 1"},
                 {"not ", "p.x = 1"},
                 {"p.x = 1 and ", "p.x = 1"},
                 {"p.x = 1 until ", "p.x = 1"},
                 {"p.x = 1 implies ", "p.x = 1"},
                 {"1 + ", "1 = 1"},
                 {"2*", "1 = 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spec s;
        struct err e = {.text = ""};
        struct out out;
        /* As deep as the longest text that is read could make it. */
        const size_t count = ((1 << 20) - 32) / strlen(cases[i].text);
        CHECK_INT(parse(&s, repeated(&out, cases[i].text, count, cases[i].end), &e), -1);
        CHECK(strstr(e.text, "levels deep") != NULL);
        out_abandon(&out);
        spec_release(&s);
    }
}

TEST(patterns_choose_the_members_of_a_group)
{
    struct spec s;
    struct err e;
    CHECK_INT(parse(&s, "group g: s*, \"*z*\", exact\na: never true", &e), 0);
    const uint32_t g = s.groups.at[0].name;
    static const char *const members[] = {"s", "s1", "azb", "z", "exact"};
    static const char *const others[] = {"", "t1", "exactly", "xs"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        CHECK(spec_is_member(&s, g, members[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK(!spec_is_member(&s, g, others[i]));
        CHECK(spec_is_member(&s, 0, others[i]));
    }
    spec_release(&s);
}

TEST(mutated_specifications_are_read_or_refused)
{
    mutate_entry("spec", fuzz_spec);
}

static int read_file(void *path)
{
    struct err e;
    struct in in;
    if (in_open(&in, path, &e) < 0) {
        return fault_told(&e);
    }
    struct spec s;
    spec_init(&s);
    const int result = spec_parse(&s, &in, &e);
    in_close(&in);
    spec_release(&s);
    return result < 0 ? fault_told(&e) : 0;
}

TEST(every_call_of_the_reader_fails_once)
{
    static const char text[] = "group g: a\nx: never exists p in g. p.x = 1\n";
    char path[200];
    (void)snprintf(path, sizeof path, "%s", scratch_write("a.spec", text, sizeof text - 1));
    CHECK(fault_sweep(&(struct fault_sweep){.run = read_file, .context = path}) > 5);
}
