"""Runs the programs of tests/python/scripts under torch.profiler and under libprof, with the import changed, and compares.

    python3 tests/python/torch_scripts.py [NAME ...]                       lists differences without a reason
    python3 tests/python/torch_scripts.py --page docs/torch_scripts.md     also writes the page

It converts a program's results to facts: printed lines, columns, rows and footers of tables, warnings, exit status, and
events of traces. It ignores times. Each fact that only one of the two profilers shows needs a reason in
torch_scripts.txt.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import fnmatch
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

from torch_own_tests import changed

SCRIPTS = Path(__file__).with_name("scripts")
REASONS = Path(__file__).with_suffix(".txt")
SIDES = ("theirs", "ours")
TIMEOUT_S = 300

# Also addresses, and figures that transformers.Trainer prints as texts, which may be whole numbers.
_TIME = re.compile(r"-?\d+\.\d+(?:e[+-]\d+)?(?:[munµ]?s|%)?|\b0x[0-9a-f]+|(?<=': ')\d+(?=')")
# Whether another thread's range ended before the profile did is chance.
_BY_CHANCE = {("user_annotation", "finished")}
_RULE = re.compile(r"-+(?:  -+)+\s*")
_COMPARED = ("# of Calls", "Mem", "FLOPs", "Input Shapes", "Node ID")


class Difference(NamedTuple):
    """A fact that one side of a script has and the other lacks."""

    script: str
    side: str
    fact: str


class Reason(NamedTuple):
    """Why facts differ. `verdict` is "better" or "stated"."""

    verdict: str
    text: str
    patterns: List[Difference]


def names() -> List[str]:
    """The scripts."""
    return sorted(path.stem for path in SCRIPTS.glob("*.py"))


def summary(name: str) -> str:
    """What a script is, by its first line."""
    return (ast.get_docstring(ast.parse((SCRIPTS / f"{name}.py").read_text())) or "").splitlines()[0]


# ---- facts ----


def _cells(line: str, rule: str) -> List[str]:
    return [line[match.start() : match.end()].strip() for match in re.finditer("-+", rule)]


def _table_facts(lines: List[str], number: int) -> Iterator[str]:
    """Facts of a table, from its first rule to its last, each once."""
    columns = _cells(lines[1], lines[0])
    for before, column in zip(["none", *columns], columns):
        yield f"table {number} column: {column} after {before}"
    for line in lines[3:-1]:
        cells = dict(zip(columns, _cells(line, lines[0])))
        shown = [f"{key}={cells[key]}" for key in sorted(columns) if any(word in key for word in _COMPARED)]
        yield f"table {number} row: {cells['Name']} {' '.join(shown)}"


def _printed_facts(text: str) -> Iterator[str]:
    lines, table, number = text.splitlines(), 0, 0
    while lines:
        rules = [index for index, line in enumerate(lines[:2000]) if _RULE.fullmatch(line) or line == lines[0]]
        if _RULE.fullmatch(lines[0]) and len(rules) >= 3:
            end = rules[2] + 1
            table += 1
            yield from _table_facts(lines[:end], table)
            lines = lines[end:]
            continue
        if line := lines.pop(0).strip():
            number += 1
            yield f"line: {_TIME.sub('#', line)}"


def _trace_facts(name: str, trace: Dict[str, Any]) -> Iterator[str]:
    for key in trace:
        yield f"{name} key: {key}"
    calls: Counter[str] = Counter()
    details = set()
    for event in trace["traceEvents"]:
        kind, what = event.get("cat", ""), event.get("name", "")
        if event["ph"] == "M":
            what = f"{what} {list(event.get('args', {}))}"
        elif kind in ("python_function", "Trace"):
            what = "..."
        calls[f"{event['ph']} {kind} {re.sub('[0-9]{3,}', '#', what)}"] += 1
        shown = [] if event["ph"] == "M" else [key for key in event.get("args", {}) if (kind, key) not in _BY_CHANCE]
        details |= {f"{name} argument: {event['ph']} {kind} {key}" for key in shown}
    for event, number in calls.items():
        several = "" if "python_function" in event or event.startswith("M") else f" x{number}"
        yield f"{name} event: {event}{several}"
    yield from sorted(details)


def _file_facts(path: Path) -> Iterator[str]:
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    if ".json" in path.name:
        trace = json.loads(content)
        name = re.sub("[0-9]{5,}", "#", path.name)
        if isinstance(trace, dict) and "traceEvents" in trace:
            yield from _trace_facts(name, trace)
        else:
            yield f"{name}: {type(trace).__name__}"
    elif path.name.startswith("stacks"):
        for line in sorted({line.rpartition(" ")[0] for line in content.decode().splitlines()}):
            yield f"{path.name} line: {line}"


def _facts(script: str, side: str, folder: Path) -> List[str]:
    """Runs a script in a folder of its own."""
    folder.mkdir(parents=True)
    program = folder / f"{script}.py"
    program.write_text(changed((SCRIPTS / program.name).read_text(), side == "ours"))
    done = subprocess.run(
        [sys.executable, program.name], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )  # fmt: skip
    (folder / "stdout").write_text(done.stdout)
    (folder / "stderr").write_text(done.stderr)
    facts = list(_printed_facts(done.stdout.replace(str(folder), ".")))
    facts += [f"warning: {line.partition('Warning: ')[2]}" for line in done.stderr.splitlines() if "Warning: " in line]
    if done.returncode:
        facts.append(f"status {done.returncode}: {(done.stderr.splitlines() or [''])[-1]}")
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".json", ".gz", ".txt"):
            facts += _file_facts(path)
    return facts


def differences(script: str, folder: Path) -> Tuple[int, List[Difference]]:
    """The number of equal facts, and the facts that differ."""
    theirs, ours = (Counter(_facts(script, side, folder / side)) for side in SIDES)
    only = [Difference(script, "theirs", fact) for fact in (theirs - ours).elements()]
    return sum((theirs & ours).values()), only + [Difference(script, "ours", fact) for fact in (ours - theirs).elements()]


# ---- reasons ----


def reasons(text: str) -> List[Reason]:
    """Blocks of "VERDICT: TEXT" and, indented, lines of "SCRIPT SIDE FACT" with * and ?; lines with # are comments."""
    found: List[Reason] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            script, side, fact = line.split(None, 2)
            found[-1].patterns.append(Difference(script, side, fact))
        else:
            verdict, _, why = line.partition(": ")
            found.append(Reason(verdict, why, []))
    return found


def _explains(pattern: Difference, difference: Difference) -> bool:
    return all(fnmatch.fnmatchcase(value, wanted) for value, wanted in zip(difference, pattern))


def reason_of(difference: Difference, known: List[Reason]) -> "Reason | None":
    """The first reason that covers a difference."""
    return next((reason for reason in known if any(_explains(one, difference) for one in reason.patterns)), None)


def stale(found: List[Difference], known: List[Reason], scripts: List[str]) -> List[Difference]:
    """Patterns for `scripts` that match no difference."""
    patterns = [pattern for reason in known for pattern in reason.patterns if pattern.script in scripts]
    return [pattern for pattern in patterns if not any(_explains(pattern, one) for one in found)]


# ---- the page ----

_PAGE = """# {count} PyTorch scripts under both profilers

Each script of `tests/python/scripts` runs under torch.profiler of PyTorch {version} and, with the import changed, under libprof. The
comparison covers what a user sees: printed lines, tables, warnings, exit status, and traces' events with their arguments. It ignores times.
`tests/python/torch_scripts.py` writes this page. A test fails on a difference that is not listed here.

| script | what it does | the same | different |
|---|---|--:|--:|
"""


def markdown(results: Dict[str, Tuple[int, List[Difference]]], known: List[Reason], version: str) -> str:
    """The page."""
    page = _PAGE.format(count=len(results), version=version)
    for name, (same, found) in results.items():
        page += f"| `{name}` | {summary(name)} | {same} | {len(found)} |\n"
    for verdict, title in (("better", "What is better"), ("stated", "What differs")):
        page += f"\n## {title}\n\n| | torch.profiler only | libprof only |\n|---|---|---|\n"
        for reason in (one for one in known if one.verdict == verdict):
            shown = {}
            for side in SIDES:
                facts = [one.fact for _, found in results.values() for one in found if one.side == side and reason_of(one, known) is reason]
                first = min(facts, key=lambda fact: (len(fact), fact), default="")
                shown[side] = f"{len(facts)}, as `{first[:80].replace('|', chr(92) + '|')}`" if facts else ""
            page += f"| {reason.text} | {shown['theirs']} | {shown['ours']} |\n"
    return page


def main(words: List[str]) -> int:
    """Exit status 1 if a difference has no reason."""
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--page", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(words)
    known = reasons(REASONS.read_text())
    results, status = {}, 0
    with contextlib.ExitStack() as stack:
        folder = Path(os.environ.get("TORCH_SCRIPTS_KEEP") or stack.enter_context(tempfile.TemporaryDirectory()))
        for name in options.names or names():
            same, found = results[name] = differences(name, folder / name)
            unknown = [one for one in found if not reason_of(one, known)]
            status |= bool(unknown)
            print(f"{name}: {same} facts are the same, {len(found)} differ, {len(unknown)} of them have no reason")
            print("".join(f"  {one.side}: {one.fact}\n" for one in unknown), end="")
    if options.page:
        options.page.write_text(markdown(results, known, torch.__version__.partition("+")[0]))
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
