"""Methods of torch.profiler.profile that are seldom called: ids of traces, activities off and on, memory over time."""

from __future__ import annotations

import importlib
import time
import uuid
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Tuple

from . import _memory_timeline
from ._export import parsed_json
from ._kineto import KinetoResults
from ._recording import Recording
from ._results import Shown, events_of, types_of
from .errors import UnfinishedError
from .event_list import EventList
from .events import FunctionEvent


class TorchMethods:
    """Base class of :class:`libprof.profile`."""

    _metadata: Dict[str, Any]
    profile_memory: bool
    record_shapes: bool
    with_stack: bool

    def __init__(self, custom_trace_id_callback: Optional[Callable[[], str]]) -> None:
        self.custom_trace_id_callback = custom_trace_id_callback
        self._trace_id = ""
        self._off: List[Tuple[FrozenSet[str], int, int]] = []  # types that were off from one moment to another
        self._off_since: Dict[str, int] = {}

    def events(self) -> EventList[FunctionEvent]:
        """All events."""
        raise NotImplementedError

    def export(self, path: str, format: Optional[str] = None) -> None:
        """Writes any format that profdump writes."""
        raise NotImplementedError

    def _shown(self, stacklevel: int = 4) -> Recording:
        """The latest cycle."""
        raise NotImplementedError

    # ---- activities off and on ----

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[Any]) -> None:
        """Results leave out what begins while an activity is off. It is recorded nevertheless: files have it."""
        if not isinstance(activities, Iterable):
            raise TypeError(f"activities must be a list or a set, not {activities!r}")
        now = time.time_ns()
        for activity in (str(getattr(one, "name", one)) for one in activities):
            if enable and activity in self._off_since:
                self._off.append((types_of(activity), self._off_since.pop(activity), now))
            elif not enable:
                self._off_since.setdefault(activity, now)

    def _end_toggles(self, end_ns: int) -> Tuple[Tuple[FrozenSet[str], int, int], ...]:
        """What was off in the cycle that ends."""
        still = [(types_of(activity), since, end_ns) for activity, since in self._off_since.items()]
        off, self._off = (*self._off, *still), []
        return off

    # ---- ids and metadata ----

    def set_custom_trace_id_callback(self, callback: Optional[Callable[[], str]]) -> None:
        """Sets the callback that gives traces their ids, from the next cycle on."""
        self.custom_trace_id_callback = callback

    def get_trace_id(self) -> Optional[str]:
        """The id of the latest cycle: from the callback, else random; None before the first. Chrome traces contain it as
        "trace_id".
        """
        return self._trace_id or None

    def _new_trace_id(self) -> None:
        callback = self.custom_trace_id_callback
        self._trace_id = callback() if callback else f"{uuid.uuid4().int:032X}"

    def preset_metadata_json(self, key: str, value: str) -> None:
        """As add_metadata_json(), which may be called before the start, too."""
        self._metadata[str(key)] = parsed_json(value)

    # ---- others ----

    @property
    def profiler(self) -> "TorchMethods":
        """torch.profiler has another object there; here it is this one."""
        return self

    @property
    def kineto_results(self) -> Optional[KinetoResults]:
        """The latest cycle's results in torch.profiler's form, for tools that read them. None before the first results."""
        try:
            recording = self._shown()
        except UnfinishedError:
            return None
        make = lambda: KinetoResults(recording, events_of(recording, Shown(), with_functions=True), self.export)
        results: KinetoResults = recording.once("kineto_results", make)
        return results

    def _memory_profile(self) -> Any:
        """PyTorch's own analysis of memory: which tensors are parameters, gradients, activations. ValueError unless the
        profile has ``record_shapes``, ``profile_memory`` and ``with_stack``.
        """
        required = ("record_shapes", "profile_memory", "with_stack")
        missing = [f"{name}=True" for name in required if not getattr(self, name)]
        if missing:
            raise ValueError(f"{', '.join(missing)} required for memory profiling.")
        return importlib.import_module("torch.profiler._memory_profiler").MemoryProfile(self.kineto_results)

    @property
    def function_events(self) -> EventList[FunctionEvent]:
        """Its name for events()."""
        return self.events()

    def wait_for_exports(self) -> None:
        """Does nothing: files are complete when their export returns."""

    def take_pending_cupti_export(self) -> None:
        """None: no export is left to be done."""

    take_pending_cuspy_export = take_pending_cupti_export

    def export_memory_timeline(self, path: str, device: Optional[str] = None) -> None:
        """Writes the memory in use over time. Needs ``profile_memory``. `device` is "cpu" or "cuda:N".

        The ending of `path` selects the format. .html is the HTML report; .raw.json.gz lists each allocation. Others are
        [times, sizes], compressed if .gz. With ``record_shapes`` and ``with_stack``, memory is split into categories:
        parameters, gradients, activations ...
        """
        if not self.profile_memory:
            raise ValueError("export_memory_timeline() needs profile_memory=True")
        if path.endswith(".html"):
            self.export(path, "html")
        else:
            has_categories = self.record_shapes and self.with_stack and self._shown().seen is not None
            _memory_timeline.write(self._shown(), path, device, self._memory_profile() if has_categories else None)
