"""Injects faults again and again, and counts how many `profdump hang` names; then programs that do not hang must give no alarm.

    hang_faults.py PROFDUMP LIBPROF SIM_LIB LIMIT_S TIMES [DETECTED_WITHIN_S]

In the current directory are ./hangs and ./stuck (tests/programs, tests/cuda). Each run has a directory of its own. Passes if at
least 90 % of the faults are named, all within DETECTED_WITHIN_S of the process's start if that is given, and nothing else gives an
alarm. The last line is a summary.
"""
import collections
import concurrent.futures
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PROFDUMP, LIBPROF, SIM_LIB = sys.argv[1:4]
LIMIT_S, TIMES = float(sys.argv[4]), int(sys.argv[5])
WITHIN_S = float(sys.argv[6]) if len(sys.argv) > 6 else None
PROGRAMS = Path.cwd()
PATIENCE_S = 600 + 3 * LIMIT_S
PARALLEL = 4

LOADER = """
import ctypes, multiprocessing, time
push = ctypes.CDLL(None).prof_range_push
def read_file():
    push(b"load batch")
    time.sleep(10000)
def serve(queue):
    queue.put(1)
    read_file()
def next_batch(queue):
    push(b"next batch")
    return queue.get()
if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    context.Process(target=serve, args=(queue,), daemon=True).start()
    push(b"train")
    queue.get()
    next_batch(queue)
"""

# Goes on within the limits: argument 1 says how, argument 2 for how many seconds.
BUSY = """
import ctypes, os, subprocess, sys, time
prof = ctypes.CDLL(None)
how, seconds = sys.argv[1], float(sys.argv[2])
end = time.monotonic() + seconds
prof.prof_range_push(how.encode())
if how == "compile":
    code = "import time; end = time.monotonic() + float(%r)\\nwhile time.monotonic() < end: compile('a = 1\\\\n' * 10000, 'a', 'exec')"
    subprocess.run([sys.executable, "-c", code % seconds], check=True)
if how == "checkpoint":
    with open("checkpoint", "wb") as file:
        while time.monotonic() < end:
            file.write(bytes(1 << 20))
            os.fsync(file.fileno())
            if file.tell() > 64 << 20:
                file.seek(0)
prof.prof_range_pop()
for _ in range(3):
    prof.prof_range_push(b"step")
    time.sleep(0.01)
    prof.prof_range_pop()
"""


def end_group(process):
    """Ends and reaps it and those that it has started. What a process leaves behind becomes this one's child: adopt_orphans()."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    try:
        while True:
            if os.waitpid(-process.pid, os.WNOHANG)[0] == 0:
                os.killpg(process.pid, signal.SIGKILL)
                os.waitpid(-process.pid, 0)
    except ChildProcessError:
        pass


def adopt_orphans():
    if ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0) != 0:  # PR_SET_CHILD_SUBREAPER
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")


def no_process_is_left():
    try:
        return os.waitpid(-1, os.WNOHANG) is None
    except ChildProcessError:
        return True


class Run:
    """The processes of one run, in a directory of their own."""

    def __init__(self, directory):
        self.directory = directory
        self.processes = []
        directory.mkdir()

    def start(self, command, name="run", **variables):
        environment = dict(os.environ, LD_PRELOAD=LIBPROF, PROF_HANG=f"{int(LIMIT_S * 1000)}ms", PROF_LOG="0",
                           PROF_OUTPUT=str(self.directory / f"{name}.%p.prof"), **variables)
        with open(self.directory / "said.txt", "ab") as said:
            process = subprocess.Popen(command, env=environment, cwd=self.directory, stdout=said, stderr=said,
                                       start_new_session=True)
        self.processes.append(process)
        return process

    def alarms(self):
        return [text for text in self.directory.glob("*.hang.txt") if re.search("^end$", text.read_text(), re.M)]

    def report(self):
        return subprocess.run([PROFDUMP, "hang", self.directory], capture_output=True, text=True).stdout

    def end(self):
        for process in self.processes:
            end_group(process)


def named(run, count, patterns, begun):
    """Whether all of the patterns are in the report, how long that took, and why not. It is read until they are: on a loaded
    machine a rank may have waited for a late one first, and recorded that as a hang too."""
    why = ""
    while time.monotonic() < begun + PATIENCE_S:
        alarms = len(run.alarms())
        report = run.report() if alarms >= count else ""
        missing = [pattern for pattern in patterns if not re.search(pattern, report, re.M)]
        if not missing:
            return True, time.monotonic() - begun, ""
        why = f"{alarms} of {count} alarms; {missing} not in:\n{report}"
        time.sleep(0.1)
    return False, time.monotonic() - begun, why


def program(*patterns, command, count=1, **variables):
    def fault(run):
        begun = time.monotonic()
        run.start(command, **variables)
        return named(run, count, patterns, begun)
    return fault


def python(source, *patterns, count=1):
    return program(*patterns, command=[sys.executable, "-c", source], count=count)


def job(odd, *patterns, count, after=None):
    """Four ranks, of which rank 2 is odd."""
    def fault(run):
        begun = time.monotonic()
        (run.directory / "job").mkdir()
        for rank in range(4):
            run.start([PROGRAMS / "hangs", "collective", "job", odd if rank == 2 else ""], f"rank{rank}",
                      RANK=str(rank), WORLD_SIZE="4")
        if after:
            while not all((run.directory / "job" / f"1.{rank}").exists() for rank in range(4)):
                time.sleep(0.01)
            after(run.processes[2])
        return named(run, count, patterns, begun)
    return fault


def kill(process):
    process.kill()
    process.wait()


third = r"^Hang: rank 2 has not entered ncclAllReduce #3 of communicator 0xabcdef"
FAULTS = {
    "deadlock in Python": program("is in train$", "line [0-9]+ in wait_for_b",
                                  command=[sys.executable, Path(__file__).with_name("hang_locks.py")]),
    "deadlock in C": program("is in train step$", "take_lock", "mutex that it holds itself", command=[PROGRAMS / "hangs", "mutex"]),
    "endless loop": program("is in train step$", "compute_forever", command=[PROGRAMS / "hangs", "spin"]),
    "loader that waits": python(LOADER, "is in train > next batch$", "is in load batch$", "in next_batch", "in read_file", count=2),
    "kernel that never ends": program(r"has not seen work\(float\*, int\) end", command=[PROGRAMS / "stuck", "kernel"],
                                      LD_LIBRARY_PATH=SIM_LIB, SIM_KERNEL_NS="3600000000000"),
    "rank that loads": job("sleep", third, "train > load batch", count=4),
    "rank in a deadlock": job("lock", third, "take_lock", count=4),
    "rank in a loop": job("spin", third, "compute_forever", count=4),
    "rank that has ended": job("exit", third + ".*it has ended", count=3),
    "another collective": job("other", "^Hang: rank 2 entered ncclBroadcast #3 .* instead of ncclAllReduce #3", count=4),
    "another size": job("size", "^Hang: rank 2 entered ncclAllReduce #3 .*4.00 KB.* instead of ncclAllReduce #3", count=4),
    "lost rank": job("sleep", "^Hang: rank 2 is gone", count=3, after=kill),
    "stopped rank": job("sleep", "^Hang: rank 2 is stopped", count=3, after=lambda process: process.send_signal(signal.SIGSTOP)),
}


def debugger(run):
    """Longer than the limit in gdb, stopped and running; without gdb only stopped."""
    process = run.start([PROGRAMS / "hangs", "slow", str(int(LIMIT_S * 150))])
    time.sleep(LIMIT_S / 2)
    for _ in range(2):
        if shutil.which("gdb"):
            subprocess.run(["gdb", "-q", "-batch", "-p", str(process.pid), "-ex", f"shell sleep {1.5 * LIMIT_S}"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.5 * LIMIT_S)
        process.send_signal(signal.SIGCONT)
        time.sleep(LIMIT_S / 2)


def goes_on(*command):
    def healthy(run):
        run.start(command).wait()
    return healthy


def busy(how):
    return goes_on(sys.executable, "-c", BUSY, how, str(LIMIT_S / 2))


HEALTHY = {
    "debugger": debugger,
    "compile": busy("compile"),
    "checkpoint": busy("checkpoint"),
    "many limits": goes_on(PROGRAMS / "hangs", "slow", str(int(LIMIT_S * 500))),  # 20 ranges of half a limit
    "nothing to do": goes_on(PROGRAMS / "hangs", "idle", str(int(LIMIT_S * 3000))),
}


def run_fault(name, number):
    run = Run(PROGRAMS / f"fault {name} {number}")
    try:
        return (name, *FAULTS[name](run))
    finally:
        run.end()
        shutil.rmtree(run.directory)


def longest_s(run):
    """The longest range of the run."""
    query = [PROFDUMP, "query", "--format", "tsv", "SELECT max(duration) FROM slices", *run.directory.glob("*.prof")]
    values = subprocess.run(query, check=True, capture_output=True, text=True).stdout.split()[1:]
    return int(values[0]) / 1e9 if values else 0.0


def run_healthy(name, number):
    """The alarms. None was false where a busy machine stretched a range of half the limit to the whole."""
    run = Run(PROGRAMS / f"healthy {name} {number}")
    try:
        HEALTHY[name](run)
        text = "".join(text.read_text() for text in run.alarms())
        if text and name != "debugger" and longest_s(run) >= LIMIT_S:
            print(f"{name}: the machine is busy: a range lasted {longest_s(run):.1f} s")
            text = ""
        return name, text
    finally:
        run.end()
        shutil.rmtree(run.directory)


def main():
    adopt_orphans()
    right, slowest, alarms, healthy = collections.Counter(), collections.Counter(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
        waiting = [pool.submit(run_fault, name, number) for number in range(TIMES) for name in FAULTS]
        quiet = [pool.submit(run_healthy, name, number) for number in range(max(TIMES // 5, 1)) for name in HEALTHY]
        for future in concurrent.futures.as_completed(waiting):
            name, good, took, why = future.result()
            right[name] += good
            slowest[name] = max(slowest[name], took)
            if why:
                print(f"{name}: {why}")
        for future in quiet:
            name, text = future.result()
            healthy += 1
            alarms += text != ""
            if text:
                print(f"{name}: a false alarm:\n{text}")
    if not no_process_is_left():
        sys.exit("a process of a run is left")
    for name in FAULTS:
        print(f"{name}: {right[name]} of {TIMES} named, the slowest after {slowest[name]:.1f} s")
    total, late = len(waiting), [name for name in FAULTS if WITHIN_S and slowest[name] > WITHIN_S]
    print(f"{sum(right.values())} of {total} faults named, the slowest {max(slowest.values()):.1f} s after the start "
          f"at a limit of {LIMIT_S:g} s; {alarms} alarms in {healthy} healthy runs{'; too late: ' + ', '.join(late) if late else ''}")
    return 0 if sum(right.values()) >= 0.9 * total and not alarms and not late else 1


sys.exit(main())
