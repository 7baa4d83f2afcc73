"""Builds the wheel: the package with libprof.so, profrun, profdump and the simulated CUDA inside.

    pip wheel --no-deps -w dist python_shim

CMake builds them in a directory of its own and installs them into the package, each beside the libraries that
profdump was linked with, which it finds relative to itself. The wheel's tag says which glibc it needs: that of the
machine it was built on, so wheels for many machines are built on an old one.

The environment variable LIBPROF_CMAKE_ARGS contains further arguments for CMake. LIBPROF_OBSERVERS contains the arguments
of observers.py: the releases of PyTorch for which the wheel contains an observer, "all", or nothing. A cross build sets
LIBPROF_LDD to the command that lists a program's libraries as ldd does.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Iterable, Set, Tuple

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent

# Inherited by the libraries of the libraries, which DT_RUNPATH is not.
LINKER_FLAGS = "-Wl,--disable-new-dtags"
CONFIGURATION = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DPROF_BUILD_TESTS=OFF",
    "-DPROF_BUILD_BENCH=OFF",
    "-DPROF_BUILD_EXAMPLES=OFF",
    "-DCMAKE_INSTALL_LIBDIR=lib",
    "-DCMAKE_INSTALL_RPATH=$ORIGIN:$ORIGIN/../lib",
    f"-DCMAKE_EXE_LINKER_FLAGS={LINKER_FLAGS}",
    f"-DCMAKE_SHARED_LINKER_FLAGS={LINKER_FLAGS}",
)

# What every Linux with glibc has.
OF_THE_SYSTEM = re.compile(r"^(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so")


def run(*command: str) -> str:
    """Runs it, and returns what it printed; ends the build when it fails."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def build_product(build: Path, prefix: Path) -> None:
    """Configures, builds and installs into `prefix`."""
    more = shlex.split(os.environ.get("LIBPROF_CMAKE_ARGS", ""))
    run("cmake", "-S", str(ROOT), "-B", str(build), *CONFIGURATION, *more)
    run("cmake", "--build", str(build), "--target", "prof_product", "--parallel", str(os.cpu_count() or 1))
    run("cmake", "--install", str(build), "--prefix", str(prefix))


def libraries_of(program: Path) -> Iterable[Tuple[str, str]]:
    """Name and path of each library that the loader finds for a program and that is not the system's."""
    for line in run(*shlex.split(os.environ.get("LIBPROF_LDD", "ldd")), str(program)).splitlines():
        found = re.match(r"\s*(\S+) => (/\S+)", line)
        if found and not OF_THE_SYSTEM.match(found[1]):
            yield found[1], found[2]


def copy_product(prefix: Path, package: Path) -> None:
    """What a user of the package needs of an installation; links become files, since wheels have none."""
    for directory in ("bin", "lib"):
        shutil.rmtree(package / directory, ignore_errors=True)
        (package / directory).mkdir(parents=True)
    for program in ("profrun", "profdump"):
        shutil.copy2(prefix / "bin" / program, package / "bin" / program)
    for library in prefix.glob("lib/lib*.so.[0-9]"):
        shutil.copy2(library, package / "lib" / library.name)
    sim = prefix / "lib" / "libprof" / "sim"
    if sim.exists():
        shutil.copytree(sim, package / "lib" / "sim")
    for name, path in libraries_of(prefix / "bin" / "profdump"):
        if not (package / "lib" / name).exists():
            shutil.copy2(path, package / "lib" / name)
    shutil.copytree(prefix / "include", package / "include", dirs_exist_ok=True)
    shutil.copytree(prefix / "share" / "libprof" / "skills", package / "skills")


def newest_glibc(package: Path) -> int:
    """Minor number of the newest glibc whose symbols a file of the package asks for."""
    asked: Set[int] = {17}
    for file in [*package.glob("bin/*"), *package.glob("lib/**/*.so*"), *package.glob("torch_observers/*.so")]:
        asked.update(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)\0", file.read_bytes()))
    return max(asked)


class BuildProduct(build_py):
    """The modules, and beside them what CMake builds."""

    def run(self) -> None:
        shutil.rmtree(Path(self.build_lib) / "libprof", ignore_errors=True)  # of an earlier build
        super().run()
        if self.editable_mode:
            return  # LIBPROF_LIBRARY and LIBPROF_BIN say where a checkout's build is
        work = ROOT / "build-wheel"
        prefix = work / "prefix"
        shutil.rmtree(prefix, ignore_errors=True)
        build_product(work, prefix)
        package = Path(self.build_lib) / "libprof"
        copy_product(prefix, package)
        observers = shlex.split(os.environ.get("LIBPROF_OBSERVERS", ""))
        if observers:
            command = [sys.executable, str(ROOT / "python_shim" / "observers.py"), str(package / "torch_observers")]
            subprocess.run([*command, *(one for one in observers if one != "all")], check=True)


class PlatformDistribution(Distribution):
    """Not for every machine, though there is no extension module in it."""

    def has_ext_modules(self) -> bool:
        return True


class PlatformWheel(bdist_wheel):
    """Any Python 3, one processor, glibc from some version on."""

    def get_tag(self) -> Tuple[str, str, str]:
        machine = sysconfig.get_platform().split("-")[-1]
        minor = newest_glibc(Path(self.get_finalized_command("build_py").build_lib) / "libprof")
        return "py3", "none", f"manylinux_2_{minor}_{machine}"


setup(distclass=PlatformDistribution, cmdclass={"build_py": BuildProduct, "bdist_wheel": PlatformWheel})
