"""--sarif, --junit and --github of every verb with findings: files that a schema and a parser accept, with the findings of --json."""
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

import jsonschema

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["CLEW_SOURCE"], "test", "control"))
from controlled import CLEW, FOLDER, SOURCE, build_case, first_schedule, run, write
import tap  # pylint: disable=wrong-import-position

RACE = """clew-text 1 order=exact
main@n thread-create T1@n
main@n thread-create T2@n
T1@n write x @"src dir/r.c:3" size=4
T2@n read x @r.c:5 size=4
"""
CLEAN = """clew-text 1 order=exact
main@n write x @r.c:3 size=4
"""

# The rules of SARIF 2.1.0 for the objects that clew writes (sections 3.13 to 3.58 of the standard).
TEXT = {"type": "string", "minLength": 1}
MESSAGE = {"type": "object", "additionalProperties": False, "required": ["text"], "properties": {"text": {"type": "string"}}}
PHYSICAL = {"type": "object", "additionalProperties": False, "required": ["artifactLocation"], "properties": {
    "artifactLocation": {"type": "object", "additionalProperties": False, "required": ["uri"],
                         "properties": {"uri": {"type": "string", "pattern": r"^([A-Za-z0-9\-._~/]|%[0-9A-F]{2})+$"}}},
    "region": {"type": "object", "additionalProperties": False, "properties": {"startLine": {"type": "integer", "minimum": 1}}}}}
LOCATION = {"type": "object", "additionalProperties": False, "properties": {
    "physicalLocation": PHYSICAL, "message": MESSAGE,
    "logicalLocations": {"type": "array", "uniqueItems": True, "items": {
        "type": "object", "additionalProperties": False, "properties": {"fullyQualifiedName": TEXT}}}}}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
THREAD_FLOW = {"type": "object", "additionalProperties": False, "required": ["locations"], "properties": {
    "locations": {"type": "array", "minItems": 1, "items": {"type": "object", "additionalProperties": False, "properties": {
        "location": LOCATION, "executionOrder": {"type": "integer", "minimum": -1}}}}}}
RESULT = {"type": "object", "additionalProperties": False, "required": ["message"], "properties": {
    "ruleId": TEXT, "ruleIndex": {"type": "integer", "minimum": -1}, "level": LEVEL, "message": MESSAGE,
    "locations": {"type": "array", "items": LOCATION},
    "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
    "codeFlows": {"type": "array", "items": {"type": "object", "additionalProperties": False, "required": ["threadFlows"],
                                             "properties": {"threadFlows": {"type": "array", "minItems": 1, "items": THREAD_FLOW}}}},
    "properties": {"type": "object"}}}
RUN = {"type": "object", "additionalProperties": False, "required": ["tool"], "properties": {
    "tool": {"type": "object", "additionalProperties": False, "required": ["driver"], "properties": {"driver": {
        "type": "object", "additionalProperties": False, "required": ["name"], "properties": {
            "name": TEXT, "version": TEXT, "rules": {"type": "array", "uniqueItems": True, "items": {
                "type": "object", "additionalProperties": False, "required": ["id"], "properties": {"id": TEXT}}}}}}},
    "automationDetails": {"type": "object", "additionalProperties": False, "properties": {"id": TEXT}},
    "invocations": {"type": "array", "uniqueItems": False, "items": {
        "type": "object", "additionalProperties": False, "required": ["executionSuccessful"], "properties": {
            "executionSuccessful": {"type": "boolean"},
            "toolExecutionNotifications": {"type": "array", "items": {
                "type": "object", "additionalProperties": False, "required": ["message"],
                "properties": {"level": LEVEL, "message": MESSAGE}}}}}},
    "results": {"type": "array", "items": RESULT}}}
SARIF = {"type": "object", "additionalProperties": False, "required": ["version", "runs"], "properties": {
    "$schema": {"type": "string", "format": "uri"}, "version": {"enum": ["2.1.0"]}, "runs": {"type": "array", "items": RUN}}}


def outputs(name, *words):
    """What one command writes: its status, its findings, and the run of SARIF and the suite of JUnit, which must agree with them."""
    paths = [os.path.join(FOLDER.name, name + ending) for ending in (".sarif", ".xml")]
    done = run([CLEW, words[0], "--json", "--sarif", paths[0], "--junit", paths[1], "--github", *words[1:]])
    assert done.returncode in (0, 1, 3), (done.returncode, done.stdout, done.stderr)
    findings = json.loads(done.stdout)["findings"]
    with open(paths[0], encoding="utf-8") as file:
        sarif = json.load(file)
    jsonschema.Draft7Validator.check_schema(SARIF)
    jsonschema.validate(sarif, SARIF)
    (ran,) = sarif["runs"]
    suite = ElementTree.parse(paths[1]).getroot().find("testsuite")
    check_sarif(ran, findings)
    check_junit(suite, findings)
    annotations = [line for line in done.stderr.splitlines() if re.match("::(error|warning|notice) ", line)]
    assert len(annotations) == len(findings), (annotations, findings)
    return done.returncode, findings, ran, suite, annotations


def check_sarif(ran, findings):
    rules = [rule["id"] for rule in ran["tool"]["driver"]["rules"]]
    assert sorted(set(rules)) == sorted({finding["kind"] for finding in findings}), rules
    assert len(ran["results"]) == len(findings), ran
    for result, finding in zip(ran["results"], findings):
        assert result["ruleId"] == rules[result["ruleIndex"]] == finding["kind"], result
        assert result["message"]["text"] == finding["what"] and result["level"] == finding["severity"], result
        assert result["partialFingerprints"] == {"clewKey/v1": finding["key"]}, result
        flow = result["codeFlows"][0]["threadFlows"][0]["locations"] if "codeFlows" in result else []
        assert len(flow) == len(finding["events"]), result


def check_junit(suite, findings):
    cases = suite.findall("testcase")
    assert int(suite.get("tests")) == len(cases), suite.attrib
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure")), suite.attrib
    assert int(suite.get("errors")) == len(suite.findall("testcase/error")), suite.attrib
    named = [case for case in cases if case.get("classname").count(".") == 2]
    assert [case.get("name") for case in named] == [finding["key"] for finding in findings], (cases, findings)
    for case, finding in zip(named, findings):
        failure = case.find("failure")
        assert (failure is not None) == (finding["severity"] != "note"), finding
        assert failure is None or failure.get("message") == finding["what"], (failure.attrib, finding)


def test_a_race_is_a_result_a_failed_test_and_an_annotation():
    status, _, ran, suite, annotations = outputs("race", "races", write("race.log", RACE))
    assert status == 1 and suite.get("failures") == "1", suite.attrib
    place = ran["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "src%20dir/r.c"}, "region": {"startLine": 3}}, place
    assert suite.find("testcase").get("file") == "src dir/r.c" and suite.find("testcase").get("line") == "3", suite
    assert annotations[0].startswith("::error file=src dir/r.c,line=3,title=clew races%3A data-race::x is written"), annotations
    assert "toolExecutionNotifications" not in ran["invocations"][0], ran


def test_a_clean_trace_is_a_run_without_results_and_one_passed_test():
    status, findings, ran, suite, _ = outputs("clean", "races", write("clean.log", CLEAN))
    assert status == 0 and not findings and not ran["results"], ran
    assert [list(case) for case in suite.findall("testcase")] == [[]] and suite.get("failures") == "0", suite.attrib


def test_an_unknown_answer_is_an_error_and_a_notification():
    text = "clew-text 1 order=stamped\nmain@n process-start\nmain@n thread-create T1@n\nT1@n thread-start\n"
    status, findings, ran, suite, _ = outputs("unknown", "atomicity", "--budget", "1B", write("unknown.log", text))
    assert status == 3 and not findings, (status, findings)
    assert ran["invocations"][0]["toolExecutionNotifications"][0]["level"] == "warning", ran
    assert suite.get("errors") == "1", suite.attrib


def test_every_verb_with_findings_writes_them():
    program = build_case("account")
    folder = os.path.join(FOLDER.name, "exports.campaign")
    status, findings, ran, _, annotations = outputs("explore", "explore", "--first", "-o", folder, "--", program)
    assert status == 1 and len(findings) == 1 and findings[0]["replay"] == ran["results"][0]["properties"]["replay"], findings
    assert ran["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 31, ran
    assert "%0Aclew replay " in annotations[0], annotations
    assert outputs("replay", "replay", first_schedule(folder), "--", program)[0] == 1
    assert outputs("check", "check", write("check.log", "clew-text 1\nmain@n unlock m @r.c:1\n"))[0] == 1
    assert outputs("atomicity", "atomicity", write("race.log", RACE + "T2@n write x @r.c:6 size=4\n"))[0] == 1
    assert outputs("program", "races", "--", program)[0] == 1


def test_text_findings_are_exported_as_those_of_json():
    trace = write("text.log", RACE)
    text = run([CLEW, "races", "--sarif", os.path.join(FOLDER.name, "text.sarif"), trace])
    outputs("json", "races", trace)
    with open(os.path.join(FOLDER.name, "text.sarif"), encoding="utf-8") as one, \
         open(os.path.join(FOLDER.name, "json.sarif"), encoding="utf-8") as other:
        assert text.returncode == 1 and one.read() == other.read()


def test_a_suppressed_finding_is_not_exported():
    trace = write("suppressed.log", RACE)
    rules = write("known.supp", "race:x\n")
    status, findings, ran, suite, _ = outputs("suppressed", "races", "--suppress", rules, trace)
    assert status == 0 and not findings and not ran["results"] and suite.get("failures") == "0", ran


def test_no_byte_of_a_name_breaks_a_file():
    hostile = RACE.replace("write x", 'write "a<b>&\\"]]>\\x01\\xff\\xef\\xbf\\xbe%0A::"').replace("read x", 'read "a<b>&\\"]]>\\x01\\xff\\xef\\xbf\\xbe%0A::"')
    paths = [os.path.join(FOLDER.name, "hostile" + ending) for ending in (".sarif", ".xml")]
    done = run([CLEW, "races", "-q", "--github", "--sarif", paths[0], "--junit", paths[1], write("hostile.log", hostile)], errors="replace")
    assert done.returncode == 1, (done.stdout, done.stderr)
    with open(paths[0], encoding="utf-8") as file:
        jsonschema.validate(json.load(file), SARIF)
    assert len(ElementTree.parse(paths[1]).getroot().findall(".//failure")) == 1
    assert len([line for line in done.stderr.splitlines() if line.startswith("::")]) == 1, done.stderr


def test_a_command_that_cannot_run_leaves_the_files_as_they_were():
    path = write("kept.sarif", "before")
    done = run([CLEW, "races", "--sarif", path, os.path.join(FOLDER.name, "absent.log")])
    with open(path, encoding="utf-8") as file:
        assert done.returncode == 2 and file.read() == "before", done.stderr
    done = run([CLEW, "races", "--sarif", os.path.join(FOLDER.name, "no", "where.sarif"), write("race.log", RACE)])
    assert done.returncode == 2 and "where.sarif" in done.stderr, done.stderr


def test_two_documents_on_standard_output_are_refused():
    trace = write("two.txt", RACE)
    for words in (["--json", "--sarif", "-"], ["--sarif", "-", "--junit", "-"]):
        done = run([CLEW, "races", *words, trace])
        assert done.returncode == 2 and "standard output already: name a file" in done.stderr, (words, done.stderr)
        assert not done.stdout, done.stdout


def test_an_unknown_finding_of_confirm_is_one_error():
    findings = write("one.findings", run([CLEW, "races", "--json", write("one.log", RACE)]).stdout)
    report = os.path.join(FOLDER.name, "unknown.xml")
    done = run([CLEW, "confirm", "--budget", "5runs", "--junit", report, findings, "--", build_case("account")])
    assert done.returncode == 3, done.stdout + done.stderr
    (suite,) = ElementTree.parse(report).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "1"), suite.attrib
    assert len(suite.findall("testcase/error")) == 1 and not suite.findall("testcase/failure"), suite


def test_a_report_that_cannot_be_written_is_refused_before_the_work():
    trace = write("refused.log", RACE)
    for option in ("--sarif", "--junit"):
        for path, why in ((os.path.join(FOLDER.name, "nowhere", "x"), "No such file"), (FOLDER.name, "Is a directory")):
            done = run([CLEW, "races", option, path, trace])
            assert done.returncode == 2 and why in done.stderr and not done.stdout, (option, done.stdout, done.stderr)
    findings = write("refused.findings", run([CLEW, "races", "--json", trace]).stdout)
    done = run([CLEW, "explain", "-o", os.path.join(FOLDER.name, "nowhere", "x"), findings])
    assert done.returncode == 2 and "No such file" in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_a_file_of_another_kind_is_named_with_what_to_run():
    program = build_case("account")
    schedule = write("some.sched", "clew-schedule 1\nsystem account\nworld process\nseed 1\nthen first\n")
    trace = write("some.log", RACE)
    sarif = os.path.join(FOLDER.name, "some.sarif")
    assert run([CLEW, "races", "--sarif", sarif, "-q", trace]).returncode == 1
    for verb, path, kind, remedy in (("confirm", schedule, "a schedule", "clew replay " + schedule), ("confirm", sarif, "a SARIF report", "--json"),
                                     ("confirm", trace, "a trace", "clew races --json " + trace), ("explain", sarif, "a SARIF report", "--json"),
                                     ("explain", trace, "a trace", "clew races --json " + trace)):
        done = run([CLEW, verb, path, *(["--", program] if verb == "confirm" else [])])
        assert done.returncode == 2 and f"{path}: is {kind}, not a findings file" in done.stderr and remedy in done.stderr, (verb, path, done.stderr)
        assert done.stderr.count("\n") == 1, done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
