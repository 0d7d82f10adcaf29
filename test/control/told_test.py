"""What a user is told of a controlled program besides the verdict: calls, values, what must hold of them."""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from controlled import (CLEW, FOLDER, HERE, MODES, build, build_plain, check_every_mode_replays, explore, first_schedule, line_of,
                        only_finding, run, write)
import tap  # pylint: disable=wrong-import-position

CALLS = os.path.join(HERE, "calls.c")
WATCHED_SOURCE = os.path.join(HERE, "watched.c")

# Two threads that work, and what is done when both have ended.
TWO_AT_WORK = """
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, work, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    %s
    return 0;
}
"""


def test_a_deadlock_has_the_calls_of_each_task_in_every_mode():
    program = build("calls")
    said, folder = explore([program], "--budget", "200runs")
    lock = line_of(CALLS, "pthread_mutex_lock(lock)")
    deep = f"take calls.c:{lock} < take_both calls.c:{line_of(CALLS, 'take(other)')}"
    wanted = [f"main: main calls.c:{line_of(CALLS, 'join(threads[0]')}",
              f"main/1: {deep} < forwards calls.c:{line_of(CALLS, 'take_both(&first')}",
              f"main/2: {deep} < backwards calls.c:{line_of(CALLS, 'take_both(&second')}",
              f"main/2 took second at calls.c:{lock}", f"main/1 took first at calls.c:{lock}"]
    finding = only_finding(said)
    assert finding["kind"] == "deadlock" and set(wanted) <= set(finding["why"].splitlines()), finding["why"]
    for mode in MODES:
        done = run([CLEW, "replay", "--mode", mode, first_schedule(folder), "--", program])
        assert sorted(done.stdout.splitlines()[2:]) == sorted("    " + line for line in wanted), done.stdout + done.stderr


def test_a_program_that_clew_did_not_build_has_calls_too():
    said, _ = explore(build_plain("calls"), "--budget", "200runs")
    assert re.search(r"^main/1: take calls.c:\d+ < take_both calls.c:\d+ < forwards calls.c:\d+$",
                     only_finding(said)["why"], re.MULTILINE), said


def test_a_misuse_deep_down_has_all_its_calls():
    said, _ = explore([build("calls"), "deep"], "--budget", "1runs")
    finding = only_finding(said)
    chain = finding["why"].splitlines()[0]
    assert finding["kind"] == "use-after-free" and chain.count("use calls.c:") == 7, finding
    assert re.search(r" < main calls.c:\d+$", chain), finding


VARIABLES = """
#include <pthread.h>
#include "clew/clew.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entered;
static char channel;
static void *work(void *unused)
{
    int mine = ++entered;
    clew_var("inside", mine);
    pthread_mutex_lock(&lock);
    {
        clew_var_here("turn", mine);
        clew_sent(&channel, (uint64_t)mine, 1);
    }
    pthread_mutex_unlock(&lock);
    clew_var("inside", 0);
    return unused;
}
""" + TWO_AT_WORK % """clew_received(&channel, 1, 1);
    clew_var("all", entered);"""

PROPERTIES = """
#include "clew/property.h"
#include <stddef.h>
#include <stdio.h>
%s
const struct clew_property clew_properties[] = {
    {.name = "the one", .holds = the_one%s},
    {0},
};
"""


def property_file(name, body, more=""):
    return write(name + ".c", PROPERTIES % ("static bool the_one(const struct clew_view *view)\n{\n" + body + "\n}", more))


def test_a_property_in_c_is_asked_after_each_value():
    program = build("variables", text=VARIABLES)
    path = property_file("all_enter", 'const int64_t *all = clew_value(view, 0, "all");\n'
                         'return all == NULL || *all == 2 || clew_broken(view, "only %d entered", (int)*all);')
    said, folder = explore([program], "--property", path, "--budget", "300runs")
    finding = only_finding(said)
    assert finding["kind"] == "property" and finding["what"] == "the one does not hold: only 1 entered", finding
    assert f"--property {path} " in finding["replay"], finding
    for mode in MODES:
        done = run([CLEW, "replay", "--mode", mode, "--verify", "3", "--property", path, first_schedule(folder), "--", program])
        assert done.returncode == 1 and "only 1 entered" in done.stdout and ", as recorded" in done.stdout, done.stdout + done.stderr
    done = run([CLEW, "minimize", "-q", "--budget", "200runs", "--property", path, first_schedule(folder), "--", program])
    assert done.returncode in (0, 1) and "only 1 entered" in done.stdout, done.stdout + done.stderr


def test_what_a_property_prints_does_not_mix_with_results():
    """It is asked in clew's own process. gdb, which is started there, has its standard output all the same."""
    program = build("variables", text=VARIABLES)
    path = property_file("printing", 'const int64_t *all = clew_value(view, 0, "all");\n'
                         'puts("asked");\nreturn all == NULL;')
    said, folder = explore([program], "--property", path, "--budget", "3runs")
    assert only_finding(said)["what"] == "the one does not hold", said
    words = ["--property", path, first_schedule(folder), "--", program]
    done = run([CLEW, "replay", *words])
    assert "asked" not in done.stdout and done.stderr.startswith("asked\n"), done.stdout + done.stderr
    if shutil.which("gdb") is not None:
        done = run([CLEW, "replay", "-q", "--gdb-commands", "echo here\\n", *words], stdin=subprocess.DEVNULL)
        assert "here\n" in done.stdout and "asked" not in done.stdout, done.stdout + done.stderr


def test_values_that_are_gone_are_not_there():
    """What clew_var_here has set goes with its block, and a property that asks for it then is skipped."""
    program = build("variables", text=VARIABLES)
    path = property_file("turns", 'const int64_t *turn = clew_value(view, 0, "turn");\n'
                         'return turn == NULL ? false : *turn > 0;')
    said, folder = explore([program], "--property", path, "--budget", "20runs")
    assert not said["findings"], said
    told = run([CLEW, "campaign", folder]).stdout
    counts = re.search(r"the one.*?(\d+) checks?.*?(\d+) skip", told, re.DOTALL)
    assert counts, told
    # In each run, of which one is made twice: set twice, sent twice while it is there; and all else while it is not.
    assert int(counts.group(1)) == 21 * 4 and int(counts.group(2)) == 21 * 8, told


def test_messages_are_counted_for_properties_in_c():
    program = build("variables", text=VARIABLES)
    path = property_file("counts", 'const int64_t *sent = clew_value(view, 0, "sent_channel");\n'
                         'const int64_t *received = clew_value(view, 0, "received_channel");\n'
                         'return sent == NULL || received == NULL || *sent <= *received\n'
                         '    || clew_broken(view, "%d sent", (int)*sent);', ", .is_at_rest = true")
    said, _ = explore([program], "--property", path, "--budget", "3runs")
    assert only_finding(said)["what"] == "the one does not hold now that the program has ended: 2 sent", said


def test_a_file_of_properties_that_is_no_good_is_told():
    program = build("variables", text=VARIABLES)
    bad = {
        property_file("crashing", 'return *clew_value(view, 0, "nowhere") == 1;'): "crashes (SIGSEGV)",
        property_file("strange", "return 1 +;"): "does not compile",
        write("empty.c", "int nothing;\n"): "has no properties in it",
        write("text.so", "no library"): "cannot be loaded",
        os.path.join(FOLDER.name, "absent.c"): "No such file",
    }
    for path, why in bad.items():
        done = run([CLEW, "explore", "-q", "--budget", "3runs", "--property", path, "-o", path + ".campaign", "--", program])
        last = done.stderr.splitlines()[-1]
        assert done.returncode == 2 and last.startswith("clew: " + path) and why in last, done.stderr
    done = run([CLEW, "explore", "--property", path, "system.so"])
    assert done.returncode == 2 and "--hang and --spurious-wakeups are for programs" in done.stderr, done.stderr


WATCHED = {
    # What is watched, and the values it has in the usual order of the threads; None: it is not there.
    "account.id": [7],
    "account.balance": [0, -30, -60],
    "account.bytes[0]": [0, -30, -60],
    "table[3]": [0, 1, 0],
    "table[3]->key": [9, None],
    "table[3]->next->key": [-2, 11, None],
    "table[3][0].next": [1, 0, None],
    "matrix[1][2]": [0, -3],
    "colour": [0, 5],
    "is_done": [0, 1],
    "hits": [0, 1, 2],
    "next_id::last": [0, 1],
    "left": [0, 1, 2],
    "right": [0, 1, 2],
}


def values_of(trace):
    """The values that each variable of a trace had, in order."""
    values = {}
    for line in run([CLEW, "convert", "--to", "text", "-o", "-", trace]).stdout.splitlines():
        told = re.search(r" (variable|variable-delete) \"?([^\" ]+)\"?(?: .*?value=(-?\d+))?", line)
        if told:
            values.setdefault(told[2], []).append(None if told[1] == "variable-delete" else int(told[3]))
    return values


def usual_schedule(folder, program):
    """A schedule that says nothing: the usual order."""
    return write(os.path.join(folder, "usual.sched"), f"clew-schedule 1\nsystem {os.path.basename(program)}\nworld process\nthen first\n")


def test_variables_are_read_when_they_change():
    words = [word for name in WATCHED for word in ("--watch", name)]
    for compiler in ("gcc", "clang"):
        program = build("watched-" + compiler, path=WATCHED_SOURCE,
                        compiler=("--with", compiler))
        trace = os.path.join(FOLDER.name, "watched.clew")
        for mode in MODES:
            done = run([CLEW, "replay", "-q", "--mode", mode, *words, "--trace", trace, usual_schedule(FOLDER.name, program), "--", program])
            assert done.returncode == 0, done.stdout + done.stderr
            assert values_of(trace) == WATCHED, (compiler, mode, values_of(trace))


def test_properties_see_what_is_watched():
    program = build("watched")
    spec = write("sides.spec", 'sides: always forall p. p."left" >= p."the right"\n')
    said, folder = explore([program], "--spec", spec, "--watch", "left", "--watch", "the right=right", "--budget", "300runs")
    finding = only_finding(said)
    assert finding["kind"] == "property" and "watched.left = 1" in finding["what"], finding
    assert "--watch left --watch 'the right=right' " in finding["replay"], finding
    done = run([CLEW, "replay", "--spec", spec, "--watch", "left", "--watch", "the right=right", first_schedule(folder), "--", program])
    assert done.returncode == 1 and ", as recorded" in done.stdout, done.stdout + done.stderr


def test_what_cannot_be_watched_is_told():
    bad = {
        "nothing": "no variable nothing", "account": "name a part of it", "account.nothing": "no field nothing", "left.right": "is no struct",
        "left->right": "no pointer", "left[1]": "no pointer", "matrix[2][0]": "2 elements", "matrix[1]": "an array", "matrix[x]": "a number",
        "account.rate": "no integer", "account.flag": "bit-field", "own": "of a thread", "account.": "expected a name", "": "NAME=EXPRESSION",
        "unused_one": "the compiler removed", "left right": "expected", "=left": "NAME=EXPRESSION", "work::nothing": "no variable nothing", "x" * 70: "NAME=EXPRESSION",
    }
    program = build("watched")
    for expression, why in bad.items():
        done = run([CLEW, "explore", "-q", "--budget", "3runs", "--watch", expression, "-o", "bad.campaign", "--", program])
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and why in done.stderr and "--watch" in done.stderr, (expression, done.stderr)
        shutil.rmtree(os.path.join(FOLDER.name, "bad.campaign"), ignore_errors=True)
    bare = build("bare", "-g0", path=WATCHED_SOURCE)
    done = run([CLEW, "explore", "-q", "--budget", "3runs", "--watch", "left", "-o", "bad.campaign", "--", bare])
    assert done.returncode == 2 and " -g" in done.stderr, done.stderr


FREED = """
#include <pthread.h>
#include <stdlib.h>
static int *block;
static void *reader(void *unused)
{
    int *mine = block;
    volatile int seen = *mine;
    (void)seen;
    return unused;
}
static void *freer(void *unused)
{
    int *mine = block;
    free(mine);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    block = calloc(1, sizeof *block);
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, freer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
"""


def test_freeing_what_others_use_is_a_step():
    """In the usual order the reader is first: a search that claims to have seen everything has seen the other one."""
    program = build("freed", text=FREED)
    said, folder = explore([program], "--strategy", "dpor")
    assert said["stats"]["exhausted"] and only_finding(said)["kind"] == "use-after-free", said
    check_every_mode_replays(first_schedule(folder), program)


LIFE = """
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf back;
static char *block;
__attribute__((noinline)) static void jump(int left)
{
    if (left == 0) {
        longjmp(back, 1);
    }
    jump(left - 1);
    block = NULL;
}
__attribute__((noinline)) static char *make(int size)
{
    char *made = calloc(1, (size_t)size);
    return made;
}
__attribute__((noinline)) static void drop(int left)
{
    if (left > 0) {
        drop(left - 1);
        left = 0;
    } else {
        free(block);
    }
    back[0].__mask_was_saved = left;
}
static void *work(void *unused)
{
    drop(2);
    return unused;
}
int main(int count, char **words)
{
    pthread_t thread;
    if (count > 1 && setjmp(back) == 0) {
        jump(3);
    }
    block = make(count * 10);
    pthread_create(&thread, NULL, work, words);
    pthread_join(thread, NULL);
    volatile char seen = block[1];
    return seen;
}
"""


def test_a_block_has_the_calls_it_was_allocated_and_freed_in():
    """Also where functions were jumped out of: then the calls are told from the next one on, and no others."""
    program = build("life", text=LIFE)
    path = program + ".c"
    freed = (f"main/1 freed it: drop life.c:{line_of(path, 'free(block)')} < drop life.c:{line_of(path, 'drop(left - 1)')}"
             f" < drop life.c:{line_of(path, 'drop(left - 1)')} < work life.c:{line_of(path, 'drop(2)')}")
    made = f"main allocated it: make life.c:{line_of(path, 'calloc')} < main life.c:{line_of(path, 'make(count')}"
    for words in ((), ("jump",)):
        for mode in MODES:
            finding = only_finding(explore([program, *words], "--mode", mode, "--budget", "1runs")[0])
            assert finding["kind"] == "use-after-free" and finding["why"].splitlines()[:2] == [freed, made], (mode, words, finding)


UNDEFINED = """
#include <limits.h>
#include <pthread.h>
int counter = INT_MAX - 1;
__attribute__((noinline)) static int raise_by_one(int number)
{
    return number + 1;
}
static void *work(void *unused)
{
    counter = raise_by_one(counter);
    return unused;
}
""" + TWO_AT_WORK % ""


def test_a_report_of_undefined_behaviour_is_a_verdict():
    """With the library of gcc's checks in programs that clew built and in others, with clang's where clew linked it."""
    for name, words in (("undefined", {}), ("undefined.plain", {"with_clew": False}), ("undefined.clang", {"compiler": ("--with", "clang")})):
        if "compiler" in words and shutil.which("clang") is None:
            continue
        program = build(name, "-fsanitize=undefined", text=UNDEFINED, **words)
        said, folder = explore(program, "--budget", "100runs")
        finding = only_finding(said)
        assert finding["kind"] == "sanitizer", finding
        assert re.search(r"^main/\d: undefined behaviour: Signed integer overflow: 2147483647 \+ 1 cannot be represented in type 'int' "
                         r"at undefined[.\w]*.c:7 in raise_by_one, called at undefined[.\w]*.c:11 in work$", finding["what"]), finding
        assert re.fullmatch(r"sanitizer: undefined behaviour at undefined[.\w]*.c:7", finding["key"]), finding
        check_every_mode_replays(first_schedule(folder), program)


def test_reports_that_nobody_hears_are_uncontrolled():
    if shutil.which("clang") is None:
        raise tap.Skip("clang is not installed")
    program = os.path.join(FOLDER.name, "unheard")
    done = run(["clang", "-g", "-O1", "-pthread", "-fsanitize=undefined", write("unheard.c", UNDEFINED), "-o", program])
    assert done.returncode == 0, done.stderr
    done = run([CLEW, "explore", "--budget", "5runs", "-o", program + ".campaign", "--", program])
    assert done.returncode == 3 and "not controlled: __ubsan_on_report" in done.stdout, done.stdout + done.stderr


REPORTS = """
#include <assert.h>
#include <clew/clew.h>
#include <pthread.h>
static int x;
static void *count(void *p)
{
    x++;
    clew_var("x", x); /* reported */
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, count, 0);
    count(0);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
"""


def test_a_report_has_the_line_of_its_caller():
    line = 1 + REPORTS.splitlines().index('    clew_var("x", x); /* reported */')
    for level in ("-O0", "-O2"):
        program = build("reports" + level, level, text=REPORTS)
        _, folder = explore(program, "--first", "--budget", "50runs", status=(1,))
        text = run([CLEW, "convert", "--to", "text", "-o", "-", os.path.join(folder, "violations", "1.clew")]).stdout
        places = {words.split("@")[-1].split()[0] for words in text.splitlines() if " variable x " in words}
        assert places == {f"reports{level}.c:{line}"}, text


BLOCKS = """
#include <pthread.h>
#include <stdlib.h>
static int x;
static void *work(void *unused)
{
    if (x > 100) {
        x = 0; /* never */
    }
    x++;
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    if (x > 2) {
        abort(); /* never either */
    }
    return 0;
}
"""


def test_blocks_that_no_run_enters_are_listed():
    never = {f"blocks.c:{1 + number}" for number, line in enumerate(BLOCKS.splitlines()) if "/* never" in line}
    for kind in ("trace-pc-guard", "inline-8bit-counters"):
        program = build("blocks", "-O0", f"-fsanitize-coverage={kind},pc-table", text=BLOCKS, compiler=("--with", "clang"))
        for mode in MODES:
            said, folder = explore(program, "--mode", mode, "--budget", "5runs", status=(0,))
            stats = said["stats"]
            assert set(said["uncovered"]) == never and stats["blocks_listed"], (kind, mode, said)
            assert stats["blocks_total"] - stats["blocks_covered"] == len(never), (kind, mode, stats)
    text = run([CLEW, "campaign", "--show", "coverage", folder]).stdout
    assert {line.split()[1] for line in text.splitlines() if " never " in line} == never, text
    text = run([CLEW, "explore", "-q", "--budget", "5runs", "-o", folder + ".again", "--", program]).stdout
    assert "blocks entered; never: " in text and all(place in text for place in never), text
    # gcc tells of blocks that are entered, and of no others.
    program = build("blocks-gcc", "-O0", "-fsanitize-coverage=trace-pc", text=BLOCKS)
    said, _ = explore(program, "--budget", "5runs", status=(0,))
    stats = said["stats"]
    assert stats["blocks_covered"] > 0 and not stats["blocks_listed"] and stats["blocks_total"] == 0 and "uncovered" not in said, said


def test_a_log_for_shiviz_has_the_blocks_of_each_event():
    program = build("blocks-gcc", "-O0", "-fsanitize-coverage=trace-pc", text=BLOCKS)
    trace = os.path.join(FOLDER.name, "blocks.clew")
    for mode in MODES:
        run([CLEW, "replay", "-q", "--mode", mode, "--trace", trace, usual_schedule(FOLDER.name, program), "--", program])
        lines = run([CLEW, "convert", "--to", "shiviz", "-o", "-", trace]).stdout.splitlines()
        start = lines.index(next(line for line in lines if line.startswith("thread-start")))
        at = BLOCKS.splitlines().index("    if (x > 100) {") + 1
        assert f"; covered blocks-gcc.c:{at} (1)" in lines[start] and lines[start - 1].startswith("main/1@"), lines
        assert not any(line.startswith("coverage") for line in lines), lines


def test_a_search_starts_with_a_schedule():
    program = build("reports-O2", "-O2", text=REPORTS)
    _, folder = explore(program, "--first", "--strategy", "random", "--budget", "100runs", status=(1,))
    for strategy in ("auto", "directed", "unique", "frequency", "nodefreq", "pct"):
        said, _ = explore(program, "--strategy", strategy, "--seed-schedule", first_schedule(folder), "--budget", "3runs", status=(1,))
        assert said["stats"]["first_violation_run"] == 1, (strategy, said["stats"])
    done = run([CLEW, "explore", "--strategy", "dpor", "--seed-schedule", first_schedule(folder), "--", program])
    assert done.returncode == 2 and "--seed-schedule needs a sampling strategy" in done.stderr, done.stderr
    done = run([CLEW, "explore", "--seed-schedule", first_schedule(folder), "--", build("lost_update")])
    assert done.returncode == 2 and 'is for the system "reports-O2"' in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
