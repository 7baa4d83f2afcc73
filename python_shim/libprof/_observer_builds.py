"""Builds of ``torch_observer.cc``: those that are in the wheel, and how one is made.

PyTorch has no stable interface through which others see its operators, so a build fits the PyTorch that it was compiled
for. It fits another one where the headers that its layouts come from have the same text: most patch releases, and builds
of one version for other devices. Headers of single operators are left out, and the one that lists PyTorch's libraries.

``observers.py`` uses this module by itself when a wheel is built.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Set

SOURCE = Path(__file__).with_name("torch_observer.cc")
DIRECTORY = Path(__file__).with_name("torch_observers")
INDEX = "index.json"
_NO_LAYOUT = re.compile(r"ATen/(ops/|Config\.h$)")


class BuildError(Exception):
    """The compiler's first error, or why there is no compiler."""


class Target(NamedTuple):
    """A PyTorch: its headers, which strings of C++'s library it has (0: the old ones), whether it is a debug build."""

    include: Path
    cxx11_abi: bool
    is_debug: bool = False

    def header(self, name: str) -> str:
        """What stands for the text of a header; "" where there is none of that name."""
        path = self.include / name
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""

    def fingerprint(self, headers: Mapping[str, str]) -> str:
        """The same for those that one build fits. `headers`: name to header() of each."""
        text = json.dumps([self.cxx11_abi, self.is_debug, *sorted(headers.items())])
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def source() -> str:
    """What stands for the text of the observer, whose functions this package calls."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()


def find(target: Target, directory: Optional[Path] = None) -> Optional[Path]:
    """The build in a directory, DIRECTORY by default, that fits."""
    directory = directory or DIRECTORY
    try:
        index: Dict[str, Any] = json.loads((directory / INDEX).read_text(encoding="utf-8"))
        if index["source"] != source():
            return None
        name = index["builds"].get(target.fingerprint({name: target.header(name) for name in index["headers"]}))
    except (OSError, ValueError, KeyError):
        return None
    return directory / name if name else None


def compiler(environment: Mapping[str, str]) -> List[str]:
    """The command of the C++ compiler, an empty one if there is none."""
    named = shlex.split(environment.get("CXX", ""))
    found = [[name] for name in ("c++", "g++", "clang++") if shutil.which(name, path=environment.get("PATH"))]
    return named or (found[0] if found else [])


def build(
    target: Target, output: str, libraries: Path, environment: Mapping[str, str], *options: str, timeout_s: int
) -> None:
    """Compiles the observer; `libraries` has libc10.so and libtorch_cpu.so, or files of these names."""
    command = compiler(environment)
    if not command:
        raise BuildError("there is no C++ compiler (CXX, c++, g++, clang++); install one, such as g++")
    release = [] if target.is_debug else ["-DNDEBUG"]  # classes have other members without it
    command += [
        "-std=c++20", "-fPIC", "-shared", "-fvisibility=hidden", f"-D_GLIBCXX_USE_CXX11_ABI={int(target.cxx11_abi)}",
        *release, *options, "-isystem", str(target.include), f"-ffile-prefix-map={target.include}/=", "-o", output, str(SOURCE),
        f"-L{libraries}", "-Wl,--no-as-needed", "-lc10", "-ltorch_cpu",
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise BuildError(f"{command[0]}: {error}") from error
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
        raise BuildError(f"{command[0]}: {errors[0] if errors else done.returncode}")


def layout_headers(dependencies: str, include: Path) -> Set[str]:
    """Of the files that a compiler lists with -MD, PyTorch's headers that layouts come from."""
    names = {Path(name.replace("\\ ", " ")) for name in re.split(r"(?<!\\)\s+|\\\n", dependencies)}
    within = {str(name.relative_to(include)) for name in names if include in name.parents}
    return {name for name in within if not _NO_LAYOUT.match(name)}
