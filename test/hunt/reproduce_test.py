"""clew reproduce: from the recording of a run that failed, a schedule that fails in the same way."""
import json
import os
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["CLEW_SOURCE"], "test", "control"))
from controlled import CASES, CLEW, FOLDER, LONG, build, run, write
import tap  # pylint: disable=wrong-import-position

# Programs of cases/threads, and the kinds that their failure may be called.
QUICK = (("account", {"assertion"}), ("use_after_free", {"use-after-free"}), ("lost_wakeup", {"deadlock"}), ("condition_if", {"assertion"}))
SLOW = ("wrong_lock", "lock_order", "dining", "refcount", "double_free", "two_stage", "airline", "circular_buffer", "list_remove", "lazy_init", "queue",
        "stack", "sync", "token_ring", "upgrade", "reorder", "put_if_absent", "pool_shutdown", "hash_resize", "double_checked")
# Random delays before accesses to memory and locks. -Wl,--wrap sends their calls here. The stubs jump on, so that the caller remains the place of the access.
DELAYS = r"""
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static unsigned state;
__attribute__((constructor)) static void begin(void)
{
    const char *seed = getenv("NOISE");
    state = seed == NULL ? 0 : (unsigned)strtoul(seed, NULL, 10) * 2654435761u | 1;
}

__attribute__((used, no_caller_saved_registers, target("general-regs-only"))) void noise(void)
{
    if (state == 0) {
        return;
    }
    state = state * 1103515245u + 12345u + (unsigned)syscall(SYS_gettid) * 97u;
    state |= 1;
    if ((state >> 16) % 3 == 0) {
        const struct timespec delay = {0, (long)(state >> 20) % 40 * 50000};
        (void)syscall(SYS_nanosleep, &delay, NULL);
    }
}

#define WRAP(name)                                                                               \
    __asm__(".text\n.globl __wrap_" #name "\n__wrap_" #name ":\n"                                \
            "push %rdi\npush %rsi\nsub $8, %rsp\ncall noise\nadd $8, %rsp\npop %rsi\npop %rdi\n" \
            "jmp __real_" #name "\n");
WRAP(__tsan_read1)
WRAP(__tsan_read2) WRAP(__tsan_read4) WRAP(__tsan_read8) WRAP(__tsan_write1) WRAP(__tsan_write2)
    WRAP(__tsan_write4) WRAP(__tsan_write8) WRAP(pthread_mutex_lock) WRAP(pthread_cond_wait)
        WRAP(pthread_cond_signal) WRAP(free)
"""
RECORDINGS = 20
REPRODUCED = 16
TRIES = 200
HANG_SECONDS = 2
DELAYED = [f"__tsan_{what}{size}" for what in ("read", "write") for size in (1, 2, 4, 8)] + ["pthread_mutex_lock", "pthread_cond_wait", "pthread_cond_signal", "free"]


def build_delayed(name, *flags):
    """A program of cases/threads that waits a random time before accesses and locks if NOISE is set: so a recorded run fails."""
    noise = os.path.join(FOLDER.name, "noise.o")
    if not os.path.exists(noise):
        done = run(["gcc", "-O1", "-c", write("noise.c", DELAYS), "-o", noise])
        assert done.returncode == 0, done.stderr
    return build("_".join(["delayed", name, *(flag.strip("-") for flag in flags)]), *flags, "-I", CASES, noise, *("-Wl,--wrap=" + call for call in DELAYED),
                 path=os.path.join(CASES, name + ".c"))


def record_failure(name):
    """The program, and the recording of its first run that fails or hangs; None: none did."""
    program = build_delayed(name)
    trace = os.path.join(FOLDER.name, name + ".clew")
    for seed in range(1, TRIES + 1):
        environment = {**os.environ, "NOISE": str(seed)}
        with subprocess.Popen([CLEW, "record", "-q", "-o", trace, "--", program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              cwd=FOLDER.name) as recorder:
            try:
                recorder.wait(HANG_SECONDS)
            except subprocess.TimeoutExpired:
                kill_child(recorder.pid)
            if recorder.wait() != 0:
                return program, trace
    return program, None


def kill_child(pid):
    """Kills the program that hangs, and not its recorder, which sees its end."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        for child in file.read().split():
            os.kill(int(child), signal.SIGKILL)


def reproduce(trace, program, status):
    done = run([CLEW, "reproduce", "--json", "--budget", "60s", trace, "--", program])
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout)


def test_a_recorded_failure_is_reproduced_and_replayed():
    def check(one):
        name, kinds = one
        program, trace = record_failure(name)
        assert trace is not None, name
        said = reproduce(trace, program, 1)
        (finding,) = said["findings"]
        assert finding["kind"] in kinds and finding["status"] == "confirmed" and said["stats"]["aligned_events"] > 5, said
        schedule = said["stats"]["schedule"]
        assert schedule == trace.replace(".clew", ".sched") and schedule in finding["replay"], said
        done = run([CLEW, "replay", "-q", schedule, "--", program])
        assert done.returncode == 1 and "as recorded" in done.stdout and finding["kind"] in done.stdout, done.stdout + done.stderr
    tap.for_each(QUICK, check)


def test_most_of_twenty_recorded_failures_are_reproduced():
    if not LONG:
        return
    answers = {}
    for name in [name for name, _ in QUICK] + list(SLOW):
        program, trace = record_failure(name)
        if trace is not None and len(answers) < RECORDINGS:
            done = run([CLEW, "reproduce", "--json", "--budget", "60s", trace, "--", program])
            said = json.loads(done.stdout)
            answers[name] = said["verdict"], said["stats"]["way"], said["stats"]["other_failure"]
    print("#", answers)
    assert len(answers) == RECORDINGS and sum(verdict == "found" for verdict, _, _ in answers.values()) >= REPRODUCED, answers


def test_a_program_that_cannot_fail_is_unknown():
    program, trace = record_failure("account")
    said = json.loads(run([CLEW, "reproduce", "--json", "--budget", "2000runs", trace, "--", build_delayed("account", "-DFIXED")]).stdout)
    assert said["verdict"] == "unknown" and not said["findings"] and not said["stats"]["schedule"], said
    assert program and not os.path.exists(os.path.join(FOLDER.name, "account_fixed.sched"))


def test_bad_input_is_one_message():
    program = build_delayed("account", "-DFIXED")
    passing = os.path.join(FOLDER.name, "passing.clew")
    assert run([CLEW, "record", "-q", "-o", passing, "--", program]).returncode == 0
    for words, message in (([passing, "--", program], "ended with status 0"), (["./nothing.clew", "--", program], "No such file"),
                           ([passing], "needs more than that"), ([passing, "--", "./nothing"], "ended with status 0")):
        done = run([CLEW, "reproduce", *words])
        assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1, (words, done.returncode, done.stderr)


def test_a_recording_says_which_signal_killed_the_program():
    trace = os.path.join(FOLDER.name, "killed.clew")
    done = run([CLEW, "record", "-q", "-o", trace, "--", "sh", "-c", "kill -9 $$"])
    assert done.returncode == 137, done
    text = subprocess.run([CLEW, "convert", trace, "--to", "text", "-o", "-"], capture_output=True, text=True, check=True).stdout
    assert text.splitlines()[-1].endswith("process-crash value=9"), text
    done = run([CLEW, "check", trace])
    assert done.returncode == 0, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
