/* What clew cc makes of a compiler's command line. */
#include "proc/build/compiler.h"

#include <string.h>

#include "test.h"

static bool is_wrap(const char *word)
{
    return strncmp(word, "-Wl,--wrap=", strlen("-Wl,--wrap=")) == 0;
}

/* The plan as text: words with a blank between, a line for each step. The functions to be wrapped
 * (wire/libc_calls.h) are one word. */
static const char *plan_with(const char *compiler, const char *const *words, size_t count)
{
    static char text[8192];
    struct compiler_plan plan = {0};
    const struct compiler_options options = {.compiler = compiler,
                                             .hooks = "HOOKS",
                                             .includes = "INC",
                                             .folder = "TMP",
                                             .words = words,
                                             .word_count = count};
    compiler_plan(&plan, &options);
    size_t used = 0;
    text[0] = 0;
    vec_each (&plan.steps, step) {
        for (char **word = step->words; *word != NULL; word++) {
            if (is_wrap(*word)) {
                if (!is_wrap(word[-1])) {
                    used += (size_t)snprintf(text + used, sizeof text - used, " WRAPS");
                }
                continue;
            }
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     word == step->words ? "" : " ", *word);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    compiler_release(&plan);
    return text;
}

#define PLAN_WITH(compiler, ...)                            \
    plan_with(compiler, (const char *const[]){__VA_ARGS__}, \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
#define PLAN(...) PLAN_WITH("gcc", __VA_ARGS__)

#define KEEP(name) " -fno-builtin-" name
#define GCC                                                                                  \
    "gcc -fsanitize=thread -IINC -isystem INC/clew/cxx" KEEP("memcpy") KEEP("memmove")       \
        KEEP("memset") KEEP("mempcpy") KEEP("strcpy") KEEP("stpcpy") KEEP("strncpy")         \
            KEEP("strcat") KEEP("strncat") KEEP("sprintf") KEEP("snprintf") KEEP("vsprintf") \
                KEEP("vsnprintf") KEEP("bzero") KEEP("bcopy") " -include clew/builtins.h "

#define LINK " HOOKS -Wl,-z,dynamic-undefined-weak WRAPS\n"

TEST(compiling_is_one_step)
{
    CHECK_TEXT(PLAN("-O2", "-c", "a.c", "-o", "a.o"), GCC "-O2 -c a.c -o a.o\n");
}

TEST(linking_adds_the_hooks)
{
    CHECK_TEXT(PLAN("a.o", "-o", "a", "-lm"), "gcc a.o -o a -lm" LINK);
}

TEST(compiling_and_linking_at_once_are_several_steps)
{
    CHECK_TEXT(PLAN("-g", "a.c", "b.cc", "-o", "a", "-lm"),
               GCC "-g a.c -c -o TMP/clew-1.o\n" GCC "-g b.cc -c -o TMP/clew-2.o\n"
                   "gcc -g TMP/clew-1.o TMP/clew-2.o -o a -lm" LINK);
}

/* Its user gave the words for the linker to a command that links; the steps that do not must not
 * complain, or -Werror ends them. */
#define PASS(option) "-Xclang -mllvm -Xclang -" option " "
#define READS                                                            \
    "-fno-unroll-loops " PASS("tsan-instrument-read-before-write=1")     \
        PASS("hoist-common-insts=false") PASS("sink-common-insts=false") \
            PASS("rotation-max-header-size=0") PASS("jump-threading-threshold=0")

TEST(clang_is_not_asked_about_words_for_the_linker)
{
    CHECK_TEXT(PLAN_WITH("clang", "-Werror", "-rdynamic", "a.c", "-o", "a", "-Wl,-O1"),
               "clang -fsanitize=thread " READS
               "-IINC -isystem INC/clew/cxx -Qunused-arguments -Werror -rdynamic a.c -c -o "
               "TMP/clew-2.o\n"
               "clang -Werror -rdynamic TMP/clew-2.o -o a -Wl,-O1" LINK);
    CHECK_TEXT(PLAN_WITH("clang", "-Werror", "-c", "a.c"),
               "clang -fsanitize=thread " READS "-IINC -isystem INC/clew/cxx -Werror -c a.c\n");
}

/* The step that links has objects, which no language is said of. */
TEST(a_language_makes_sources_of_files_until_none_is_said)
{
    CHECK_TEXT(PLAN("-x", "c++", "a.txt", "-o", "a"), GCC "-x c++ a.txt -c -o TMP/clew-2.o\n"
                                                          "gcc TMP/clew-2.o -o a" LINK);
    CHECK_TEXT(PLAN("-xc", "a", "-x", "none", "b.o"), GCC "-xc a -x none -c -o TMP/clew-1.o\n"
                                                          "gcc TMP/clew-1.o b.o" LINK);
    CHECK_TEXT(PLAN("-x", "c", "-"), GCC "-x c - -c -o TMP/clew-2.o\n"
                                         "gcc TMP/clew-2.o" LINK);
}

TEST(values_of_options_are_not_sources)
{
    CHECK_TEXT(PLAN("-include", "first.c", "a.o", "-MF", "x.c"),
               "gcc -include first.c a.o -MF x.c" LINK);
}

TEST(who_links_by_hand_gets_no_hooks)
{
    CHECK_TEXT(PLAN("-nostdlib", "a.o"), "gcc -nostdlib a.o\n");
}

/* clang would report the increments of counters as accesses, and link a library for the calls. */
TEST(counters_of_blocks_become_calls)
{
    CHECK_TEXT(PLAN("-fsanitize-coverage=inline-8bit-counters,pc-table", "-c", "a.c"),
               GCC "-fsanitize-coverage=trace-pc-guard,pc-table -c a.c\n");
    CHECK_TEXT(PLAN("-fsanitize-coverage=trace-pc", "a.o"), "gcc a.o" LINK);
}

TEST(a_question_stays_a_question)
{
    CHECK_TEXT(PLAN("-v"), GCC "-v\n");
    CHECK_TEXT(PLAN("-E", "a.c"), GCC "-E a.c\n");
}

static bool is_static(const char *const *words, size_t count)
{
    struct compiler_plan plan = {0};
    const struct compiler_options options = {.compiler = "gcc",
                                             .hooks = "HOOKS",
                                             .includes = "INC",
                                             .folder = "TMP",
                                             .words = words,
                                             .word_count = count};
    compiler_plan(&plan, &options);
    const bool result = plan.is_static;
    compiler_release(&plan);
    return result;
}

TEST(a_static_program_is_known_as_one)
{
    CHECK(is_static((const char *const[]){"-static", "a.c"}, 2));
    CHECK(is_static((const char *const[]){"a.o", "-static-pie"}, 2));
    CHECK(!is_static((const char *const[]){"-static", "-c", "a.c"}, 3));
    CHECK(!is_static((const char *const[]){"a.c", "-o", "-static"}, 3));
}
