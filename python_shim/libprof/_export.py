"""Chrome traces with members of the caller's, and where TensorBoard looks for them."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import time
from typing import Any, Callable, Dict, Optional

from ._recording import Recording
from .errors import ProfError


def parsed_json(text: str) -> Any:
    """ValueError for what is not JSON."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"the metadata is not JSON: {error}") from None


def _finite(members: Dict[str, Any]) -> Any:
    """As JSON has them, which has no NaN and no infinity: their names."""
    return json.loads(json.dumps(members, default=str), parse_constant=str)


def chrome_trace(recording: Recording, path: str, members: Dict[str, Any], kind: str = "chrome") -> None:
    """Writes a Chrome trace with `members` in its top-level object. `kind` is profdump's format: "chrome" or "tensorboard"."""
    with tempfile.NamedTemporaryFile("w", prefix="libprof-", suffix=".json", encoding="utf-8") as file:
        json.dump(_finite(members), file)
        file.flush()
        recording.export(path, kind, *(("--metadata", file.name) if members else ()))


def tensorboard_trace_handler(
    dir_name: str,
    worker_name: Optional[str] = None,
    use_gzip: bool = False,
    use_python_export: bool = False,
    plugin_views: bool = False,
) -> Callable[[Any], None]:
    """For on_trace_ready: writes each cycle to WORKER.NANOSECONDS.pt.trace.json in a directory, which it creates if
    necessary. The files are those of export_chrome_trace().

    ``worker_name`` must differ between workers; the default is HOST_PID. ``use_python_export`` has no effect.
    ``plugin_views`` puts calls and ranges into the categories of TensorBoard's plugin. This fills the plugin's views of
    kernels by operator and of collectives. Other programs do not recognize these categories.
    """

    def handler(prof: Any) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise ProfError(f"cannot create {dir_name}: {error.strerror}") from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        export = getattr(prof, "_export_for_plugin", None) if plugin_views else None
        (export or prof.export_chrome_trace)(os.path.join(dir_name, name))

    return handler
