"""The program ``profdump``, which reads every trace and writes every output.

It is, in this order: in the directory that the environment variable ``LIBPROF_BIN`` names; in ``bin`` of this
package, as wheels carry it; on ``PATH``. It runs as a process of its own, so nothing that it reads can harm this
one, and is not itself recorded.
"""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, Mapping, NoReturn, Sequence, Tuple

from ._cli import flush
from ._native import check_version
from .errors import LibraryError, ProfdumpError, warn


def find_program(name: str) -> str:
    """Path of ``profdump`` or ``profrun``; :class:`LibraryError` where there is none."""
    named = os.environ.get("LIBPROF_BIN")
    own = Path(named) if named else Path(__file__).parent / "bin"
    if (own / name).exists():
        return str(own / name)
    found = None if named else shutil.which(name)
    if not found:
        raise LibraryError(f"{name} is not in {own}{'' if named else ' nor on PATH'}")
    return found


def check_program(name: str) -> None:
    """Checks before a recording that profdump can read it: :class:`LibraryError` if ``LIBPROF_BIN`` is wrong. If profdump is
    missing, only a warning, since another machine can read the recording.
    """
    try:
        path = find_program(name)
        if os.environ.get("LIBPROF_BIN"):
            check_version(_version_of(path), path)
    except LibraryError as error:
        if os.environ.get("LIBPROF_BIN"):
            raise LibraryError(f"LIBPROF_BIN: {error}") from None
        warn(f"results will not be available: {error}")


@functools.lru_cache(maxsize=None)
def _version_of(path: str) -> str:
    """The version of a program that the user named, which may be any program. Takes about 5 ms, once."""
    try:
        done = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, env=unrecorded_environment(), timeout=60, check=False
        )
        words = done.stdout.decode(errors="replace").split()
    except (OSError, subprocess.SubprocessError) as error:
        raise LibraryError(f"{path} cannot be executed: {error}") from error
    if len(words) != 2 or words[1].count(".") != 2:
        raise LibraryError(f"{path} is not libprof's")
    return words[1]


def unrecorded_environment() -> Dict[str, str]:
    """The environment without what has a child recorded."""
    recorded = ("PROF_", "LD_PRELOAD", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "INTEL_LIBITTNOTIFY64")
    return {name: value for name, value in os.environ.items() if not name.startswith(recorded)}


def _restore_signals() -> None:
    """Python ignores these signals, and a program that it executes would, too."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def become_program(path: str, words: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Flushes the output and replaces this process by the program."""
    flush()
    _restore_signals()
    os.execve(path, list(words), dict(environment))


def output_of_profdump(arguments: Sequence[str], accept: Sequence[int] = (0,)) -> bytes:
    """The output alone of :func:`answer_of_profdump`."""
    return answer_of_profdump(arguments, accept)[0]


def answer_of_profdump(arguments: Sequence[str], accept: Sequence[int]) -> Tuple[bytes, int]:
    """Runs ``profdump`` with these arguments. Returns its standard output, without a copy: it may be hundreds of MB; and its exit status.

    Raises :class:`ProfdumpError` with what it said on standard error when its exit status is none of `accept`.
    """
    command: List[str] = [find_program("profdump"), *arguments]
    with tempfile.TemporaryFile() as said, subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=said, env=unrecorded_environment()
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        status = process.wait()
        said.seek(0)
        message = said.read().decode(errors="replace").strip()
    if status not in accept:
        raise ProfdumpError(message or f"profdump exited with status {status}", status)
    return output, status


def run_profdump(arguments: Sequence[str], accept: Sequence[int] = (0,)) -> str:
    """The same as text."""
    return output_of_profdump(arguments, accept).decode(errors="replace")
