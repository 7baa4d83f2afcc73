#!/usr/bin/env python3
"""Breaks lines of the product one at a time, and says which of these faults no test notices.

    tests/mutate/mutate.py [--count 60] [--seed 1] [--folder DIR]... [--work build-mutate] [--table FILE]

Each fault is one change of one line: a comparison that is off by one, a wrong sign, a negated condition, a constant one
larger, swapped arguments, a call or a case left out. Lines are drawn at random, with a fixed seed, from those that have
code in the debug build. A copy of what is committed is built with each fault, and tested until the first test fails: unit
tests, then what runs the built programs. The checkout is not touched.

Results are kept in WORK/results.jsonl: a run that was ended goes on where it was. A fault that does not compile, or that
leaves the object file as it was, does not count, and the next is drawn.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

FOLDERS = ["libprof/src", "cupti", "export/timeline", "export/stats", "export/read"]

TERM = r"[A-Za-z_][A-Za-z0-9_]*(?:(?:->|\.)[A-Za-z_][A-Za-z0-9_]*)*"


@dataclasses.dataclass(frozen=True)
class Operator:
    name: str
    pattern: re.Pattern
    replace: object  # text, or a function of the match


def operator(name, pattern, replace):
    return Operator(name, re.compile(pattern), replace)


OPERATORS = [
    operator("off by one", r" (<=?|>=?) ", lambda m: {"<": " <= ", "<=": " < ", ">": " >= ", ">=": " > "}[m[1]]),
    operator("wrong comparison", r" (==|!=) ", lambda m: " != " if m[1] == "==" else " == "),
    operator("wrong sign", r" ([+-])(=?) ", lambda m: f" {'-' if m[1] == '+' else '+'}{m[2]} "),
    operator("wrong connective", r" (&&|\|\|)(?= |$)", lambda m: " ||" if m[1] == "&&" else " &&"),
    operator("constant one larger", r"(?<![\w.%\"'])(\d+)(u|ull)?(?![\w.\"'])",
             lambda m: f"{int(m[1]) + 1}{m[2] or ''}"),
    operator("negated condition", r"\b(if|while) \((?=.*\)(?: \{)?$)(.*)\)( \{)?$",
             lambda m: f"{m[1]} (!({m[2]})){m[3] or ''}"),
    operator("swapped arguments", rf"\(({TERM}), ({TERM})(?=[,)])", lambda m: f"({m[2]}, {m[1]}"),
    operator("wrong result", r"return (true|false);", lambda m: f"return {'false' if m[1] == 'true' else 'true'};"),
    operator("call left out", rf"^(\s+){TERM}\(.*\);$", lambda m: f"{m[1]};"),
    operator("assignment left out", rf"^(\s+){TERM}(\[[^]]*\])? [-+|&]?= .*;$", lambda m: f"{m[1]};"),
    operator("case left out", r"^(\s+)case [A-Z_0-9]+:$", lambda m: m[1]),
]


@dataclasses.dataclass(frozen=True)
class Fault:
    file: str
    line: int
    operator: str
    before: str
    after: str


def run(command, log, limit=None, **options):
    """The status of a command; 124 when it takes longer than `limit` seconds."""
    log.write(f"\n$ {' '.join(map(str, command))}\n")
    log.flush()
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, **options)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return 124


class Build:
    """A copy of what is committed, and its builds."""

    def __init__(self, work, jobs):
        self.work, self.jobs = work, jobs
        self.tree, self.build = work / "tree", work / "tree" / "build"
        self.broken = work / "broken.txt"  # the file with the fault, and its text without
        self.digests = {}
        self.log = open(work / "log.txt", "a")

    def prepare(self):
        if not self.tree.is_dir():
            self.tree.mkdir(parents=True)
            archive = subprocess.run(["git", "archive", "HEAD"], check=True, stdout=subprocess.PIPE).stdout
            subprocess.run(["tar", "-x", "-C", self.tree], check=True, input=archive)
        elif self.broken.exists():  # the run before ended within a fault
            file, _, original = self.broken.read_text().partition("\n")
            (self.tree / file).write_text(original)
        configured = run(["cmake", "--preset", "release", "-DCMAKE_C_FLAGS=-g1", "-DPROF_TESTS_BY_FOLDER=ON"], self.log, cwd=self.tree)
        if configured != 0 or not self.make():
            sys.exit(f"mutate: what is committed does not build: {self.work}/log.txt")

    def make(self):
        return run(["cmake", "--build", self.build, "-j", str(self.jobs)], self.log, 1200) == 0

    def objects(self, file):
        found = self.build.rglob(f"{pathlib.Path(file).name}.o")
        return [path for path in found if f"/{pathlib.Path(file).parent.name}" in f"/{path}"]

    def digest(self, file):
        """Of the machine code: debug information names lines and columns."""
        code = hashlib.sha256()
        for path in sorted(self.objects(file)):
            code.update(subprocess.run(["objdump", "-dr", "--no-show-raw-insn", path], check=True,
                                       stdout=subprocess.PIPE).stdout)
            code.update(subprocess.run(["objdump", "-s", "-j", ".rodata", "-j", ".data", path],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
        return code.hexdigest()

    def digest_without_fault(self, file):
        if file not in self.digests:
            self.digests[file] = self.digest(file)
        return self.digests[file]

    def lines_with_code(self, file):
        lines = set()
        for path in self.objects(file):
            text = subprocess.run(["objdump", "--dwarf=decodedline", path], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout
            lines.update(int(m[1]) for m in re.finditer(rf"^{re.escape(pathlib.Path(file).name)}\s+(\d+)\s", text, re.M))
        return lines

    def ctest(self, limit, *options):
        """Stops at the first test that fails, and returns its name for ctest and its own, or None."""
        output = self.work / "test.txt"
        with open(output, "w") as log:
            status = run(["ctest", "--test-dir", self.build, "-j", str(self.jobs), "--stop-on-failure",
                          "--output-on-failure", *options],
                         log, limit)
        if status == 0:
            return None
        text = output.read_text(errors="replace")
        failed = re.search(r"^\s*\d+ - (\S.*) \((?!Skipped)", text.partition("tests FAILED:")[2], re.M)
        if not failed:
            return None, f"status {status} of ctest {' '.join(options)}"
        of_folder = re.search(r"^\[  FAILED  \] ([^ ,]+)", text, re.M) if failed[1].endswith("/all") else None
        return failed[1], failed[1][:-len("all")] + of_folder[1] if of_folder else failed[1]

    def failing_test(self, stages, limit):
        """The first test that fails, also when it is run again alone; or None."""
        for stage in stages:
            by_chance = []
            while failed := self.ctest(limit, *stage, *by_chance):
                exact = f"^{re.escape(failed[0] or '')}$"
                if failed[0] is None or self.ctest(limit, "-R", exact):
                    return failed[1]
                by_chance = ["-E", "|".join([*by_chance[1:], exact])]
        return None


def is_code(line):
    text = line.strip()
    return text and not text.startswith(("/*", "*", "//", "#", "_Static_assert")) and "/*" not in text


def faults_of(file, lines, with_code):
    for number, line in enumerate(lines, 1):
        if number not in with_code or not is_code(line):
            continue
        for op in OPERATORS:
            for match in op.pattern.finditer(line):
                replaced = op.replace(match) if callable(op.replace) else op.replace
                after = line[: match.start()] + replaced + line[match.end():]
                if after != line:
                    yield Fault(file, number, op.name, line, after)


def draw(build, folders, seed):
    """All faults in random order: first a line, each with the same chance, then one fault of that line."""
    listed = subprocess.run(["git", "ls-files", *folders], check=True, text=True, stdout=subprocess.PIPE).stdout
    by_line = {}
    for file in listed.split():
        if not file.endswith(".c"):
            continue
        lines = (build.tree / file).read_text().splitlines()
        for fault in faults_of(file, lines, build.lines_with_code(file)):
            by_line.setdefault((file, fault.line), []).append(fault)
    order = sorted(by_line)
    chance = random.Random(seed)
    chance.shuffle(order)
    return [chance.choice(by_line[place]) for place in order]


def judge(build, fault, stages, limit):
    """"no code", "does not compile", the name of the test that fails, or None."""
    path = build.tree / fault.file
    original = path.read_text()
    lines = original.splitlines(keepends=True)
    before = build.digest_without_fault(fault.file)
    lines[fault.line - 1] = fault.after + "\n"
    build.broken.write_text(f"{fault.file}\n{original}")
    path.write_text("".join(lines))
    try:
        if not build.make():
            return "does not compile"
        if build.digest(fault.file) == before:
            return "no code"
        return build.failing_test(stages, limit)
    finally:
        path.write_text(original)  # built with the next fault
        build.broken.unlink()


def read_results(path):
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def counts(results):
    judged = [result for result in results if result["found"] not in ("no code", "does not compile")]
    return judged, [result for result in judged if result["found"] is None]


def table(results):
    yield "| Line | Fault | Noticed by |"
    yield "|---|---|---|"
    for result in counts(results)[0]:
        code = f"{result['before'].strip()} → {result['after'].strip()}".replace("|", "\\|")
        yield (f"| {result['file']}:{result['line']} | {result['operator']}: `{code}` | "
               f"{result['found'] or '**nothing**'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", action="append")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build-mutate"))
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=1800, help="seconds for each stage of the tests")
    options = parser.parse_args()
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    options.work.mkdir(parents=True, exist_ok=True)
    build = Build(options.work.resolve(), options.jobs)
    build.prepare()
    stages = [["-L", "unit"], ["-L", "cli|judge|query|formats"], ["-LE", "unit|layout|long|cli|judge|query|formats"]]
    path = options.work / "results.jsonl"
    results = read_results(path)
    done = {(result["file"], result["line"]) for result in results}
    for fault in draw(build, options.folder or FOLDERS, options.seed):
        if len(counts(results)[0]) >= options.count:
            break
        if (fault.file, fault.line) in done:
            continue
        begin = time.monotonic()
        found = judge(build, fault, stages, options.limit)
        results.append({**dataclasses.asdict(fault), "found": found})
        with open(path, "a") as out:
            out.write(json.dumps(results[-1]) + "\n")
        judged, missed = counts(results)
        print(f"{len(judged)}/{options.count} {fault.file}:{fault.line} {fault.operator}: {found or 'NOT NOTICED'} "
              f"({time.monotonic() - begin:.0f} s; {len(missed)} not noticed so far)", flush=True)
    judged, missed = counts(results)
    if options.table:
        options.table.write_text("\n".join(table(results)) + "\n")
    print(f"{len(judged) - len(missed)} of {len(judged)} faults were noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
