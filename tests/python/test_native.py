"""The library is found, checked, and says what is wrong in sentences."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

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


def test_importing_loads_it(run_python) -> None:
    source = "import libprof\nprint('/libprof.so' in open('/proc/self/maps').read(), libprof.is_recording())\n"
    assert run_python(source).stdout == "True False\n"


def test_missing_library(run_python) -> None:
    source = (
        "import libprof\nfor need in (libprof.load, libprof.profile().start):\n"
        "    try:\n        need()\n    except libprof.LibraryError as e:\n        print(e)\n"
        "print(libprof.read('none.prof'))\n"
    )
    done = run_python(source, env={"LIBPROF_LIBRARY": "/nowhere/libprof.so.0"})
    sentence = (
        "libprof.so cannot be loaded: /nowhere/libprof.so.0: cannot open shared object file: No such file or directory\n"
    )
    assert (done.stdout, done.stderr) == (2 * sentence + "<libprof.Trace none.prof>\n", "")


def test_no_memory_left_for_its_thread_locals(run_python, tmp_path) -> None:
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if not compiler:
        pytest.skip("there is no C compiler")
    hog = '__thread char hog[1400] __attribute__((tls_model("initial-exec")));\nchar *own(void) { return hog; }\n'
    (tmp_path / "hog.c").write_text(hog)
    subprocess.run([compiler, "-shared", "-fPIC", "hog.c", "-o", "hog.so"], cwd=tmp_path, check=True)
    source = (
        "import ctypes\nctypes.CDLL('./hog.so')\nimport libprof\n"
        "try:\n    libprof.load()\nexcept libprof.LibraryError as e:\n    print(e)\n"
    )
    assert re.fullmatch(
        r"libprof.so cannot be loaded: .*: cannot allocate memory in static TLS block\. Import libprof before the "
        r"libraries that took that memory, or run the program with profrun\n",
        run_python(source).stdout,
    )


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


FREE_THREADED = """
import sys
sys.abiflags = "t"
import libprof
try:
    with libprof.profile():
        pass
except libprof.LibraryError as error:
    print(error)
print(libprof.read(sys.argv[1]).facts["libprof"] != "")
"""


def test_free_threaded_builds_are_refused(run_python: Any, tmp_path: Path) -> None:
    """They record nothing, and say so; traces can be read."""
    recorded = tmp_path / "x.prof"
    run_python("import libprof\nwith libprof.profile():\n    libprof.mark('x')\n", env={"PROF_OUTPUT": str(recorded)})
    done = run_python(FREE_THREADED, str(recorded))
    said, read = done.stdout.splitlines()
    assert re.fullmatch(r"libprof does not record in free-threaded builds of Python \((3\.\d+)t\): use python\1", said), done.stdout
    assert read == "True" and done.stderr == ""
