"""Which steps are recorded, and who counts them."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict

from . import recorder
from ._torch_enum import TorchEnum


class ProfilerAction(TorchEnum):
    """What a profile does during a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    """Record; the cycle ends with this step."""

    def __hash__(self) -> int:  # like PyTorch's, which is a Python enumeration
        return hash(self.name)


Schedule = Callable[[int], Any]
"""Maps the number of a step, counted from 0, to an action: one of these, or of torch.profiler's."""


def action_of(wanted: Any) -> ProfilerAction:
    """The action of the same number: torch.profiler has an enumeration of its own. TypeError for anything else."""
    try:
        return ProfilerAction(getattr(wanted, "value", None))
    except ValueError:
        raise TypeError(f"a schedule must return a ProfilerAction, not {wanted!r}") from None


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Returns a schedule that repeats cycles of `wait` steps off, `warmup` steps recorded but discarded, and
    `active` steps recorded.

    Before the first cycle it skips `skip_first` steps. It ends after `repeat` cycles; 0 means never. With
    `skip_first_wait`, the first cycle has no `wait` steps. Raises AssertionError for invalid numbers,
    TypeError for what is no integer.
    """
    counts = {
        "wait": wait, "warmup": warmup, "active": active, "repeat": repeat, "skip_first": skip_first,
        "skip_first_wait": skip_first_wait,
    }  # fmt: skip
    other = [f"{name}={count!r}" for name, count in counts.items() if not hasattr(count, "__index__")]
    if other:
        raise TypeError(f"invalid schedule: {', '.join(other)} (numbers of steps are integers)")
    wrong = [f"{name}={count}" for name, count in counts.items() if count < (name == "active")]
    if wrong:
        raise AssertionError(f"invalid schedule: {', '.join(wrong)} (at least 0 steps, and 1 for active)")
    if warmup == 0:
        warnings.warn(
            "without warmup, the first active step includes the cost of starting to record", stacklevel=2
        )
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        step -= skip_first
        if step >= 0 and skip_first_wait:
            step += wait
        if step < 0 or (repeat and step >= repeat * length):
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def always(_step: int) -> ProfilerAction:
    """The default schedule: records all steps."""
    return ProfilerAction.RECORD


class KinetoStepTracker:
    """Step counts by requester (profilers and optimizers). The recorder's step advances when the
    largest count does.
    """

    _current_step = 0
    _counts: Dict[str, int] = {}

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        """Adds a requester, whose count begins at the step in progress."""
        cls._counts[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Removes a requester; returns whether it was there."""
        return cls._counts.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Counts a step of the requester; returns the step then in progress."""
        largest = cls._count(requester)
        while cls._current_step < largest:
            cls._current_step += 1
            recorder.step(cls._current_step)
        return cls._current_step

    @classmethod
    def _count(cls, requester: str) -> int:
        """The largest count, after one step more of the requester."""
        cls._counts[requester] = cls._counts.get(requester, cls._current_step) + 1
        return max(cls._counts.values())

    @classmethod
    def _count_profile(cls, requester: str) -> None:
        """Like increment_step(), for a profile, which records its step itself."""
        cls._current_step = max(cls._current_step, cls._count(requester))

    @classmethod
    def _count_optimizer(cls, *_call: Any) -> None:
        """Counts a step of a PyTorch optimizer, unless a profile counts steps."""
        if not any(requester.startswith("ProfilerStep") for requester in cls._counts):
            cls.increment_step("Optimizer")

    @classmethod
    def current_step(cls) -> int:
        """The step that is in progress."""
        return cls._current_step


def count_optimizer_steps(optimizer: Any) -> None:
    """Counts each step() of an optimizer as a step from now on. `optimizer` is torch.optim.optimizer."""
    optimizer.register_optimizer_step_post_hook(KinetoStepTracker._count_optimizer)
