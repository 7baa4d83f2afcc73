"""faults.py PROFDUMP LIBRARY short|all: every system call that the recorder makes fails in several ways.

./faults (see faults.c) says which calls those are. Whatever fails: the program's output and status are its own, it says
little, and either there is no trace, with a message that says why, or a valid one whose ledger adds up to what the
program did. `short` takes a part of the combinations, `all` every one.
"""
import collections
import errno
import json
import os
import re
import subprocess
import sys

EVENTS = 2 * 2 * 30000  # pushes and pops of two threads
ERRORS = ("EINTR", "ENOMEM", "ENOSPC", "EMFILE", "EPERM")
ALWAYS = 1 << 30
INTERRUPTIONS = 100  # in a row: who is always interrupted may try for ever
HANGS_AFTER_S = os.environ.get("HANGS_AFTER_S", "120")
LINES_MAX = 3  # on stderr
# glibc itself aborts the process when one of these fails, which the kernel never does for these reasons.
NOT_TRIED = {"futex", "rseq"}


def call_names():
    """The names of system calls by number."""
    text = subprocess.run([os.environ.get("CC", "cc"), "-E", "-dM", "-include", "sys/syscall.h", "-xc", "/dev/null"],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    return {int(number): name for name, number in re.findall(r"#define __NR_(\w+) (\d+)\n", text)}


class Faults:
    def __init__(self, profdump, library):
        self.profdump = profdump
        self.environment = dict(os.environ, LD_PRELOAD=library, PROF_OUTPUT="faulty.prof", PROF_TABLE="0")

    def run(self, *arguments):
        """Status, output and messages of one run, and the calls that it made."""
        for path in ("faulty.prof", "seen"):
            if os.path.exists(path):
                os.unlink(path)
        ran = subprocess.run(["timeout", "-s", "KILL", HANGS_AFTER_S, "./faults", "seen", *map(str, arguments)],
                             env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, check=False)
        if not os.path.exists("seen"):  # killed
            return ran, {}
        with open("seen", encoding="utf-8") as file:
            return ran, dict(tuple(map(int, line.split())) for line in file)

    def trouble(self, ran):
        """What is wrong with a run; None if nothing."""
        if ran.returncode in (-9, 137):
            return "hangs"
        if ran.returncode != 5 or ran.stdout != "output\n":
            return f"status {ran.returncode}, output {ran.stdout!r}, {ran.stderr.strip()[:300]}"
        if len(ran.stderr.splitlines()) > LINES_MAX or any(
                not line.startswith("libprof:") for line in ran.stderr.splitlines()):
            return f"says: {ran.stderr[:600]}"
        if not os.path.exists("faulty.prof") or os.path.getsize("faulty.prof") == 0:
            return None if ran.stderr else "no trace, and nothing was said"
        return self.wrong_trace()

    def wrong_trace(self):
        check = subprocess.run([self.profdump, "check", "faulty.prof"], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, check=False)
        if check.returncode != 0:
            return f"profdump check: {check.stdout.strip()[:300]}"
        facts = json.loads(subprocess.run([self.profdump, "--json", "faulty.prof"], stdout=subprocess.PIPE,
                                          check=True).stdout)
        count = collections.Counter({row["name"]: row["count"] for row in facts["key_averages"]}).total()
        loss = facts["loss"]
        # pushes, and pops: those that closed, and those that closed nothing
        recorded = 2 * count - loss.get("unclosed", 0) + loss.get("unopened", 0)
        lost = loss["lost_host"]
        # an event whose name could not be kept is recorded without it, and the name is counted
        if EVENTS not in (recorded + lost, recorded + lost - loss.get("names", 0)):
            return f"{recorded} recorded + {lost} lost != {EVENTS}: {dict((k, v) for k, v in loss.items() if v)}"
        return None


def combinations(seen, names, every):
    """(system call, error, first, times): in the short form each error once, in turn."""
    turn = 0
    for call, count in sorted(seen.items()):
        if names.get(call) in NOT_TRIED:
            continue
        firsts = sorted({1, 2, 3, count} & set(range(1, count + 1)))
        all_of = [(call, error, first, times) for error in ERRORS
                  for times in (1, INTERRUPTIONS if error == "EINTR" else ALWAYS) for first in firsts]
        if names.get(call) in ("write", "pwrite64"):
            all_of += [(call, "short", first, 1) for first in firsts]
        if every:
            yield from all_of
            continue
        for _ in range(2):
            yield all_of[turn % len(all_of)]
            turn += 7


def main(profdump, library, extent):
    faults, names, failures, tried = Faults(profdump, library), call_names(), 0, 0
    ran, seen = faults.run("list")
    if ran.returncode == 77:
        print("skipped: no ptrace or no seccomp here")
        return 77
    trouble = faults.trouble(ran)
    assert not trouble, f"undisturbed: {trouble}"
    assert os.path.exists("faulty.prof"), f"undisturbed, but no trace: {ran.stderr}"
    for call, error, first, times in combinations(seen, names, extent == "all"):
        number = 0 if error == "short" else getattr(errno, error)
        ran, _ = faults.run(call, number, first, times)
        trouble = faults.trouble(ran)
        tried += 1
        if trouble:
            failures += 1
            which = f"number {first}" if times == 1 else f"from number {first} on"
            print(f"{names.get(call, call)}, {error} at {which} "
                  f"(./faults seen {call} {number} {first} {times}): {trouble}", flush=True)
    print(f"{len(seen)} system calls, {tried} faults, {failures} wrong")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
