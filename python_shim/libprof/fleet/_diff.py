"""Two runs of a job: what takes longer in the second one, on which ranks, and whether that exceeds the noise.

A value is the time of one rank in one step; of a name, the mean of its calls there. The noise of the mean of all values
comes from ranks and from steps; each is estimated by the variance of their means. Ranks that both runs have are compared
with themselves. A change counts if it exceeds the noise: Welch's t test at 95 %, with Bonferroni's correction for the
number of rows. A single rank changed if its own values did, by the same test corrected for the number of ranks, too.

Causes come before effects. Communication that takes longer is an effect if ranks wait longer for the last one to enter and
transfers are as fast as before; a call that waits for the device is one, too.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from .._answers import FOUND, INCONCLUSIVE
from .._times import time_text
from . import _engine, _pipeline, _verdict

CONFIDENCE = 0.95
LEAST_STEPS = 3
"""Minimum number of steps of each run: with fewer, noise cannot be estimated."""
LEAST_CHANGE = 0.001
"""A smaller change, as a share, is no change: clocks of hosts drift by a few parts in a million."""
LEAST_RANK_CHANGE = 0.01
"""The same for a single rank."""
MATTERS = 0.05
"""If the noise may hide a change of this share, an excess within the noise is inconclusive, as in profdump diff."""
SENTENCES = 8


@dataclass
class Sample:
    """The values of one name, or of one part of the steps."""

    mean_ns: float = 0.0
    p50_ns: float = 0.0
    p99_ns: float = 0.0
    sum_ns: int = 0
    ranks: Dict[int, Tuple[float, float, int]] = field(default_factory=dict)
    """By rank: mean, variance and number of its values."""
    steps: Dict[int, float] = field(default_factory=dict)
    """By step: mean over its ranks."""


@dataclass
class Job:
    """What diff() needs of a dataset. `places`: pairs of rank and step, or ranks where there are no steps."""

    headline: str
    ranks: int
    places: int
    samples: Dict[Tuple[str, str], Sample]
    waited_ns: float
    """Per place: how long kernels of communication waited for the last rank."""
    transfer_ns: float
    """Per place: how long they ran after that."""


@dataclass(frozen=True)
class Change:
    """A row. `noise_ns`: half the width of the interval around the change of the mean; None: unknown."""

    kind: str
    name: str
    verdict: str
    before: Sample
    after: Sample
    noise_ns: Optional[float]
    per_step_ns: float
    ranks: Tuple[Tuple[int, float], ...]
    """Ranks that changed, with the change as a share: the largest first."""
    effect: str
    """Why this is not a cause of its own; empty: it may be one."""

    def ratio(self) -> Optional[float]:
        """Change of the mean as a share."""
        return _share(self.before.mean_ns, self.after.mean_ns)


WAITS_SQL = """WITH part AS (
    SELECT communicator, CASE WHEN communicator IS NULL THEN function END AS unnamed, sequence, duration_ns
    FROM collectives WHERE sequence IS NOT NULL AND duration_ns IS NOT NULL AND coalesce(group_place, 0) = 0),
whole AS (
    SELECT count(*) * min(duration_ns) AS transfer_ns, sum(duration_ns) AS all_ns
    FROM part GROUP BY communicator, unnamed, sequence HAVING count(*) > 1)
SELECT coalesce(sum(all_ns - transfer_ns), 0), coalesce(sum(transfer_ns), 0) FROM whole"""


def _communication(engine: Any) -> Tuple[float, float]:
    """How long all kernels of communication waited for the last rank, and how long they ran after that."""
    ((waited, transfer),) = engine.run(WAITS_SQL)[1]
    links = _pipeline.find_pipelines(engine).links
    waited_in_sends = sum(link.receiver_waited_ns + link.sender_waited_ns for link in links)
    return float(waited) + waited_in_sends, float(transfer) + sum(2 * link.sends * link.transfer_ns for link in links)


def measure(engine: Any) -> Job:
    """Reads the values of a dataset."""
    samples: Dict[Tuple[str, str], Sample] = {}
    for row in _engine.records(engine, _engine.sql_text("samples")):
        sample = samples.setdefault((row["kind"], row["name"]), Sample())
        if row["rank"] is not None:
            sample.ranks[row["rank"]] = (float(row["mean_ns"]), float(row["variance"] or 0), int(row["places"]))
        elif row["step"] is not None:
            sample.steps[row["step"]] = float(row["mean_ns"])
        else:
            sample.mean_ns, sample.p50_ns, sample.p99_ns = float(row["mean_ns"]), float(row["p50_ns"]), float(row["p99_ns"])
            sample.sum_ns = int(row["sum_ns"])
    ((ranks, steps),) = engine.run("SELECT (SELECT count(DISTINCT rank) FROM ranks), (SELECT count(*) FROM steps)")[1]
    waited_ns, transfer_ns = _communication(engine)
    places = max(1, steps or ranks)
    return Job(_verdict.headline(engine), ranks, steps or ranks, samples, waited_ns / places, transfer_ns / places)


# ---- noise ----


def _t_quantile(tests: int, freedom: float) -> float:
    """Two-sided quantile of Student's t for one of `tests` tests, by the expansion of Cornish and Fisher."""
    z = statistics.NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / tests)
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def _interval(parts: Iterable[Tuple[float, int]], tests: int) -> float:
    """Half the width of the interval around a mean whose variance is the sum of these: variance and degrees of freedom."""
    some = [(variance, freedom) for variance, freedom in parts if variance > 0 and freedom > 0]
    if not some:
        return 0.0
    whole = sum(variance for variance, _ in some)
    freedom = whole**2 / sum(variance**2 / freedom for variance, freedom in some)
    return _t_quantile(tests, freedom) * math.sqrt(whole)


def _of_mean(values: Sequence[float]) -> Tuple[float, int]:
    return (statistics.variance(values) / len(values), len(values) - 1) if len(values) > 1 else (0.0, 0)


def _noise(before: Sample, after: Sample, tests: int) -> Optional[float]:
    if min(len(before.steps), len(after.steps)) < LEAST_STEPS:
        return None
    parts = [_of_mean(list(sample.steps.values())) for sample in (before, after)]
    if before.ranks.keys() == after.ranks.keys():
        parts.append(_of_mean([after.ranks[rank][0] - before.ranks[rank][0] for rank in before.ranks]))
    else:
        parts += [_of_mean([mean for mean, _, _ in sample.ranks.values()]) for sample in (before, after)]
    return _interval(parts, tests)


def _changed_ranks(before: Sample, after: Sample, tests: int) -> Tuple[Tuple[int, float], ...]:
    common = before.ranks.keys() & after.ranks.keys()
    changed: List[Tuple[int, float]] = []
    for rank in common:
        (old, old_variance, m), (new, new_variance, n) = before.ranks[rank], after.ranks[rank]
        if min(m, n) < LEAST_STEPS or abs(new - old) <= LEAST_RANK_CHANGE * old:
            continue
        if old > 0 and abs(new - old) > _interval([(old_variance / m, m - 1), (new_variance / n, n - 1)], tests * len(common)):
            changed.append((rank, new / old - 1))
    return tuple(sorted(changed, key=lambda item: (-abs(item[1]), item[0])))


# ---- changes ----


def _share(before: float, after: float) -> Optional[float]:
    return after / before - 1 if before > 0 else None


def _verdict_of(before_ns: float, after_ns: float, noise_ns: Optional[float], ranks: Sequence[Tuple[int, float]]) -> str:
    if noise_ns is None:
        return "unknown"
    change_ns = after_ns - before_ns
    if abs(change_ns) > max(noise_ns, LEAST_CHANGE * before_ns):
        return "slower" if change_ns > 0 else "faster"
    if ranks:
        return "slower on some ranks" if ranks[0][1] > 0 else "faster on some ranks"
    return "same"


WAITING_CALL = re.compile("^cu.*Synchronize")


def _effect_of(key: Tuple[str, str], before: Job, after: Job) -> str:
    kind, name = key
    if kind == "call" and WAITING_CALL.match(name):
        return "it waits for the device"
    if kind == "communication" or key == ("part", "communication"):
        more_ns = after.waited_ns - before.waited_ns
        if abs(more_ns) > abs(after.transfer_ns - before.transfer_ns):
            return f"ranks wait {'longer' if more_ns > 0 else 'less'} for others in it"
    return ""


def _change(key: Tuple[str, str], before: Job, after: Job, tests: int) -> Change:
    old, new = before.samples.get(key, Sample()), after.samples.get(key, Sample())
    per_step = new.sum_ns / max(1, after.places) - old.sum_ns / max(1, before.places)
    if key not in before.samples or key not in after.samples:
        return Change(*key, "new" if key in after.samples else "gone", old, new, None, per_step, (), "")
    noise, ranks = _noise(old, new, tests), _changed_ranks(old, new, tests)
    verdict = _verdict_of(old.mean_ns, new.mean_ns, noise, ranks)
    return Change(*key, verdict, old, new, noise, per_step, ranks, "" if verdict == "same" else _effect_of(key, before, after))


def _by_cause(change: Change) -> Tuple[bool, float]:
    """Sorts effects after causes; of each, the largest change of the time per rank and step first."""
    return bool(change.effect), -abs(change.per_step_ns)


def diff(before: Job, after: Job) -> List[Change]:
    """Steps first, then their parts, then names; of each, causes before effects."""
    keys = sorted({*before.samples, *after.samples})
    changes = [_change(key, before, after, len(keys)) for key in keys]
    order = {"step": 0, "part": 1}
    return sorted(changes, key=lambda change: (order.get(change.kind, 2), *_by_cause(change)))


# ---- text ----


def _percent(share: Optional[float]) -> str:
    return "-" if share is None else f"{share * 100:+.1f} %"


def _where(change: Change, count: int = 3) -> str:
    shown = ", ".join(f"{rank} ({_percent(share)})" for rank, share in change.ranks[:count])
    return shown if len(change.ranks) <= count else f"{shown} and {len(change.ranks) - count} more"


def change_rows(changes: Iterable[Change]) -> _engine.Rows:
    """The table: percentages are changes from the first run to the second."""
    columns = ["kind", "name", "verdict", "before_ns", "after_ns", "mean", "noise", "p50", "p99", "per_step_ns", "ranks", "effect"]
    rows: List[Tuple[Any, ...]] = []
    for change in changes:
        old, new = change.before, change.after
        noise = None if change.noise_ns is None or old.mean_ns <= 0 else change.noise_ns / old.mean_ns
        shares = (change.ratio(), noise, _share(old.p50_ns, new.p50_ns), _share(old.p99_ns, new.p99_ns))
        percents = tuple(None if share is None else round(share * 100, 2) for share in shares)
        times = (round(old.mean_ns), round(new.mean_ns))
        rows.append((change.kind, change.name, change.verdict, *times, *percents, round(change.per_step_ns), _where(change), change.effect))
    return columns, rows


def _sentence(change: Change) -> str:
    where = f"; most on rank {_where(change)}" if change.ranks else ""
    if change.verdict in ("new", "gone"):
        return f"{change.kind} {change.name}: {change.verdict}, {time_text(abs(change.per_step_ns))} per rank and step"
    noise = "noise unknown: too few steps" if change.noise_ns is None else f"noise: {time_text(change.noise_ns)}"
    times = f"{time_text(change.before.mean_ns)}, then {time_text(change.after.mean_ns)}"
    verdict = "no difference beyond noise" if change.verdict == "same" else change.verdict
    title = change.name if change.kind in ("step", "part") else f"{change.kind} {change.name}"
    effect = f"; an effect: {change.effect}" if change.effect else ""
    return f"{title}: {verdict}, {_percent(change.ratio())} ({times}; {noise}){where}{effect}"


def sentences(before: Job, after: Job, changes: Sequence[Change]) -> List[str]:
    """The verdict on the steps, then what changed most."""
    lines = [f"The jobs have {before.ranks} and {after.ranks} ranks: all times are per rank and step."] if before.ranks != after.ranks else []
    lines += [f"- {_sentence(change)}" for change in changes if change.kind == "step"]
    told = [change for change in changes if change.kind != "step" and change.verdict not in ("same", "unknown")]
    told.sort(key=_by_cause)
    lines += [f"- {_sentence(change)}" for change in told[:SENTENCES]]
    return [*lines, f"- {len(told) - SENTENCES} more rows changed"] if len(told) > SENTENCES else lines


# ---- the gate ----


def _step_of(changes: Sequence[Change]) -> Optional[Change]:
    """The change of the mean step; None: a job has no steps."""
    step = next((change for change in changes if change.kind == "step"), None)
    return None if step is None or step.ratio() is None or step.verdict in ("new", "gone") else step


def verdict(changes: Sequence[Change]) -> str:
    """The verdict on the mean step: slower, faster, same, inconclusive or not comparable, as of profdump diff."""
    step = _step_of(changes)
    share = step.ratio() if step else None
    if step is None or share is None:
        return "not comparable"
    if step.noise_ns is None:
        return "inconclusive"
    if step.verdict in ("slower", "faster"):
        return step.verdict
    return "same" if abs(share) + step.noise_ns / step.before.mean_ns < MATTERS else "inconclusive"


def limit_of(text: str) -> float:
    """``5%`` or ``1.05x`` as 0.05; for argparse."""
    try:
        limit = float(text[:-1]) / 100 if text.endswith("%") else float(text[:-1]) - 1 if text.endswith("x") else -1.0
    except ValueError:
        limit = -1.0
    if not (0 <= limit < math.inf):
        raise argparse.ArgumentTypeError(f"{text!r} is no limit like 5% or 1.05x")
    return limit


def gate(changes: Sequence[Change], limit: float) -> Tuple[int, str]:
    """profdump's exit status, and a sentence that gives the reason: 4 if the mean step is slower by more than `limit` and by more than
    noise, 5 if noise may explain that or is unknown."""
    step = _step_of(changes)
    share = step.ratio() if step else None
    if step is None or share is None:
        return INCONCLUSIVE, f"step: at least one job has no steps, limit {limit * 100:g} %: INCONCLUSIVE"
    status = 0
    if share > limit and step.verdict == "slower":
        status = FOUND
    elif share > limit and (step.noise_ns is None or share + step.noise_ns / step.before.mean_ns >= MATTERS):
        status = INCONCLUSIVE
    verdict = "the noise is unknown" if step.noise_ns is None else step.verdict
    result = {FOUND: "FAILED", INCONCLUSIVE: "INCONCLUSIVE"}.get(status, "passed")
    return status, f"step: {verdict}, {_percent(share)}, limit {limit * 100:g} %: {result}"
