"""Accesses that processors do not make at once happen in parts under control: copies, fills, texts, assignments of structs, and
the bytes that bit-fields share."""
import sys

sys.dont_write_bytecode = True
from controlled import LONG, build, explore, only_finding
import tap  # pylint: disable=wrong-import-position

# One thread puts a text of 22 letters into memory; the other sees its first letter and not its last.
SEEN_TORN = """
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
enum { SIZE = 22 };
typedef struct { char letters[SIZE]; } whole;
static char from[SIZE + 1] = "abcdefghijklmnopqrstuv";
static char to[SIZE + 10] __attribute__((aligned(16)));
static void *put(void *p) { PUT; return p; }
static void *look(void *p) { char first = to[0], last = to[SIZE - 1]; assert(first == 0 || last != 0); return p; }
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, put, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
"""
PUTS = {
    "memcpy": "memcpy(to, from, SIZE)",
    "memmove": "memmove(to, from, SIZE)",
    "mempcpy": "mempcpy(to, from, SIZE)",
    "memset": "memset(to, 1, SIZE)",
    "bcopy": "bcopy(from, to, SIZE)",
    "builtin_memcpy": "__builtin_memcpy(to, from, SIZE)",
    "builtin_memset": "__builtin_memset(to, 1, SIZE)",
    "strcpy": "strcpy(to, from)",
    "strcpy_literal": "strcpy(to, \"abcdefghijklmnopqrstuv\")",
    "stpcpy": "stpcpy(to, from)",
    "strncpy": "strncpy(to, from, SIZE)",
    "strcat": "strcat(to, from)",
    "strncat": "strncat(to, from, SIZE)",
    "sprintf": "sprintf(to, \"%s\", from)",
    "snprintf": "snprintf(to, sizeof to, \"%d%d%d\", 123456789, 123456789, 1234)",
    "struct": "*(whole *)to = *(whole *)from",
    "loop": "for (int i = 0; i < SIZE; i++) to[i] = from[i]",
}


def check_torn(name, text, *flags, compiler=()):
    program = build(name, *flags, text=text, compiler=compiler)
    said, _ = explore(program, "--strategy", "dpor", "--first", "--budget", "500runs")
    assert only_finding(said)["kind"] == "assertion", (name, said)


def check_puts(levels, *compiler):
    for name, put in PUTS.items():
        for level in levels:
            check_torn("_".join(("torn", *compiler[1:], name, level.strip("-"))), SEEN_TORN.replace("PUT;", put + ";"), "-w", level, compiler=compiler)


def test_others_see_the_parts_of_a_copy_by_gcc():
    check_puts(("-O0", "-O1", "-O2", "-O3") if LONG else ("-O2",))


def test_others_see_the_parts_of_a_copy_by_clang():
    check_puts(("-O0", "-O1", "-O2", "-O3") if LONG else ("-O1",), "--with", "clang")


def test_fortified_calls_are_seen_as_well():
    for name in ("memcpy", "memset", "strcpy_literal", "strncpy", "strcat") if not LONG else PUTS:
        check_torn("fortified_" + name, SEEN_TORN.replace("PUT;", PUTS[name] + ";"), "-w", "-O2", "-D_FORTIFY_SOURCE=2")


# Both threads copy; what is there afterwards is a mixture. And one copies what the other is changing.
COPIES = """
#include <assert.h>
#include <pthread.h>
#include <string.h>
typedef struct { long words[COUNT]; } whole;
static whole ones, twos, target;
static void copy(whole *to, const whole *from) { HOW; }
static void *first(void *p) { copy(&target, &ones); return p; }
static void *second(void *p) { copy(&target, &twos); return p; }
static void *take(void *p) { static whole taken; copy(&taken, &target); for (int i = 1; i < COUNT; i++) assert(taken.words[i] == taken.words[0]); return p; }
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < COUNT; i++) { ones.words[i] = 1; twos.words[i] = 2; }
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, SECOND, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    for (int i = 1; i < COUNT; i++) assert(target.words[i] == target.words[0]);
    return 0;
}
"""


def test_copies_mix():
    for how, text in (("call", "memcpy(to, from, sizeof *to)"), ("assignment", "*to = *from")):
        for second in ("second", "take"):
            for count in (2, 8, 100):
                for compiler in ((), ("--with", "clang")):
                    check_torn("_".join(("copies", how, second, str(count), *compiler[1:])), COPIES.replace("HOW;", text + ";"), f"-DCOUNT={count}",
                               f"-DSECOND={second}", compiler=compiler)


LOCKED_COPIES = COPIES.replace("{ HOW; }", "{ pthread_mutex_lock(&lock); HOW; pthread_mutex_unlock(&lock); }").replace(
    "static whole ones", "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic whole ones")


def test_a_lock_keeps_copies_whole():
    for how, text in (("call", "memcpy(to, from, sizeof *to)"), ("assignment", "*to = *from")):
        program = build("locked_" + how, "-DCOUNT=8", "-DSECOND=second", text=LOCKED_COPIES.replace("HOW;", text + ";"))
        said, _ = explore(program, "--strategy", "dpor", "--require-exhaustive")
        assert said["verdict"] == "clean" and said["stats"]["runs"] == 2, said


# What a thread copies is its own again when it looks at it, and what is freed right after is not touched any more.
WHOLE = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
typedef struct { long words[6]; } whole;
static whole shared;
static void *use(void *p)
{
    whole mine = {{1, 2, 3, 4, 5, 6}};
    whole *block = malloc(sizeof *block);
    *block = mine;
    assert(block->words[0] == 1 && block->words[5] == 6);
    whole other = *block;
    free(block);
    assert(memcmp(&other, &mine, sizeof mine) == 0);
    memmove(&other.words[1], &other.words[0], 5 * sizeof(long));
    assert(other.words[1] == 1 && other.words[5] == 5);
    memmove(&other.words[0], &other.words[2], 4 * sizeof(long));
    assert(other.words[0] == 2 && other.words[3] == 5);
    shared = other;
    return p;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(shared.words[0] == 2 && shared.words[5] == 5);
    return 0;
}
"""


def test_a_copy_is_what_was_copied():
    for level in ("-O0", "-O2"):
        program = build("whole" + level, level, text=WHOLE)
        for mode in ("fiber", "thread"):
            said, _ = explore(program, "--strategy", "random", "--mode", mode, "--budget", "100runs")
            assert not said["findings"], said


BITS = """
#include <assert.h>
#include <pthread.h>
static struct { TYPE a : A, b : B; } shared;
static void *first(void *p) { shared.a = 3; return p; }
static void *second(void *p) { shared.b = 5; return p; }
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(shared.a == 3 && shared.b == 5);
    return 0;
}
"""


def test_bit_fields_share_their_bytes():
    for kind, a, b in (("unsigned", 4, 4), ("unsigned", 3, 9), ("unsigned char", 3, 5), ("unsigned long", 20, 30)):
        for level in ("-O0", "-O1", "-O2") if LONG else ("-O1",):
            for compiler in ((), ("--with", "clang")):
                name = "_".join(("bits", kind.replace(" ", "_"), str(a), level.strip("-"), *compiler[1:]))
                check_torn(name, BITS, f"-DTYPE={kind}", f"-DA={a}", f"-DB={b}", level, compiler=compiler)


def test_fields_of_other_bytes_do_not_mix():
    text = BITS.replace("TYPE a : A, b : B", "unsigned char a, b")
    for level in ("-O0", "-O2"):
        said, _ = explore(build("bytes" + level, level, text=text), "--strategy", "dpor")
        assert not said["findings"] and said["stats"]["exhausted"], said


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
