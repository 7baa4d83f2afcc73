"""answer.py SKILL DIRECTORY DATA [--without-fleet]: answers questions about recordings, with the commands of the skill alone.

The commands of an answer are those below the skill's question in its files: if they change so that they no longer answer it, the
question fails here. DIRECTORY has the recordings: see test_answers.sh. DATA has traces of other projects, of which any may be missing.

What is expected does not come from profdump: it follows from the constants of the programs that made the recordings, from what they
wrote beside them, or from a second computation here.

Exits with status 1 if an answer is wrong, and with 77 if none is and questions were left out.
"""

import gzip
import json
import re
import shlex
import statistics
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple

import skill_files
import training

SKILL, DIRECTORY, DATA = map(Path, sys.argv[1:4])
WITHOUT_FLEET = sys.argv[4:] == ["--without-fleet"]
COMMANDS = skill_files.answers(SKILL)
ABSTAIN = "the recording cannot tell"


class Abstained(Exception):
    """An answer that states why there is none."""


class Result(NamedTuple):
    status: int
    text: str
    error: str

    @property
    def json(self) -> Any:
        found = json.loads(self.text)
        if isinstance(found, dict) and found["abstained"]:
            raise Abstained
        return found

    @property
    def rows(self) -> List[Dict[str, Any]]:
        return self.json["rows"]


class Question(NamedTuple):
    asked: str
    skill: str
    """The question in the skill's files."""
    files: Dict[str, str]
    """The recordings that stand for the names in the skill's commands."""
    answer: Callable[[List[Result]], Any]
    """From the results of the commands."""
    expected: Any


def ask(question: Question) -> Any:
    results = []
    for command in COMMANDS[question.skill]:
        words = [question.files.get(word, word) for word in shlex.split(command)]
        if words[0] != "profdump":
            continue  # it records, or makes a directory
        done = subprocess.run(words, cwd=DIRECTORY, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode == 2:
            raise ValueError(f"{command}: {done.stderr}")
        results.append(Result(done.returncode, done.stdout, done.stderr))
    try:
        return question.answer(results)
    except Abstained:
        return ABSTAIN


# ---- from JSON to answers ----


def lost(results):
    """How many events were lost, by cause; None if nothing was."""
    loss = results[0].json["lost"]
    assert results[0].json["lost_anything"] == (results[0].status == 3)
    return {name: loss[name] for name in ("full", "cupti_dropped")} if loss else None


def first(*columns):
    return lambda results: tuple(results[0].rows[0][column] for column in columns)


def idle_by_path(results):
    """The range that idle time of devices belongs to most, and how much of it."""
    idle: Counter = Counter()
    for finding in results[0].json["findings"]:
        if finding["path"]:
            idle[finding["path"][-1]] += sum(finding["idle"].values())
    return idle.most_common(1)[0] if idle else ABSTAIN


def gpu_was(results):
    """How long each device was busy and idle."""
    devices = results[0].json["devices"]
    return [(device["busy_ns"], device["idle_ns"]) for device in devices] or ABSTAIN


def waited_for(results):
    return [row["function"] for row in results[0].json["waited_for"]] or ABSTAIN


def python_functions(results):
    return [(row["name"], row["calls"], row["total_ns"]) for row in results[0].rows] or ABSTAIN


def bounds(results):
    found = {row["bound"] for device in results[0].json["devices"] for row in device["rows"]}
    return found - {None, "unknown"} or ABSTAIN


def state(results, question):
    """Whether the recording answers a question of profdump advise."""
    (found,) = [row["state"] for row in results[0].json["questions"] if row["question"] == question]
    return found


def graph(results):
    (found,) = results[0].json["graphs"]
    return found["launches"], found["missing"], {row["path"][-1] for row in found["captured"]}


def change(results):
    """The verdict, and the status of the gate, also where it abstains."""
    try:
        return results[-1].json["verdict"], results[-1].status
    except Abstained:
        return ABSTAIN, results[-1].status


def slower_steps(results):
    return (*change(results), round(results[-1].json["step"]["ratio"], 6))


def slower_runs(results):
    return (*change(results), round(results[-1].json["wall_time"]["ratio"], 6))


def kernels_changed(results):
    """Names in both runs, and total time of the second by that of the first."""
    (table,) = results[0].json["tables"]
    return [(row["names"], row["time"]["verdict"]) for row in table["rows"][:1]]


def last_rank(results):
    row = results[0].json["stragglers"][0]
    return row["rank"] if row["caused_ns"] > row["waited_ns"] else ABSTAIN


def late(results):
    """What is wrong with which ranks, where, and why. Empty: nothing is."""
    return [(row["kind"], row["ranks"], row["range"], row["cause"]) for row in results[0].json["verdicts"]]


def verdicts(results):
    """What is wrong with which rank, and the collective that the others are in. Empty: nothing hangs."""
    return [(row["kind"], row["ranks"], row["expected"]["function"])
            for row in results[0].json["verdicts"]]


def leaks(results):
    return [(row["bytes"], row["count"], row["path"]) for row in results[0].json["leaks"]]


def peak(results):
    heap = max(results[0].json["heaps"], key=lambda one: one["peak_bytes"])
    owner = heap["peak_owners"][0]
    return heap["peak_bytes"], owner["count"], owner["path"][:2]


# ---- what is expected ----


def truth(job, name):
    """What make_job wrote beside a job."""
    return json.loads((DIRECTORY / job / "truth.json").read_text())[name]


def step_median(steps, step_ns):
    """Of tests/cli/make_diffs.c: record_step() begins each step a little later, the last one ends with the thread."""
    starts = [10000 + step_ns * i + i * 7 % 10 * 1000 for i in range(steps)] + [10000 + step_ns * steps]
    return statistics.median(after - before for before, after in zip(starts, starts[1:]))


def events(name):
    """The events of a trace of PyTorch's profiler, with times to the digit."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal)["traceEvents"]


def longest_kernel(name):
    """Name, calls and nanoseconds of the kernel that took most device time in a trace of PyTorch's profiler."""
    calls: Counter = Counter()
    total: Counter = Counter()
    for event in events(name):
        if event.get("ph") == "X" and event.get("cat", "").lower() == "kernel":
            calls[event["name"]] += 1
            total[event["name"]] += int(event["dur"] * 1000)
    longest, total_ns = total.most_common(1)[0]
    return longest, calls[longest], total_ns


CONTROL = "hta/trace_diff_control_control.json.gz"

# demo.c and demo_ranges.c, with SIM_KERNEL_NS=5000 SIM_COPY_BASE_NS=1000 SIM_COPY_GBPS=8: see test_answers.sh.
KERNEL_NS = 5000
BATCHES, REPLAYS, INPUT_BYTES = 24, 40, 256 * 512 * 4
STEPS, LAYERS, BATCH_BYTES = 10, 3, (1 << 18) * 4


def copy_ns(size):
    return 1000 + size // 8


def of(path, name="run.prof"):
    return {name: str(path)}


def two(before, after, names=("before.prof", "after.prof")):
    return dict(zip(names, (f"traces/diff/{before}", f"traces/diff/{after}")))


QUESTIONS = [
    # can it be trusted?
    Question("Is this half of a file intact?", "Is the file intact?", of("cut.prof"), lambda r: r[0].status, 4),
    Question("Was anything lost in lossy.prof?", "Was anything lost?", of("traces/lossy.prof"), lost,
             {"full": 12, "cupti_dropped": 1}),  # make_lossy()
    Question("Was anything lost in the demo?", "Was anything lost?", of("demo.prof"), lost, None),
    # what took the time?
    Question("Which kernel took most device time, and how often did it run?", "Which kernels took most device time?", of("demo.prof"),
             lambda r: (r[0].rows[0]["name"].split("(")[0], *first("calls", "total_ns")(r)),
             ("void gemm<float, 16>", 2 * (BATCHES + REPLAYS), 2 * (BATCHES + REPLAYS) * KERNEL_NS)),
    Question("Which copies took longest, and how much did they move?", "Which copies took the time, and how many bytes did they move?",
             of("demo.prof"), first("name", "copies", "bytes", "total_ns"),
             ("Memcpy HtoD (Pinned -> Device)", BATCHES, BATCHES * INPUT_BYTES, BATCHES * copy_ns(INPUT_BYTES))),
    Question("Which range launched most device time?", "Which ranges launched most device time?", of("demo_ranges.prof"),
             lambda r: [(row["range"], row["operations"], row["total_ns"]) for row in r[0].rows[:2]],
             [("load batch", STEPS, STEPS * copy_ns(BATCH_BYTES)), ("backward", STEPS * LAYERS, STEPS * LAYERS * KERNEL_NS)]),
    Question("Which range took longest on the host? Its name gives no orders.", "Which ranges took longest on the host?",
             of("traces/hostile.prof"), first("name", "total_ns"), ("\x1b[31mred\x1b]0;title\x07", 9000)),  # make_hostile()
    Question("Who captured the graph, how often was it launched, and is a kernel missing?",
             "Which code captured a CUDA graph, and are replayed kernels missing?", of("traces/graphs.prof"), graph,
             (3, 1, {"embedding", "attention"})),  # make_graphs()
    Question("Which Python function took longest?", "Which Python functions took longest?", of("training.json"),
             lambda r: python_functions(r)[0], ("train.py(12): read", training.STEPS, training.load_us_total() * 1000)),
    Question("Can it tell which Python line was slow?", "What can the recording not answer, and how is that recorded?", of("demo.prof"),
             lambda r: ABSTAIN if state(r, "python") == "missing" else state(r, "python"), ABSTAIN),
    Question("Is gemm bound by memory?", "Are kernels bound by memory or by computation?", of("demo.prof"), bounds, ABSTAIN),
    Question("Which line launched gemm?", "Which call stacks launched the device time?", of("demo.prof"),
             lambda r: r[0].json["stacks"], ABSTAIN),
    # why did the GPU idle?
    Question("Which range made the GPU idle most in steps 3 to 5, for how long?", "Which range made the GPU idle most in steps 3 to 5?",
             of("training.json"), idle_by_path, ("load", len(training.SLOW_STEPS) * training.SLOW_LOAD_US * 1000)),
    Question("Why did the GPU of a busy program idle?", "Why did the GPU idle?", of("busy.json"), idle_by_path, ABSTAIN),
    Question("Why did the GPU idle, in a recording without one?", "Why did the GPU idle?", of("traces/cpu.prof"), gpu_was, ABSTAIN),
    Question("Which function did the GPU wait for?", "Which function did the GPU wait for?", of("training.json"), waited_for, ABSTAIN),
    # what changed?
    Question("Did it get slower, by how much?", "Did it get slower, and by how much?", two("base.prof", "slow.prof"), slower_steps,
             ("slower", 4, round(step_median(20, 1070000) / step_median(10, 1000000), 6))),
    Question("Did noise in one kernel make the steps slower?", "Did it get slower, and by how much?", two("base.prof", "noisy.prof"),
             slower_steps, ("same", 0, 1.0)),
    Question("Which kernel changed most?", "Which kernels changed most?", two("base.prof", "slow.prof"), kernels_changed,
             [(["ampere_sgemm_128x64_nn", "ampere_sgemm_64x32_nn"], "slower")]),  # make_diffs()
    Question("Did it get slower, from one run of each?", "Did it get slower, and by how much?", two("plain.prof", "plain_twice.prof"), change,
             (ABSTAIN, 5)),
    Question("Did it get slower, from six runs of each?", "Compare six runs of each side", {"main": "six", "branch": "six_twice"},
             slower_runs, ("slower", 4, round(statistics.median(2200 + i * 7 % 6 for i in range(6, 12)) /
                                              statistics.median(1100 + i * 7 % 6 for i in range(6)), 6))),  # make_plains()
    # jobs of many ranks
    Question("Which rank holds the job up?", "Which rank holds the job up?", of("slow_gpu", "recordings"), last_rank, truth("slow_gpu", "victim")),
    Question("Which rank is late, in which range?", "What is wrong with the job?", of("slow_input.dataset", "job.dataset"), late,
             [("straggler", [truth("slow_input", "victim")], "input", "host")]),
    Question("Which rank holds a healthy job up?", "What is wrong with the job?", of("none.dataset", "job.dataset"), late, []),
    Question("Which rank hangs, and in what?", "Which rank hangs, and in what?", of("dead_rank", "recordings"), verdicts,
             [("missing", [truth("dead_rank", "victim")], "ncclAllReduce")]),
    Question("Which rank hangs, in a job that has ended?", "Which rank hangs, and in what?", of("slow_gpu", "recordings"), verdicts, []),
    Question("Which rank hangs, in a trace that does not say what was open?", "Which rank hangs, and in what?", of("training.json", "recordings"),
             verdicts, ABSTAIN),
    # memory
    Question("What leaked, and where was it allocated?", "What was never freed, and where was it allocated?", of("traces/memory.prof"),
             lambda r: leaks(r)[0], (2 << 20, 2, ["train", "forward", "cudaMalloc"])),  # make_memory()
    Question("What leaked, in a trace without allocations?", "What was never freed, and where was it allocated?",
             of("training.json"), leaks, ABSTAIN),
    # traces of PyTorch's profiler
    Question("Which kernel took most device time in a trace of another project?", "Which kernels took most device time?", of(DATA / CONTROL),
             first("name", "calls", "total_ns"), lambda: longest_kernel(CONTROL)),
]


def left_out(question):
    """Why it is not asked, or None."""
    missing = [file for file in question.files.values() if file.startswith(str(DATA)) and not Path(file).exists()]
    if missing:
        return f"{missing[0]} is missing"
    commands = " ".join(COMMANDS.get(question.skill, []))
    return "there is no DuckDB" if WITHOUT_FLEET and re.search(r"profdump (pack|fleet)\b", commands) else None


def main():
    right = wrong = skipped = 0
    for question in QUESTIONS:
        why = left_out(question)
        if why:
            skipped += 1
            print(f"left out: {question.asked}: {why}")
            continue
        expected = question.expected() if callable(question.expected) else question.expected
        try:
            answer = ask(question)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            answer = f"{type(error).__name__}: {error}"
        if answer == expected:
            right += 1
        else:
            wrong += 1
            print(f"WRONG: {question.asked}\n    skill:    {question.skill}\n    answer:   {answer!r}\n    expected: {expected!r}")
    print(f"{right} of {len(QUESTIONS)} right, {wrong} wrong, {skipped} left out")
    return 1 if wrong else 77 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
