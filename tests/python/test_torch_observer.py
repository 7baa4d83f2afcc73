"""libprof uses the package's observer that fits PyTorch, else compiles one, else works without one."""

# packages: torch==2.13.0+cpu numpy
# long: it compiles the observer twice

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Set

import pytest
from conftest import RunPython

from libprof import _observer_builds
from libprof._observer_builds import Target

HEADERS = {"c10/a.h": "int a;", "ATen/b.h": "int b;"}


def target(include: Path, headers: Dict[str, str], **of: Any) -> Target:
    for name, text in headers.items():
        (include / name).parent.mkdir(parents=True, exist_ok=True)
        (include / name).write_text(text)
    return Target(include, **{"cxx11_abi": True, **of})


def fingerprint(of: Target) -> str:
    return of.fingerprint({name: of.header(name) for name in [*HEADERS, "c10/of_later_releases.h"]})


def test_a_build_fits_equal_headers_only(tmp_path: Path) -> None:
    known = fingerprint(target(tmp_path / "1", HEADERS))
    others = {
        "equal": target(tmp_path / "2", {**HEADERS, "ATen/Config.h": "other libraries"}),
        "old strings": target(tmp_path / "2", HEADERS, cxx11_abi=False),
        "debug": target(tmp_path / "2", HEADERS, is_debug=True),
        "a member more": target(tmp_path / "3", {**HEADERS, "c10/a.h": "int a, more;"}),
        "a header more": target(tmp_path / "4", {**HEADERS, "c10/of_later_releases.h": ""}),
        "no headers": target(tmp_path / "5", {}),
    }
    assert [name for name, other in others.items() if fingerprint(other) == known] == ["equal"]


def test_layout_headers_leave_operators_out() -> None:
    include = Path("/site packages/torch/include")
    listed = "observer.o: observer.cc \\\n /usr/include/stdio.h /site\\ packages/torch/include/c10/a.h \\\n"
    listed += "".join(f" /site\\ packages/torch/include/{name}" for name in ("ATen/ops/add.h", "ATen/Config.h", "ATen/b.h"))
    assert _observer_builds.layout_headers(listed, include) == {"c10/a.h", "ATen/b.h"}


# ---- with PyTorch ----

PROFILE = """
import os, pathlib, sys, threading
first, directory = sys.argv[1:]
__import__(first)
import torch, libprof
from libprof import _observer_builds
_observer_builds.DIRECTORY = pathlib.Path(directory)

def work(size):
    return torch.ones(size, size) @ torch.ones(size, size)

def sizes(rows):
    return sorted(row.input_shapes[0][0] for row in rows if row.key == "aten::mm")

with libprof.profile(record_shapes=True) as prof:
    work(2)
    thread = threading.Thread(target=work, args=(3,))
    thread.start()
    thread.join()
print(sizes(prof.key_averages(group_by_input_shape=True)), flush=True)
child = os.fork()
if not child:
    with libprof.profile(record_shapes=True) as prof:
        work(4)
    print(sizes(prof.key_averages(group_by_input_shape=True)), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the build for the PyTorch that is installed."""
    torch = pytest.importorskip("torch")
    if not _observer_builds.compiler(os.environ):
        pytest.skip("there is no C++ compiler")
    directory = tmp_path_factory.mktemp("ready")
    script = Path(os.environ["SOURCE_DIR"]) / "python_shim" / "observers.py"
    site = Path(torch.__file__).parent.parent
    subprocess.run([sys.executable, str(script), str(directory), "--installed", str(site)], check=True, capture_output=True)
    return directory


def test_a_build_names_no_directory_of_its_machine(ready: Path) -> None:
    builds = [path.read_bytes() for path in ready.glob("*.so")]
    assert builds and not any(b"/torch/include" in build for build in builds)


def without_compiler(home: Path) -> Dict[str, str]:
    return {"HOME": str(home), "XDG_CACHE_HOME": "", "CXX": "", "PATH": str(home)}


@pytest.mark.parametrize("first", ["torch", "libprof"])
def test_a_ready_build_needs_no_compiler(run_python: RunPython, ready: Path, tmp_path: Path, first: str) -> None:
    done = run_python(PROFILE, first, str(ready), env=without_compiler(tmp_path))
    assert (done.stdout, done.stderr) == ("[2, 3]\n[4]\n", "")


@pytest.mark.parametrize("first", ["torch", "libprof"])
def test_names_come_without_build_and_compiler(run_python: RunPython, tmp_path: Path, first: str) -> None:
    pytest.importorskip("torch")
    done = run_python(PROFILE, first, str(tmp_path), env=without_compiler(tmp_path))
    assert done.stdout == "[2]\n[4]\n"
    assert "this package has no observer for PyTorch 2." in done.stderr
    assert "there is no C++ compiler (CXX, c++, g++, clang++); install one, such as g++" in done.stderr


def names(output: str) -> Set[Any]:
    return {tuple(ast.literal_eval(line)) for line in output.splitlines()}


def test_a_build_for_another_pytorch_is_refused(run_python: RunPython, ready: Path, tmp_path: Path) -> None:
    index = (ready / _observer_builds.INDEX).read_text()
    other = tmp_path / "other"
    other.mkdir()
    for build in ready.glob("*.so"):
        (other / build.name).write_bytes(b"no library")
    (other / _observer_builds.INDEX).write_text(index)
    environment = without_compiler(tmp_path)
    assert names(run_python(PROFILE, "torch", str(other), env=environment).stdout) == {(2,), (4,)}
    (other / _observer_builds.INDEX).write_text(index.replace('"builds"', '"unknown"'))
    assert names(run_python(PROFILE, "torch", str(other), env=environment).stdout) == {(2,), (4,)}
    (other / _observer_builds.INDEX).write_text(index.replace(_observer_builds.source(), "of an older package"))
    assert names(run_python(PROFILE, "torch", str(other), env=environment).stdout) == {(2,), (4,)}
    (other / _observer_builds.INDEX).write_text("{")
    assert names(run_python(PROFILE, "torch", str(other), env=environment).stdout) == {(2,), (4,)}


def test_says_that_it_compiles(ready: Path, tmp_path: Path) -> None:
    """Only one of several processes compiles. If the compiler fails, its error is reported."""
    assert ready
    program = tmp_path / "program.py"
    program.write_text(PROFILE)
    compiler = tmp_path / "cxx"
    compiler.write_text("#!/bin/sh\necho 'x.cc:1: error: made up' >&2\nexit 1\n")
    compiler.chmod(0o755)
    command = [sys.executable, str(program), "torch", str(tmp_path)]
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "CXX": str(compiler)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr.startswith("libprof: compiling the observer for PyTorch 2."), done.stderr
    assert done.stderr.count("error: made up") >= 1 and done.stdout == "[2]\n[4]\n"
    compiler.write_text(f"#!/bin/sh\nexec {' '.join(_observer_builds.compiler({**os.environ}))} \"$@\"\n")
    processes = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [process.communicate(timeout=600) for process in processes]
    assert [out for out, _err in said] == ["[2, 3]\n[4]\n"] * 2, said
    assert sorted(err.count("once: about 10 s\n") for _out, err in said) == [0, 1], said
