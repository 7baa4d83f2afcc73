"""Chrome traces with members of the caller's, and where TensorBoard looks for them."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
import socket
import tempfile
import time
from typing import IO, Any, Callable, Dict, Optional

from ._output import replacing
from ._recording import Recording
from .errors import ProfError


def parsed_json(text: str) -> Any:
    """ValueError for what is not JSON."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"the metadata is not JSON: {error}") from None


def chrome_trace(recording: Recording, path: str, members: Dict[str, Any], kind: str = "chrome") -> None:
    """`members` become the first of the trace's object; without any, profdump writes the file itself. `kind`: of
    profdump's formats, "chrome" or "tensorboard"."""
    if not members:
        recording.export(path, kind)
        return
    if path.endswith(".zst"):
        raise ValueError("a trace with metadata cannot be compressed other than as .gz")
    folder = os.path.dirname(path) or "."
    with replacing(path, recording.paths) as file, tempfile.TemporaryDirectory(dir=folder, prefix=".libprof-") as directory:
        plain = os.path.join(directory, "plain.json")
        recording.export(plain, kind)
        packed = gzip.GzipFile(fileobj=file, mode="wb") if path.endswith(".gz") else contextlib.nullcontext(file)
        with open(plain, "rb") as source, packed as target:
            _copy_with(source, target, members)


def _copy_with(source: IO[bytes], target: Any, members: Dict[str, Any]) -> None:
    assert source.read(1) == b"{", "a Chrome trace is an object"
    target.write(b"{" + json.dumps(members).encode()[1:-1] + b",")
    shutil.copyfileobj(source, target)


def tensorboard_trace_handler(
    dir_name: str, worker_name: Optional[str] = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[[Any], None]:
    """For on_trace_ready: writes each cycle to WORKER.NANOSECONDS.pt.trace.json in a directory, which it creates if
    necessary. Calls and ranges have the categories that TensorBoard's plugin knows; for other programs, use
    export_chrome_trace().

    ``worker_name`` must differ between workers; the default is HOST_PID. ``use_python_export`` has no effect.
    """

    def handler(prof: Any) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise ProfError(f"cannot create {dir_name}: {error.strerror}") from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        export = getattr(prof, "_export_for_tensorboard", prof.export_chrome_trace)
        export(os.path.join(dir_name, name))

    return handler
