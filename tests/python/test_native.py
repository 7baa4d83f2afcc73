"""The library is found, checked, and says what is wrong in sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

import libprof
from libprof import _native


def test_finds_the_library() -> None:
    library = _native.library()
    assert library.prof_version().decode() == libprof.__version__
    assert library.prof_gate()[0] == 0, "loading it does not begin to record"


def test_versions_agree() -> None:
    root = Path(__file__).parents[2]
    assert (root / "VERSION").read_text().split("\n")[0] == libprof.__version__


def test_says_the_sentence_of_a_status() -> None:
    with pytest.raises(libprof.ProfError, match="^nothing has been recorded yet$"):
        _native.library().check(_native.NOTHING)


def test_missing_library(run_python) -> None:
    source = "import libprof, libprof._native as n\ntry:\n    n.library()\nexcept libprof.LibraryError as e:\n    print(e)\n"
    done = run_python(source, env={"LIBPROF_LIBRARY": "/nowhere/libprof.so.0"})
    assert "/nowhere/libprof.so.0" in done.stdout


def test_wrong_version() -> None:
    with pytest.raises(libprof.LibraryError, match="is version 7.1.0; this package needs"):
        _native.check_version("7.1.0", "x.so")


def test_builtin_functions(run_python, tmp_path) -> None:
    source = (
        "import sys, libprof._native as n\nlib = n.library()\n"
        "push, pop = lib.builtin('range_push'), lib.builtin('range_pop')\n"
        "assert lib.builtin('other') is None\n"
        "assert sys.getrefcount(lib.builtin('range_pop')) == sys.getrefcount(object())\n"
        "for wrong in ((), (1,), ('text',), (b'a', b'b')):\n"
        "    try:\n        push(*wrong)\n        sys.exit('no error')\n    except TypeError:\n        pass\n"
        "lib.prof_start()\nnone = sys.getrefcount(None)\n"
        "for _ in range(10000):\n    push(b'zero\\0byte'); pop()\n"
        "assert abs(sys.getrefcount(None) - none) < 100\n"
    )
    run_python(source, env={"PROF_OUTPUT": str(tmp_path / "b.prof")})
    assert "10000" in libprof.read(tmp_path / "b.prof").table()
