#include "proc/cluster/cluster_file.h"

#include "base/mem.h"
#include "fuzz.h"
#include "mutate.h"
#include "scratch.h"
#include "test.h"

FUZZ_DECLARE(cluster);

static int parse(struct cluster *c, const char *text, struct err *e)
{
    struct in in;
    *c = (struct cluster){0};
    in_open_memory(&in, text, strlen(text));
    return cluster_parse(c, &in, "/srv", e);
}

static void want(struct cluster *c, const char *text)
{
    struct err e = {.text = ""};
    if (parse(c, text, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

/* The file is refused with these words. */
static void refuse(const char *text, const char *why)
{
    struct cluster c;
    struct err e = {.text = ""};
    CHECK_INT(parse(&c, text, &e), -1);
    if (strstr(e.text, why) == NULL) {
        fail_msg("%s: %s", text, e.text);
    }
    cluster_release(&c);
}

/* The words of a command that stands in YAML as a block, so that YAML takes nothing of it. */
static void words_are(const char *command, const char *const *expected)
{
    char text[300];
    struct cluster c;
    (void)snprintf(text, sizeof text, "workload:\n  w: |-\n    %s\n", command);
    want(&c, text);
    const struct cluster_program *p = &c.programs[0];
    for (size_t i = 0; i < p->word_count; i++) {
        CHECK(expected[i] != NULL);
        CHECK_TEXT(p->words[i], expected[i]);
    }
    CHECK(expected[p->word_count] == NULL);
    cluster_release(&c);
}

TEST(commands_are_split_by_quotes_and_blanks)
{
    words_are("a  b\tc", (const char *[]){"a", "b", "c", NULL});
    words_are("a '' \"\" b", (const char *[]){"a", "", "", "b", NULL});
    words_are("'a b'c\"d e\"", (const char *[]){"a bcd e", NULL});
    words_are("a\\ b \\$NAME \\\\ \\|", (const char *[]){"a b", "$NAME", "\\", "|", NULL});
    words_are("\"\\\" \\\\ \\$ \\n | *\"", (const char *[]){"\" \\ $ \\n | *", NULL});
    words_are("'$NAME \\' *", (const char *[]){"$NAME \\", "*", NULL});
}

TEST(variables_are_replaced_and_never_split)
{
    words_are("$NAME ${NAME}x \"<$ADDRESS>\" $DATA/f",
              (const char *[]){"w", "wx", "<127.77.0.1>", "/srv/clew-data/w/f", NULL});
    struct cluster c;
    want(&c, "nodes: {a: [x, $NAME y], b: z}\nworkload: {w: {run: v, node: b, "
             "environment: {AT: $ADDRESS $NAME}}}\n");
    CHECK_TEXT(c.programs[0].words[1], "a y");
    CHECK_TEXT(c.programs[2].environment[0], "AT=127.77.0.2 w");
    CHECK_INT(c.node_count, 2);
    cluster_release(&c);
}

TEST(a_shell_is_never_meant)
{
    refuse("workload: {w: x | y}\n", "line 1, column 15: no shell reads this: | has no meaning");
    refuse("workload: {w: x > y}\n", "> has no meaning");
    refuse("workload: {w: \"x `y`\"}\n", "` has no meaning");
    refuse("workload: {w: x $HOME}\n", "there is no variable \"HOME\" here");
    refuse("workload: {w: \"x $\"}\n", "a lone $");
    refuse("workload: {w: \"x 'y\"}\n", "a ' that nothing closes");
    refuse("workload: {w: ''}\n", "at least one word");
    refuse("workload: {w: []}\n", "at least one word");
}

TEST(mistakes_have_their_place)
{
    refuse("", "an empty file");
    refuse("nodes: {a: x}\n", "there is no workload");
    refuse("nodez: {a: x}\n",
           "line 1, column 1: there is no key \"nodez\" here (did you mean nodes?)");
    refuse("nodes: {a: {run: x, redy: y}}\n", "column 21: there is no key \"redy\" here");
    refuse("nodes: {a: {ready: y}}\nworkload: {w: v}\n", "a needs run");
    refuse("nodes: {a: {run: x, ready: \"(\"}}\nworkload: {w: v}\n", "no POSIX extended");
    refuse("nodes: {a: {run: x, after: c}, b: x}\nworkload: {w: v}\n", "no other node \"c\"");
    refuse("nodes: {a: {run: x, after: a}}\nworkload: {w: v}\n", "no other node \"a\"");
    refuse("nodes: {a: {run: x, after: b}, b: {run: x, after: a}}\nworkload: {w: v}\n",
           "a waits for itself");
    refuse("nodes: {a: x}\nworkload: {a: v}\n", "\"a\" is there already");
    refuse("nodes: {a1: x, a: {run: x, count: 2}}\nworkload: {w: v}\n", "\"a1\" is there already");
    refuse("nodes: {-a: x}\nworkload: {w: v}\n", "is no name");
    refuse("nodes: {any: x}\nworkload: {w: v}\n", "has a meaning of its own");
    refuse("nodes: {a: &x y, b: *x}\nworkload: {w: v}\n", "anchors and tags");
    refuse("workload: {w: {run: v, environment: {LD_PRELOAD: x}}}\n", "cannot be set here");
    refuse("workload: {w: v}\nlimits: {steps: 0}\n", "a number from 1");
}

TEST(a_count_makes_several_nodes)
{
    struct cluster c;
    want(&c, "nodes: {s: {run: x $NAME $ADDRESS, count: 2}, t: {run: y, after: [s1, s2]}}\n"
             "workload: {w: {run: v, after: s2}}\ncheck: test\n");
    CHECK_INT(c.program_count, 5);
    CHECK_TEXT(c.programs[1].words[1], "s2");
    CHECK_TEXT(c.programs[1].words[2], "127.77.0.2");
    CHECK_INT(c.programs[2].after_count, 2);
    CHECK_INT(c.programs[3].after[0], 1);
    CHECK_INT(c.programs[4].after_count, 3); /* the check; all nodes */
    CHECK_TEXT(c.nodes[4], "check");
    cluster_release(&c);
}

static void refuse_files(const char *files, const char *root, const char *why)
{
    char text[200];
    struct cluster c = {0};
    struct err e = {.text = ""};
    struct in in;
    (void)snprintf(text, sizeof text, "workload: {w: {run: v, files: %s}}\n", files);
    in_open_memory(&in, text, strlen(text));
    CHECK_INT(cluster_parse(&c, &in, root, &e), -1);
    if (strstr(e.text, why) == NULL) {
        fail_msg("%s: %s", files, e.text);
    }
    cluster_release(&c);
}

TEST(files_stay_below_their_folders)
{
    refuse_files("{../a: b}", "/srv", "\"..\" leads out");
    refuse_files("{a/../../b: b}", "/srv", "\"..\" leads out");
    refuse_files("{/a: b}", "/srv", "below the folder");
    refuse_files("{a: /etc/passwd}", "/srv", "below the folder");
    refuse_files("{a: b/..}", "/srv", "\"..\" leads out");
    refuse_files("{a: self/exe}", "/proc", "\"self\" is a symbolic link");
    refuse_files("{a: sys}", "/proc", "\"sys\" is no file");
    refuse_files("{a: no-such}", "/proc", "No such file");
}

TEST(mutated_cluster_files_are_read_or_refused)
{
    mutate_entry("cluster", fuzz_cluster);
}
