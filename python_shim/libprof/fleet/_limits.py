"""Thresholds of what `profdump fleet` reports, with a file that changes them, as that of ``profdump explain --limits``."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Dict

from ..errors import ProfError


@dataclass(frozen=True)
class Limits:
    """Shares are of the job's median step."""

    least_share: float = 0.01
    """A rank must take longer by this share. With fewer than four ranks, which do not show how far ranks differ anyway, three times this."""
    least_stage_share: float = 0.05
    """The same of a whole stage of a pipeline: stages are never quite equal."""
    least_stall: float = 0.5
    """A single step must take longer by this share."""
    stall_deviations: float = 10.0
    """... and by this many standard deviations of the noise, which is estimated from the median deviation."""
    false_alarm: float = 0.001
    """Probability that chance alone makes any rank of the job stand out."""
    exposed: float = 0.3
    """Share of what a rank takes longer that the others must have lost to waiting, with nothing else to do."""
    slow_transfer: float = 1.5
    """A communicator is slow if its transfers take this many times as long as the fastest of its like."""


def read_limits(path: str) -> Limits:
    """Lines ``name = number``; text after ``#`` is a comment. :class:`ProfError` for anything else."""
    known = [field.name for field in dataclasses.fields(Limits)]
    values: Dict[str, float] = {}
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ProfError(f"{path}: {error}") from None
    for number, line in enumerate(lines, 1):
        name, equals, text = (part.strip() for part in line.partition("#")[0].partition("="))
        if not name and not equals:
            continue
        if name not in known:
            raise ProfError(f"{path}:{number}: there is no limit '{name}'; known are {', '.join(known)}")
        try:
            values[name] = float(text)
        except ValueError:
            values[name] = -1.0
        if not 0 <= values[name] < float("inf"):
            raise ProfError(f"{path}:{number}: '{text}' is no number of 0 or more")
    if not 0 < values.get("false_alarm", 0.5) < 1:
        raise ProfError(f"{path}: false_alarm is a probability between 0 and 1")
    return Limits(**values)
