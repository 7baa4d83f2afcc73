"""Builds the observer (``libprof/torch_observer.cc``) for each release of PyTorch, for the wheel.

    python3 observers.py DIRECTORY                       # for RELEASES: downloads 5 GB with pip, a release at a time
    python3 observers.py DIRECTORY 2.14.0 2.15.0         # for these
    python3 observers.py DIRECTORY --installed SITE ...  # for the PyTorch in each directory of packages

Writes an index and a library of 70 to 80 KiB per release into the directory. Releases with identical libraries share one.

This needs only PyTorch's headers: the observer is linked to PyTorch's libraries when it is loaded. The headers come from
the wheels for 64-bit Arm, which are smaller. They are the same for all processors, except ATen/Config.h, which defines no
layout. Needs a C++20 compiler.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Set, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent / "libprof"))
import _observer_builds as builds

RELEASES = (
    "2.4.0", "2.4.1", "2.5.0", "2.5.1", "2.6.0", "2.7.0", "2.7.1", "2.8.0", "2.9.0", "2.9.1",
    "2.10.0", "2.11.0", "2.12.0", "2.12.1", "2.13.0", "2.14.0", "2.14.1", "2.15.0",
)  # fmt: skip
_PLATFORMS = ("manylinux2014_aarch64", "manylinux_2_28_aarch64")


def headers_of(release: str, work: Path) -> Path:
    """Unpacks the headers of a release."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
    for tag in _PLATFORMS:
        command += ["--platform", tag]
    subprocess.run([*command, "--python-version", "3.11", "-d", str(work), f"torch=={release}"], check=True)
    (wheel,) = work.glob("torch-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(work, [name for name in packed.namelist() if name.startswith("torch/include/")])
    wheel.unlink()
    return work / "torch" / "include"


def released(releases: Iterable[str]) -> Iterator[Tuple[str, Path]]:
    """Yields each release with its headers, which are deleted before the next one."""
    for release in releases:
        with tempfile.TemporaryDirectory() as work:
            yield release, headers_of(release, Path(work))


def installed(directories: Iterable[str]) -> Iterator[Tuple[str, Path]]:
    """Yields each installed PyTorch with its headers."""
    for directory in directories:
        version = re.search(r"__version__ = '([^'+]*)", (Path(directory) / "torch" / "version.py").read_text("utf-8"))
        yield version[1] if version else directory, Path(directory) / "torch" / "include"


def abis(release: str) -> Tuple[bool, ...]:
    """The C++ string ABIs of a release's builds. Up to 2.6, x86-64 builds exist with both."""
    both = platform.machine() == "x86_64" and tuple(map(int, release.split(".")[:2])) < (2, 7)
    return (False, True) if both else (True,)


class Builder:
    """Fills a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._files: Dict[str, str] = {}  # digest of a library: its name
        self._needed: Set[str] = set()  # headers
        self._built: List[Tuple[str, builds.Target, Dict[str, str]]] = []

    def add(self, release: str, include: Path) -> None:
        """Builds the observer for a release. Does not need its headers afterwards."""
        names = [str(path.relative_to(include)) for path in include.rglob("*.h")]
        for abi in abis(release):
            target = builds.Target(include, abi)
            texts = {name: target.header(name) for name in names if not name.startswith("ATen/ops/")}
            self._built.append((self._build(f"{release}{'' if abi else '-old-strings'}", target), target, texts))

    def _build(self, name: str, target: builds.Target) -> str:
        part = self._directory / "part.so"
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as work:
            for library in ("libc10", "libtorch_cpu"):  # empty stubs: symbols are resolved when the observer is loaded
                command = [*builds.compiler(os.environ), "-shared", "-o", f"{work}/{library}.so", f"-Wl,-soname,{library}.so"]
                subprocess.run([*command, "-x", "c", os.devnull], check=True)
            dependencies = Path(work) / "headers.d"
            options = ("-O2", "-s", "-Wl,--build-id=none", "-MD", "-MF", str(dependencies))
            builds.build(target, str(part), Path(work), os.environ, *options, timeout_s=3600)
            self._needed |= builds.layout_headers(dependencies.read_text(encoding="utf-8"), target.include)
        content = part.read_bytes()
        file = self._files.setdefault(hashlib.sha256(content).hexdigest(), f"torch_observer-{name}.so")
        part.replace(self._directory / file)
        print(f"{name}: {file}, {len(content)} bytes, {time.monotonic() - began:.0f} s", flush=True)
        return file

    def finish(self) -> None:
        """Writes the index of what has been built so far."""
        found = {
            target.fingerprint({name: texts.get(name, "") for name in self._needed}): file
            for file, target, texts in self._built
        }
        index = {"source": builds.source(), "headers": sorted(self._needed), "builds": found}
        (self._directory / builds.INDEX).write_text(json.dumps(index, indent=0) + "\n", encoding="utf-8")


def build(directory: Path, targets: Iterable[Tuple[str, Path]]) -> None:
    """Builds for each release with its headers."""
    directory.mkdir(parents=True, exist_ok=True)
    builder = Builder(directory)
    for release, include in targets:
        builder.add(release, include)
        builder.finish()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Builds the observer for releases of PyTorch.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("releases", nargs="*", help=f"by default {' '.join(RELEASES)}")
    parser.add_argument("--installed", action="store_true", help="the arguments are directories with an installed PyTorch")
    asked = parser.parse_intermixed_args()
    build(asked.directory, installed(asked.releases) if asked.installed else released(asked.releases or RELEASES))


if __name__ == "__main__":
    main()
