"""Builds of ``torch_observer.cc``: finds those in the wheel, and compiles new ones.

PyTorch has no stable interface for observing its operators. So a build fits the PyTorch for which it was compiled, and
any other one whose headers define the same layouts, by their text. These are most patch releases, and builds of the same
version for other devices. The comparison ignores headers of single operators, and the one that lists PyTorch's libraries.

``observers.py`` uses this module without the rest of the package when it builds a wheel.
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
    """A PyTorch: its headers, the C++ library's string ABI (0: the old one), whether it is a debug build."""

    include: Path
    cxx11_abi: bool
    is_debug: bool = False

    def header(self, name: str) -> str:
        """Hash of a header's text; "" if there is no such header."""
        path = self.include / name
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""

    def fingerprint(self, headers: Mapping[str, str]) -> str:
        """A hash that is equal for all targets that one build fits. `headers` maps names to header()."""
        text = json.dumps([self.cxx11_abi, self.is_debug, *sorted(headers.items())])
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def source() -> str:
    """Hash of the observer's source, whose functions this package calls."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()


def find(target: Target, directory: Optional[Path] = None) -> Optional[Path]:
    """The build in a directory (default: DIRECTORY) that fits the target; None if there is none."""
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
    """The C++ compiler's command; empty if there is no compiler."""
    named = shlex.split(environment.get("CXX", ""))
    found = [[name] for name in ("c++", "g++", "clang++") if shutil.which(name, path=environment.get("PATH"))]
    return named or (found[0] if found else [])


def build(
    target: Target, output: str, libraries: Path, environment: Mapping[str, str], *options: str, timeout_s: int
) -> None:
    """Compiles the observer. The directory `libraries` contains libc10.so and libtorch_cpu.so, or stubs with these names."""
    command = compiler(environment)
    if not command:
        raise BuildError("there is no C++ compiler (CXX, c++, g++, clang++); install one, such as g++")
    release = [] if target.is_debug else ["-DNDEBUG"]  # some classes have other members in debug builds
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
    """PyTorch's headers that define layouts, from a compiler's list of dependencies (-MD)."""
    names = {Path(name.replace("\\ ", " ")) for name in re.split(r"(?<!\\)\s+|\\\n", dependencies)}
    within = {str(name.relative_to(include)) for name in names if include in name.parents}
    return {name for name in within if not _NO_LAYOUT.match(name)}
