"""The runner of transcripts sees what differs, and writes what it read."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ.get("CLEW_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(SOURCE, "test", folder) for folder in ("harness", "golden")]
import tap  # pylint: disable=wrong-import-position
import transcript  # pylint: disable=wrong-import-position

GOLDEN = """Prose, with a $ in it.
? and this is prose too

$ echo one; echo '$ two'; echo three >&2; exit 3
one
\\$ two
2> three
? 3

$ printf ''
? 0
"""


def complaints_about(text):
    with tempfile.TemporaryDirectory() as folder:
        place = transcript.Place(SOURCE, "/bin/true", folder)
        return [line for part in transcript.parse_golden(text) if not isinstance(part, str)
                for line in transcript.check_step(part, place)]


def markdown_complaints_about(text):
    with tempfile.TemporaryDirectory() as folder:
        place = transcript.Place(SOURCE, "/bin/true", folder)
        return [line for step in transcript.parse_markdown(text)
                for line in transcript.check_markdown_step(step, place)]


def test_a_golden_file_is_written_as_it_was_read():
    assert transcript.print_golden(transcript.parse_golden(GOLDEN)) == GOLDEN


def test_a_true_transcript_has_no_complaints():
    assert not complaints_about(GOLDEN)


def test_every_difference_is_seen():
    for before, after in (("\none\n", "\none more\n"), ("2> three", "2> four"), ("? 3", "? 0"),
                          ("$ printf ''\n", "$ printf ''\nsurplus\n"), ("2> three\n", "")):
        assert complaints_about(GOLDEN.replace(before, after)), f"{before!r} for {after!r}"


def test_a_block_without_status_is_refused():
    for text in ("$ true\n", "$ true\n$ true\n? 0\n"):
        try:
            transcript.parse_golden(text)
        except AssertionError:
            continue
        raise AssertionError(text)


def test_what_changes_from_run_to_run_is_left_out():
    lines = transcript.normalized('{"cpu_seconds": 0.01, "peak_bytes":1234, "clew": "1.2.3"}\nclew 1.2.3\n')
    assert lines == ['{"cpu_seconds": _, "peak_bytes":_, "clew": "_"}', "clew _._._"], lines


def test_console_blocks_of_documents_are_run():
    document = "# Title\n\n```console\n$ echo a; echo b; echo c; echo d >&2\na\n...\nd\n$ true\n```\n\n```sh\n$ false\n```\n"
    assert len(transcript.parse_markdown(document)) == 2
    assert not markdown_complaints_about(document)
    assert markdown_complaints_about(document.replace("\nd\n", "\ne\n"))
    assert markdown_complaints_about(document.replace("...\n", ""))


def test_a_document_is_written_as_it_was_read_but_for_what_changed():
    document = "# Title\n\n```console\n$ echo a\na\n$ echo b\n```\n\n```console\n$ echo c\nx\ny\n```\nend\n"
    steps = transcript.parse_markdown(document)
    assert transcript.print_markdown(document, steps) == document
    steps[1].stdout, steps[2].stdout = ["b"], ["c"]
    assert transcript.print_markdown(document, steps) == document.replace("x\ny\n", "c\n").replace("b\n", "b\nb\n")


sys.exit(tap.run(tap.claims(dict(globals()))))
