"""PyTorch's own profiler tests, where TORCH_TESTS names their folder; elsewhere, what runs them is tried alone."""

# long: it runs a hundred tests of PyTorch's
# packages: torch==2.13.0+cpu numpy expecttest

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
sys.path.insert(0, str(Path(os.environ["SOURCE_DIR"], "tests", "python")))
import torch_own_tests  # noqa: E402

SAMPLE = '''"""A test file of a PyTorch."""
from __future__ import annotations
import unittest
import torch
from torch.profiler import profile, schedule as plan, _utils
from torch.autograd.profiler import profile as old
from torch.testing import skip_on_a_machine_that_nobody_has

class Sample(unittest.TestCase):
    @skip_on_a_machine_that_nobody_has
    def test_module(self):
        with profile() as prof, torch.profiler.record_function("x"):
            pass
        self.assertIn(type(prof).__module__.split(".")[0], ("libprof", "torch"))
        self.assertEqual(_utils.__name__, "torch.profiler._utils")
        self.assertEqual(plan.__module__.split(".")[0], old.__module__.split(".")[0])

    def test_internals(self):
        with torch.profiler.profile() as prof:
            pass
        prof.profiler.kineto_results.trace_activities()

    def test_broken(self):
        self.fail()

    @unittest.skip("never")
    def test_skipped(self):
        pass
'''


def test_the_import_is_changed() -> None:
    text = torch_own_tests.changed(SAMPLE, ours=True)
    for line in ("from libprof import profile", "from libprof import schedule as plan", "from torch.profiler import _utils",
                 "from libprof.autograd import profile as old", "libprof.record_function('x')"):  # fmt: skip
        assert line in text, text
    assert "libprof.p" not in torch_own_tests.changed(SAMPLE, ours=False)


def test_results_are_judged(tmp_path: Path) -> None:
    sample = tmp_path / "test_sample.py"
    sample.write_text(SAMPLE)
    theirs, ours = (torch_own_tests.run(sample, which, tmp_path / str(which)) for which in (False, True))
    names = {name: f"test_sample.py::Sample::test_{name}" for name in ("module", "internals", "broken", "skipped")}
    assert theirs == {names["module"]: "passed", names["internals"]: "passed", names["broken"]: "failed", names["skipped"]: "skipped"}
    assert ours == {**theirs, names["internals"]: "failed"}
    (unknown,) = torch_own_tests.judge(theirs, ours, {})
    assert unknown.startswith(names["internals"]) and unknown.endswith("has no reason")
    assert torch_own_tests.judge(theirs, ours, {"test_sample.py::*::test_int*": "internal"}) == []
    reasons = torch_own_tests.reasons(f"# comment\n\n{names['internals']}  internal\n{names['module']}  once\n")
    (stale,) = torch_own_tests.judge(theirs, ours, reasons)
    assert stale == f"{names['module']}: passes with libprof, although it has a reason: once"
    assert torch_own_tests.judge(theirs, ours, {**reasons, names["module"]: "By chance: twice"}) == []


def test_pytorchs_own(capsys: Any) -> None:
    if "TORCH_TESTS" not in os.environ:
        pytest.skip("TORCH_TESTS does not name the folder test/profiler of a PyTorch checkout")
    assert torch_own_tests.main([]) == 0, capsys.readouterr().out
