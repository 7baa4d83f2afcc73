"""Runs PyTorch's own profiler tests against libprof: the same tests, with the import changed.

    TORCH_TESTS=pytorch/test/profiler python3 tests/python/torch_own_tests.py [FILE.py ...]

Wheels of PyTorch contain no tests: the folder is that of a PyTorch checkout. Each file runs twice, as it is and with
libprof's names in place of PyTorch's. What passes as it is must pass with libprof too, or torch_own_tests.txt gives a
reason. Exits with status 1 otherwise, and if a reason is no longer needed. TORCH_TESTS_KEEP=DIR keeps what was run.
"""

from __future__ import annotations

import ast
import fnmatch
import importlib
import os
import subprocess
import sys
import tempfile
import textwrap
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Dict, List

import libprof
import torch
from libprof import autograd
from libprof._profdump import find_program
from torch.autograd import profiler as torch_autograd

FILES = (
    "test_profiler.py", "test_record_function.py", "test_profiler_tree.py", "test_memory_profiler.py", "test_execution_trace.py",
    "test_torch_tidy.py", "test_kineto.py", "test_python_tracer.py",
)  # fmt: skip
REASONS = Path(__file__).with_suffix(".txt")
BY_CHANCE = "By chance: "  # begins the reasons of tests that sometimes pass
TIMEOUT_S = 1500

_OURS = {
    "torch.profiler": {name: "libprof" for name in torch.profiler.__all__ if hasattr(libprof, name)},
    "torch.autograd.profiler": {name: "libprof.autograd" for name in torch_autograd.__all__ if hasattr(autograd, name)},
}
_OURS["torch.profiler.profiler"] = _OURS["torch.profiler"]
_MISSING = "_of_another_pytorch"
_HEADER = f"""
import libprof
import libprof.autograd
def {_MISSING}(*arguments, **keywords):
    return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else {_MISSING}
"""


def _is_there(module: str, name: str) -> bool:
    """Whether the installed PyTorch has what a test of another version imports."""
    try:
        if hasattr(importlib.import_module(module), name):
            return True
        importlib.import_module(f"{module}.{name}")
        return True
    except ImportError:
        return False


def _has(module: str, name: str) -> bool:
    """As above, for MODULE.NAME in the text of a test; True of everything that is no module of PyTorch's."""
    known = sys.modules.get(module) if module.split(".")[0] == "torch" else None
    return known is None or hasattr(known, name)


class _Imports(ast.NodeTransformer):
    """Stands decorators that do nothing in for names that this PyTorch lacks; with `ours`, changes the module of names."""

    def __init__(self, ours: bool) -> None:
        self._ours = ours

    def visit_ImportFrom(self, node: ast.ImportFrom) -> List[ast.stmt]:
        module = node.module or ""
        if node.level or module.split(".")[0] != "torch":
            return [node]
        statements: List[ast.stmt] = []
        for one in node.names:
            source = _OURS.get(module, {}).get(one.name) if self._ours else None
            target = one.asname or one.name
            if source or _is_there(module, one.name):
                statements.append(ast.ImportFrom(source or module, [one], 0))
            else:
                statements.append(ast.parse(f"{target} = {_MISSING}").body[0])
        return statements

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        module = ast.unparse(node.value)
        source = _OURS.get(module, {}).get(node.attr) if self._ours else None
        text = f"{source}.{node.attr}" if source else "" if _has(module, node.attr) else _MISSING
        return ast.copy_location(ast.parse(text, mode="eval").body, node) if text else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Programs that tests run in a process of their own."""
        if self._ours and isinstance(node.value, str) and "import" in node.value and "torch.profiler" in node.value:
            try:
                return ast.copy_location(ast.Constant(changed(textwrap.dedent(node.value), True)), node)
            except SyntaxError:
                pass
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node  # its parts are no programs


def changed(source: str, ours: bool) -> str:
    """The text of a test file, to be run as it is or with libprof's names."""
    tree = ast.parse(source)
    header = ast.parse(_HEADER).body
    body = _Imports(ours).visit(tree).body
    after = next((index for index, node in enumerate(body) if not _comes_first(node)), len(body))
    tree.body = [*body[:after], *header, *body[after:]]
    return ast.unparse(ast.fix_missing_locations(tree))


def _comes_first(node: ast.stmt) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _outcome(case: ElementTree.Element) -> str:
    for kind in ("skipped", "failure", "error"):
        if case.find(kind) is not None:
            return "skipped" if kind == "skipped" else "failed"
    return "passed"


def run(source: Path, ours: bool, folder: Path) -> Dict[str, str]:
    """Outcomes by FILE::CLASS::TEST. `folder` keeps the changed file and what pytest printed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / source.name).write_text(changed(source.read_text(), ours))
    for other in source.parent.glob("*.json"):
        (folder / other.name).write_bytes(other.read_bytes())
    report = folder / f"{source.stem}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", source.name]
    with open(folder / f"{source.stem}.log", "w", encoding="utf-8") as log:
        subprocess.run(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, check=False, timeout=TIMEOUT_S)
    if not report.exists():
        return {f"{source.name}::": "failed"}
    cases = ElementTree.parse(report).iter("testcase")
    return {f"{source.name}::{case.get('classname', '').split('.')[-1]}::{case.get('name')}": _outcome(case) for case in cases}


def reasons(text: str) -> Dict[str, str]:
    """Lines are "FILE::CLASS::TEST  reason", with * and ?; those with # are comments."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {pattern: reason.strip() for pattern, _, reason in (line.partition(" ") for line in lines)}


def judge(theirs: Dict[str, str], ours: Dict[str, str], known: Dict[str, str]) -> List[str]:
    """What is not as expected, as lines."""
    passing = [name for name, outcome in sorted(theirs.items()) if outcome == "passed"]
    failing = [name for name in passing if ours.get(name) != "passed"]
    wrong = [
        f"{name}: passes with torch.profiler, does not with libprof, and has no reason"
        for name in failing
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in known)
    ]
    always = [pattern for pattern, reason in known.items() if not reason.startswith(BY_CHANCE)]
    stale = [pattern for pattern in always if fnmatch.filter(passing, pattern) and not fnmatch.filter(failing, pattern)]
    return wrong + [f"{pattern}: passes with libprof, although it has a reason: {known[pattern]}" for pattern in stale]


def main(names: List[str]) -> int:
    find_program("profdump")  # raises where there is none: each test would fail for that reason
    folder = Path(os.environ["TORCH_TESTS"])
    kept = os.environ.get("TORCH_TESTS_KEEP")
    known = reasons(REASONS.read_text())
    status = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in names or [one for one in FILES if (folder / one).exists()]:
            results = [run(folder / name, ours, Path(kept or scratch, "ours" if ours else "theirs")) for ours in (False, True)]
            theirs, ours = results
            judged = Counter(ours.get(test, "failed") for test, outcome in theirs.items() if outcome == "passed")
            others = Counter(outcome for outcome in theirs.values() if outcome != "passed")
            print(f"{name}: of {sum(judged.values())} that pass with torch.profiler: {dict(judged)}; not judged: {dict(others)}")
            wrong = judge(theirs, ours, known)
            print("".join(f"  {line}\n" for line in wrong), end="")
            status = status or bool(wrong)
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
