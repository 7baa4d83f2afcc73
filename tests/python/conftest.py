"""What the tests of the Python package share."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Callable, Mapping, Optional

import pytest

RunPython = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def shared_dir() -> Path:
    """The directory of data and documents beside the checkout; skips where it is not."""
    path = Path(os.environ["SOURCE_DIR"]).parent / "shared"
    if not path.exists():
        pytest.skip("there is no ../shared beside the checkout")
    return path


def schema_faults(answer: object, command: str) -> "list[str]":
    """What is wrong with the JSON of a command, by its schema."""
    sys.path.insert(0, os.environ["SOURCE_DIR"] + "/tests/cli")
    from schema_faults import faults, load

    return list(faults(answer, load(os.environ["LIBPROF_BIN"] + "/profdump", command), command))


@pytest.fixture(scope="session")
def demo_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of a program that trains on the simulated CUDA; skips where there was no nvcc to build it."""
    program = Path(os.environ["EXAMPLES_DIR"]) / "demo_ranges"
    if not program.exists():
        pytest.skip("demo_ranges was not built: there is no nvcc")
    path = tmp_path_factory.mktemp("demo") / "demo.prof"
    profrun = [os.environ["LIBPROF_BIN"] + "/profrun", "--sim", "--no-table", "-o", str(path), "--", str(program)]
    subprocess.run(profrun, check=True, capture_output=True)
    return path


@pytest.fixture
def run_python(tmp_path: Path) -> RunPython:
    """Runs a Python program, given as text, in a process of its own, in a directory of its own.

    ``run_python(source, *arguments, env={...}, status=0)`` returns the completed process with its output as text. It omits
    the line that reports the compilation of PyTorch's observer.
    """

    def run(
        source: str, *arguments: str, env: Optional[Mapping[str, str]] = None, status: Optional[int] = 0
    ) -> "subprocess.CompletedProcess[str]":
        # the simulation warns of variables that it does not know
        inherited = {name: value for name, value in os.environ.items() if name != "SIM_LIB"}
        script = tmp_path / "program.py"
        script.write_text(source)
        done = subprocess.run(
            [sys.executable, str(script), *arguments],
            cwd=tmp_path,
            env={**inherited, **(env or {})},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert status is None or done.returncode == status, done.stdout + done.stderr
        done.stderr = re.sub("^libprof: compiling .*\n", "", done.stderr, flags=re.MULTILINE)
        return done

    return run
