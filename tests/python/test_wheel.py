"""The wheel: it holds what it needs, and works where nothing else of libprof is."""

# long: it compiles the product once more
# packages: setuptools>=77 packaging>=25

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Dict, Tuple

import pytest

ROOT = Path(os.environ["SOURCE_DIR"])
PROGRAM = "import libprof._native as n, time\nlib = n.library()\nlib.prof_range_push(b'work')\nlib.prof_range_pop()\n"


def clean_environment() -> Dict[str, str]:
    """Of a user who has the wheel and no checkout."""
    hidden = ("LIBPROF_", "PYTHONPATH", "LD_LIBRARY_PATH")
    return {name: value for name, value in os.environ.items() if not name.startswith(hidden)}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    setuptools = pytest.importorskip("setuptools")
    if int(setuptools.__version__.split(".")[0]) < 77:
        pytest.skip(f"setuptools {setuptools.__version__} is older than 77")
    target = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(target)]
    done = subprocess.run([*command, str(ROOT / "python_shim")], capture_output=True, text=True, check=False)
    if "No module named pip" in done.stderr:
        pytest.skip("this Python has no pip")
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = target.glob("*.whl")
    return result


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory of the programs of a new environment that has the wheel."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home)  # Debian has what would give it a pip of its own in a package of its own
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python")]
    command = [*pip, "install", "-q", "--no-index", "--no-deps", str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), check=False)
    if "no such option" in done.stderr:
        pytest.skip("this pip is older than 22.3")
    assert done.returncode == 0, done.stdout + done.stderr
    return home / "bin"


def run(*command: str, cwd: Path) -> Tuple[int, str]:
    done = subprocess.run(
        command, cwd=cwd, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.returncode, done.stdout


def test_tag_says_what_it_needs(wheel: Path) -> None:
    machine = os.uname().machine
    assert re.fullmatch(rf"libprof-\d+\.\d+\.\d+-py3-none-manylinux_2_\d+_{machine}\.whl", wheel.name)


def test_holds_every_module_as_it_is(wheel: Path) -> None:
    sources = ROOT / "python_shim"
    with zipfile.ZipFile(wheel) as packed:
        for source in [*sources.glob("libprof/**/*.py"), *sources.glob("libprof/**/*.cc")]:
            assert packed.read(str(source.relative_to(sources))) == source.read_bytes(), source
        names = packed.namelist()
    for name in ("lib/libprof.so.0", "lib/libprofdump.so.0", "bin/profrun", "bin/profdump", "include/prof/prof.h", "py.typed", "skills/libprof/SKILL.md"):
        assert f"libprof/{name}" in names


def test_records_and_reads(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(PROGRAM)
    status, said = run(
        str(installed / "python"), "-m", "libprof", "run", "-o", "w.prof", "work.py", cwd=tmp_path
    )
    assert status == 0 and re.search(r"^ *work .* 1$", said, re.MULTILINE), said
    status, said = run(str(installed / "profdump"), "-o", "w.sqlite", "-o", "w.pb.gz", "w.prof", cwd=tmp_path)
    assert status == 0, said
    assert (tmp_path / "w.sqlite").read_bytes().startswith(b"SQLite format 3")
    status, said = run(str(installed / "python"), "-m", "libprof", "check", "w.prof", cwd=tmp_path)
    assert status == 0, said


def test_has_the_simulated_cuda(installed: Path, tmp_path: Path) -> None:
    status, said = run(str(installed / "profrun"), "--doctor", "--sim", cwd=tmp_path)
    assert "10 kernels launched, all launches and kernels recorded" in said, said


def test_profdump_uses_its_own_libraries(installed: Path) -> None:
    (program,) = installed.parent.glob("lib/python*/site-packages/libprof/bin/profdump")
    loaded = subprocess.run(["ldd", str(program)], check=True, capture_output=True, text=True).stdout
    for name in re.findall(r"(lib(?:z|zstd|sqlite3|dw|elf)\.so\S*) => ", loaded):
        assert f"{program.parent.parent}/bin/../lib/{name}" in loaded, loaded
