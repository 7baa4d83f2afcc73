"""A callback for Hugging Face's Trainer: ``Trainer(..., callbacks=[LibprofCallback()])``."""

from __future__ import annotations

from typing import Any, Optional

from transformers import TrainerCallback

from .. import profile, record_function


class LibprofCallback(TrainerCallback):  # type: ignore[misc]  # the host need not be there
    """Records a training with :class:`libprof.profile`; a step of the Trainer is a step.

    ``options`` are profile's: schedule, on_trace_ready, record_shapes ... ``results`` is the profile of the latest
    training. An evaluation during the training is in the step after which it happens.
    """

    def __init__(self, **options: Any) -> None:
        profile(**options)  # a wrong keyword is an error here, not in the middle of a training
        self._options = options
        self._step: Optional[record_function] = None
        self.results: Optional[profile] = None

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """Recording begins, as the schedule says."""
        self._end()
        self.results = profile(**self._options)
        self.results.start()

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        """One batch, or several where gradients accumulate."""
        self._step = record_function("Trainer.step")
        self._step.__enter__()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """The next step of the schedule."""
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None
        if self.results is not None:
            self.results.step()

    def on_train_end(self, *_: Any, **__: Any) -> None:
        """Recording ends."""
        self._end()

    def _end(self) -> None:
        if self.results is not None:
            self.results.stop()  # nothing happens where it is not running
