"""What a recording of a program that clew cc built tells besides races: functions and who called them, handlers, what was reached
and what was left out."""
import json
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
from programs import CLEW, FLAGS, HERE, build, races_of, run, words_of  # pylint: disable=wrong-import-position


def test_silent_annotation(name):
    """Without its annotations the same program is reported."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(HERE, name)
        program = build(folder, path, "gcc", "-DSILENT")
        assert races_of(folder, program, words_of(path)), "nothing found"


def test_foreign_annotations_silent():
    """Of ThreadSanitizer's annotations too: what they order races without them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(HERE, "tsan_annotated.c")
        found = races_of(folder, build(folder, path, "gcc", "-DSILENT"), words_of(path))
        assert frozenset(("published_left", "published_right")) in found, found


def test_foreign_annotations_controlled():
    """They are understood under control too: the trace of such a run holds the one race there is, and the keys of both are the same."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(HERE, "tsan_annotated.c")
        program = build(folder, path, "gcc", "-DFAIL")
        done = run([CLEW, "explore", "--budget", "5runs", "--first", "-o", os.path.join(folder, "c"), "--", program])
        assert done.returncode == 1 and "abort() is called" in done.stdout, done.stdout + done.stderr
        trace = os.path.join(folder, "c", "violations", "1.clew")
        assert run([CLEW, "check", trace]).returncode == 0
        done = run([CLEW, "races", "--json", trace])
        keys = [finding["key"] for finding in json.loads(done.stdout)["findings"]]
        marks = {word: place for place, word in words_of(path).items()}
        assert keys == ["data-race|%s|%s|bare" % (marks["bare_left"], marks["bare_right"])], keys
        again = os.path.join(folder, "again.clew")
        run([CLEW, "record", "-o", again, "--", program])
        baseline = os.path.join(folder, "known")
        with open(baseline, "w", encoding="utf-8") as file:
            file.write(done.stdout)
        done = run([CLEW, "races", "--baseline", baseline, again])
        assert done.returncode == 0 and "1 known from the baseline" in done.stdout, done.stdout + done.stderr


def test_handlers(compiler):
    """A function that --handler names begins and ends a handler, an exception or not; then messages race."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, os.path.join(HERE, "handlers.cc"), compiler, "-O1")
        trace = os.path.join(folder, "run.clew")
        words = [CLEW, "record", "-o", trace]
        plain = run([*words, "--", program])
        assert "no handlers are known" in plain.stderr, plain.stderr
        found = json.loads(run([CLEW, "races", "--json", trace]).stdout)
        assert not found["findings"], found
        done = run([*words, "--handler", "shop::sell", "--handler", "take_stock", "--handler", "nobody", "--", program])
        assert done.returncode == 0 and "no handlers" not in done.stderr, done.stderr
        assert "--handler nobody: no recorded program" in done.stderr and done.stderr.count("--handler") == 1, done.stderr
        text = run([CLEW, "convert", trace, "--to", "text", "-o", "-"]).stdout
        assert [text.count(f"handler-{end} {name}") for end in ("begin", "end") for name in ("shop::sell", "take_stock")] == \
            [3, 1, 3, 1], text
        found = json.loads(run([CLEW, "races", "--json", trace]).stdout)
        assert found["findings"], found


def test_observed_reuse():
    """The close of a descriptor number orders who gets the number next: in the order of the run, and in no other model."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, os.path.join(HERE, "descriptor.c"), "gcc", "-O1")
        trace = os.path.join(folder, "run.clew")
        done = run([CLEW, "record", "-o", trace, "--", program])
        assert done.returncode == 0, done.stderr
        text = run([CLEW, "convert", trace, "--to", "text", "-o", "-"]).stdout
        assert "happens-after" in text and text.count("happens-") == text.count("mode=observed"), text
        observed = run([CLEW, "races", "--model", "observed", "--json", trace])
        assert observed.returncode == 0 and not json.loads(observed.stdout)["findings"], observed.stdout
        graded = run([CLEW, "races", trace])
        assert graded.returncode == 3 and "may depend on a descriptor number" in graded.stdout, graded.stdout


def test_verbs():
    """A descriptor is used and closed."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, os.path.join(HERE, "closed.c"), "gcc", "-O1")
        trace = os.path.join(folder, "run.clew")
        assert run([CLEW, "record", "-o", trace, "--", program]).returncode == 0
        said = run([CLEW, "races", trace]).stdout
        assert " is used at " in said and " closed at " in said and " is read at " not in said, said


def test_worker_pool():
    """Messages to one socket race although different workers get them: their handlers conflict, kept apart by a lock."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(HERE, "worker_pool.c")
        program = build(folder, path, "gcc", "-O1")
        found = races_of(folder, program, words_of(path), "--handler", "handle_set", "--handler", "handle_get")
        assert found == {frozenset(("set", "get"))}, found


def objects_of(*words):
    """The variables of the races that `clew races` finds, and the lines where they are used."""
    found = json.loads(run([CLEW, "races", "--json", *words]).stdout)["findings"]
    events = [event for finding in found for event in finding["events"]]
    return {event["object"] for event in events}, {event["location"] for event in events}


def names_of(folder, path, *more):
    """The variables of the races of a program, whatever task used them, and the recording with stacks as text. Recorded with
    stacks, without them and under control they must be the same."""
    program = build(folder, os.path.join(HERE, path), *more)
    trace = os.path.join(folder, "run.clew")
    done = run([CLEW, "record", "--stacks", "-o", trace, "--", program])
    assert done.returncode == 0, done.stderr
    text = run([CLEW, "convert", trace, "--to", "text", "-o", "-"]).stdout
    names = objects_of(trace)
    os.remove(trace)
    done = run([CLEW, "record", "-o", trace, "--", program])
    assert done.returncode == 0, done.stderr
    assert objects_of(trace) == names, (objects_of(trace), names)
    names, places = names
    assert {place.split(":")[0] for place in places} == {path}, places
    assert objects_of("--", program) == (names, places), (objects_of("--", program), names, places)
    return names, text


def line_of(path, word):
    with open(os.path.join(HERE, path), encoding="utf-8") as file:
        return next(f"{path}:{number}" for number, line in enumerate(file, 1) if word in line)


def test_names(compiler, level):
    """Statics are called by element and member, heap blocks by the line of the program that asked for them, also through a
    function such as xmalloc or libc's; a lock is called by its member, not by what lies in it."""
    with tempfile.TemporaryDirectory() as folder:
        names, text = names_of(folder, "named.c", compiler, level)
    asked = {word: line_of("named.c", word)
             for word in ("= xmalloc(", "= strdup(", "= safe_malloc(", "getline(", "asprintf(", "= realpath(")}
    assert {name for name in names if "#" not in name} == {
        "touch::calls", "queue.head", "queue.inner[2].key", "queue.name[3]", "closers[5]", "closers[0]", "grid[2][3]",
        "table[3].pair.high", "table[4].halves[1]", "table[1].whole", "table[2].is_used"}, names
    blocks = {name for name in names if "#" in name}
    assert {name.split("#")[0] for name in blocks} == set(asked.values()), (blocks, asked)
    assert asked["= xmalloc("] + "#1+28" in blocks and asked["= safe_malloc("] + "#1+1" in blocks, blocks
    assert " lock queue.lock " in text and "malloc.h" not in text, text


def test_names_cxx(compiler, level):
    """The caller of new, also where a container's or a string's code lies in between, inlined or not; with stacks the line of
    an event is the program's, too."""
    with tempfile.TemporaryDirectory() as folder:
        names, text = names_of(folder, "named_cxx.cc", compiler, level)
    made = [line_of("named_cxx.cc", word) for word in ("new item", "new std::vector<int>", "table[7] = 1", "new std::string",
                                                       "make_shared", "rows->reserve")]
    assert {name.split("#")[0] for name in names} == {*made, "shop::state.items[1].value"}, (names, made)
    # The destructor of a static variable runs behind main, where no line of the program calls it.
    located = [line for line in text.splitlines() if re.search(r" @(?!named_cxx.cc|program.h)", line)
               and " coverage " not in line and "~__shared" not in line]
    assert not located, located


def test_watched(*more):
    """A race is told while the program runs: it waits for a file that --on-race makes, and ends well only so."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(HERE, "watched.c")
        program = build(folder, path, "gcc", "-O1")
        file = os.path.join(folder, "told")
        script = f'echo "$CLEW_RACE_NUMBER $CLEW_RACE_KIND $CLEW_RACE_FIRST_OBJECT $CLEW_RACE_FIRST_PLACE" >> {file}'
        done = run([CLEW, "record", "-o", os.path.join(folder, "run.clew"), "--watch", "races", *more, "--on-race", script,
                    "--", program], env=dict(os.environ, WATCHED_FILE=file))
        assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
        with open(file, encoding="utf-8") as told:
            lines = told.read().splitlines()
    assert len(lines) == 1 and lines[0].startswith("1 data-race balance watched.c:"), lines
    return done.stderr.splitlines()


def test_watched_sentence():
    lines = [line for line in test_watched() if line.startswith("clew: race ")]
    assert len(lines) == 1 and "balance is written at watched.c:" in lines[0], lines


def test_watched_json():
    found = [json.loads(line) for line in test_watched("--jsonl") if line.startswith("{")]
    assert len(found) == 1 and found[0]["kind"] == "data-race", found


def test_functions(compiler):
    """An access tells the functions it is in, with the places where each calls the one before."""
    path = os.path.join(HERE, "inlined.c")
    place = {word: line for line, word in words_of(path).items()}
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, path, compiler, "-O1")
        trace = os.path.join(folder, "run.clew")
        run([CLEW, "record", "-o", trace, "--", program])
        found = json.loads(run([CLEW, "races", "--json", trace]).stdout)["findings"]
        text = run([CLEW, "races", trace]).stdout
    wanted = f"pay < settle {place['settle']} < work {place['work']}"
    assert [event["stack"] for event in found[0]["events"]] == [wanted, wanted], found
    assert f"        in {wanted}\n" in text, text


def test_callers(compiler, level):
    """With --stacks an access tells who called its function, also where it comes to light late."""
    path = os.path.join(HERE, "called.c")
    place = {word: line for line, word in words_of(path).items()}
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, path, compiler, level)
        trace = os.path.join(folder, "run.clew")
        done = run([CLEW, "record", "--stacks", "-o", trace, "--", program])
        assert done.returncode == 0 and sorted(os.listdir(folder)) == ["program", "run.clew"], os.listdir(folder)
        found = json.loads(run([CLEW, "races", "--json", trace]).stdout)["findings"]
    wanted = f"pay < settle {place['settle']} < all {place['all']} < work {place['work']}"
    assert [event["stack"] for event in found[0]["events"]] == [wanted, wanted], found


def test_filtered():
    """The trace says how much was left out; a task that spins is one load with a count."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, os.path.join(HERE, "watched.c"), "gcc", "-O1")
        trace = os.path.join(folder, "run.clew")
        stats = json.loads(run([CLEW, "record", "-o", trace, "--first-accesses", "0", "--json", "--", program]).stdout)["stats"]
        assert 0 < stats["filtered"] < stats["accesses"], stats
        kept = stats["accesses"] - stats["filtered"]
        told = run([CLEW, "info", trace]).stdout
        assert f"({kept} of {stats['accesses']} memory accesses" in told, told
        text = run([CLEW, "convert", trace, "--to", "text", "-o", "-"]).stdout
        loads = [line for line in text.splitlines() if " atomic-load stage " in line]
        assert len(loads) <= 2 or any(" count=" in line for line in loads), loads
        stats = json.loads(run([CLEW, "record", "-o", trace, "--all-accesses", "--json", "--", program]).stdout)["stats"]
        assert stats["filtered"] == 0 < stats["accesses"], stats
        assert "clew record --all-accesses" in run([CLEW, "info", trace]).stdout


def test_coverage(compiler, *more):
    """What was reached is told before the process ends, also where it became another program or was killed; what was not is not."""
    path = os.path.join(HERE, "covered.c")
    place = {word: line for line, word in words_of(path).items()}
    for how, reached in (("end", {"main", "end"}), ("become", {"main", "become", "end"}), ("child", {"main", "child", "end"}),
                         ("die", {"main", "die"})):
        with tempfile.TemporaryDirectory() as folder:
            program = build(folder, path, compiler, "-O1", *more)
            trace = os.path.join(folder, "run.clew")
            run([CLEW, "record", "-o", trace, "--", program, how])
            assert sorted(os.listdir(folder)) == ["program", "run.clew"], os.listdir(folder)
            text = run([CLEW, "convert", trace, "--to", "text", "-o", "-"]).stdout
            assert run([CLEW, "check", trace]).returncode == 0, text
            assert " in the code, at " in run([CLEW, "info", trace]).stdout
        found = {word for word in place if any(" coverage " in line and f"@{place[word]} " in line for line in text.splitlines())}
        assert found == reached, f"{how}: {sorted(found)}\n{text}"


def test_values():
    """What an atomic operation leaves behind is what fits into its object."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "small.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#include <stdatomic.h>\n"
                       "static atomic_uchar byte;\n"
                       "static atomic_ushort word = 65535;\n"
                       "int main(void) {\n"
                       "    atomic_fetch_sub(&byte, 1);\n"
                       "    atomic_fetch_add(&word, 1);\n"
                       "    return byte != 255 || word != 0;\n"
                       "}\n")
        trace = os.path.join(folder, "run.clew")
        assert run([CLEW, "record", "-o", trace, "--", build(folder, path, "gcc", "-O1")]).returncode == 0
        lines = run([CLEW, "convert", trace, "--to", "text", "-o", "-"]).stdout.splitlines()
    for name, value in (("byte", 255), ("word", 0)):
        told = [line for line in lines if f" {name} " in line]
        assert len(told) == 2 and all(f" value={value} " in line for line in told), told


def test_static():
    """A static program runs, and whoever builds, records or looks is told that nothing is seen of it."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        built = run([CLEW, "cc", *FLAGS, "-static", os.path.join(HERE, "bank_locked.c"), "-o", program])
        assert "clew: -static: the program will run, but cannot be recorded" in built.stderr, built.stderr
        if built.returncode != 0:
            raise tap.Skip("there are no static libraries here")
        trace = os.path.join(folder, "run.clew")
        done = run([CLEW, "record", "-q", "-o", trace, "--", program])
        assert done.returncode == 0 and "nothing was recorded" in done.stderr, done.stderr
        told = run([CLEW, "info", trace])
        assert told.returncode == 0 and "nothing was recorded" in told.stdout, told.stdout


def test_linker_words(compiler):
    """Words for the linker in a command that also compiles are no reason to complain, nor for -Werror to end it."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        done = run([CLEW, "cc", "--with", compiler, *FLAGS, "-Wall", "-Werror", "-rdynamic", "-L", folder, "-Wl,-O1", "-Wl,--as-needed",
                    os.path.join(HERE, "bank_locked.c"), "-o", program, "-lm"])
        assert done.returncode == 0 and not done.stderr, done
        assert run([program]).returncode == 0


def test_standard():
    """clang's errors in a source that needs a newer C++ than its default come with the remedy; other failures do not."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "newer.cc")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#if __cplusplus < 202302L\n#error\n#endif\n")
        asked = [CLEW, "c++", "--with", "clang", "-c", source, "-o", os.path.join(folder, "newer.o")]
        assert "add -std=c++17" in run(asked).stderr
        assert "-std=" not in run([*asked, "-std=c++14"]).stderr


def main():
    tests = [("a descriptor is used and closed", test_verbs)]
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler):
            for level in ("-O0", "-O2"):
                tests.append((f"an access tells who called, by {compiler} {level}",
                              lambda c=compiler, l=level: test_callers(c, l)))
            tests.append((f"an access tells its functions, by {compiler}", lambda c=compiler: test_functions(c)))
            tests.append((f"functions are handlers, by {compiler}", lambda c=compiler: test_handlers(c)))
            tests.append((f"what was reached is told, by {compiler}", lambda c=compiler: test_coverage(c)))
            tests.append((f"words for the linker are no fault, by {compiler}", lambda c=compiler: test_linker_words(c)))
    tests.append(("what was reached is told, by calls", lambda: test_coverage("gcc", "-fsanitize-coverage=trace-pc")))
    tests.append(("reuse of a descriptor number is an observed order", test_observed_reuse))
    tests.append(("messages to a pool of workers race", test_worker_pool))
    for compiler, level in (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O1")):
        if shutil.which(compiler):
            tests.append((f"names are those of the source, by {compiler} {level}", lambda c=compiler, l=level: test_names(c, l)))
            tests.append((f"heap blocks of C++ are named by the caller of new, by {compiler} {level}",
                          lambda c=compiler, l=level: test_names_cxx(c, l)))
    tests.append(("a race is told while the program runs", test_watched_sentence))
    tests.append(("a race is told as JSON while the program runs", test_watched_json))
    tests.append(("what was left out is told", test_filtered))
    tests.append(("without annotations of ThreadSanitizer's the race is reported", test_foreign_annotations_silent))
    tests.append(("annotations of ThreadSanitizer's are understood under control", test_foreign_annotations_controlled))
    tests.append(("values fit into their objects", test_values))
    tests.append(("a static program is told to be one", test_static))
    if shutil.which("clang++"):
        tests.append(("a source that is newer than clang's default is told to be one", test_standard))
    for name in ("annotated.c", "ignored.cc"):
        tests.append((f"without its annotations {name} is reported", lambda n=name: test_silent_annotation(n)))
    return tap.run(tests)


if __name__ == "__main__":
    sys.exit(main())
