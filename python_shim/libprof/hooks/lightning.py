"""A profiler for Lightning: ``Trainer(profiler=LibprofProfiler())``."""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional

from .. import profile, record_function

if "pytorch_lightning" in sys.modules and "lightning" not in sys.modules:
    from pytorch_lightning.profilers import Profiler
else:
    try:
        from lightning.pytorch.profilers import Profiler
    except ImportError:
        from pytorch_lightning.profilers import Profiler

_EPOCH = "run_training_epoch"  # steps begin and end in it: it would be cut by each
_STEPS = ("run_training_batch", "validation_step", "test_step", "predict_step")


class LibprofProfiler(Profiler):  # type: ignore[misc]  # the host need not be there
    """Records a Trainer's runs with :class:`libprof.profile`, and Lightning's actions as ranges.

    ``options`` are profile's: schedule, on_trace_ready, record_shapes ... A batch is a step. The summary is the table of
    the latest cycle, ``row_limit`` rows of it; with ``dirpath`` and ``filename`` it goes to a file. ``results`` is the
    profile of the latest run.
    """

    def __init__(
        self, dirpath: Any = None, filename: Optional[str] = None, row_limit: int = 20, **options: Any
    ) -> None:
        super().__init__(dirpath, filename)
        profile(**options)  # a wrong keyword is an error here, not in the middle of a run
        self._options, self._row_limit = options, row_limit
        self._actions: Dict[str, List[record_function]] = {}
        self._is_running = False
        self.results: Optional[profile] = None

    def setup(self, stage: str, local_rank: Optional[int] = None, log_dir: Optional[str] = None) -> None:
        """A run begins."""
        super().setup(stage, local_rank, log_dir)
        if not self._is_running:
            self.results = profile(**self._options)
            self.results.start()
            self._is_running = True

    def start(self, action_name: str) -> None:
        """An action begins."""
        if action_name == _EPOCH:
            return
        action = record_function(action_name)
        action.__enter__()
        self._actions.setdefault(action_name, []).append(action)

    def stop(self, action_name: str) -> None:
        """An action ends; of a batch, the step ends, too."""
        if self._actions.get(action_name):
            self._actions[action_name].pop().__exit__(None, None, None)
        if self._is_running and self.results is not None and action_name.endswith(_STEPS):
            self.results.step()

    def summary(self) -> str:
        """The run ends."""
        if self.results is None:
            return ""
        self._end()
        table = self.results.key_averages().table(sort_by="cpu_time_total", row_limit=self._row_limit)
        return str(self._stats_to_str({"records": table}))

    def teardown(self, stage: Optional[str]) -> None:
        """Also where a run failed."""
        self._end()
        super().teardown(stage)

    def _end(self) -> None:
        if getattr(self, "_is_running", False) and self.results is not None:  # __del__() may call it early
            self._is_running = False
            self.results.stop()
