"""How times, sizes and shares are written: as profdump's tables and torch.profiler's do, and in sentences. And texts of a file."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

_UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}


def _fixed(value: float, scale: int, digits: int) -> str:
    """Rounded half up, from exact integers on, as time_text() of export/base/units.c does."""
    scaled = int(value * scale + 0.5) if 0 < value < 1e15 else 0
    return f"{scaled // scale}.{scaled % scale:0{digits}}"


def ns_text(ns: float, unit: Optional[str] = None) -> str:
    """ "1.500ms" in the unit that suits, or in this one: s, ms, us, ns."""
    if unit is None:
        unit = "s" if ns >= 1e9 else "ms" if ns >= 1e6 else "us"
    return f"{_fixed(ns / _UNITS[unit], 1000, 3)}{unit}"


def time_text(ns: float) -> str:
    """Four digits in the unit that fits: ``1.234 ms``."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if abs(ns) >= size:
            return f"{ns / size:.4g} {unit}"
    return f"{ns:.4g} ns"


def counted(count: int, what: str) -> str:
    """ "1 rank", "2 ranks"."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def us_text(time_us: float) -> str:
    """torch.profiler's: microseconds, in the unit that suits; also negative ones."""
    return f"-{ns_text(-1000 * time_us)}" if time_us < 0 else ns_text(1000 * time_us)


def share_text(part: float, whole: float) -> str:
    """Percents of a whole; "-" of nothing."""
    return f"{_fixed(100.0 * part / whole, 100, 2)}%" if whole > 0 else "-"


def bytes_text(size: int) -> str:
    """ "1.50 KB": units of 1,024, two decimals rounded half up."""
    amount, sign = abs(size), "-" if size < 0 else ""
    if amount < 1024:
        return f"{sign}{amount} B"
    shift, unit = next(
        (shift, unit) for shift, unit in ((30, "GB"), (20, "MB"), (10, "KB")) if amount >> shift
    )
    hundredths = (amount >> shift) * 100 + ((amount & ((1 << shift) - 1)) * 100 + (1 << shift >> 1) >> shift)
    return f"{sign}{hundredths // 100}.{hundredths % 100:02} {unit}"


def flops_unit(least: float) -> Tuple[str, float]:
    """ "Total MFLOPs" and what to divide by, for a column whose smallest value this is, as in torch.profiler."""
    prefixes = ("", "K", "M", "G", "T", "P")
    power = 0
    while power < len(prefixes) - 1 and least >= 1000 ** (power + 1):
        power += 1
    return f"Total {prefixes[power]}FLOPs", 1000.0**power


def printable(text: str) -> str:
    """A line with what is not printable spelt out: texts of a file may have words for the terminal, or a line's end."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def ranks_text(ranks: Sequence[int], most: int = 0) -> str:
    """Formats ranks as "rank 2", "ranks 0, 5-9". With `most`, lists at most that many parts, and counts the other ranks."""
    runs: List[Tuple[int, int]] = []
    for rank in sorted(ranks):
        if runs and rank == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], rank)
        else:
            runs.append((rank, rank))
    shown = runs[: most or len(runs)]
    parts = [str(first) if first == last else f"{first}-{last}" for first, last in shown]
    rest = len(ranks) - sum(last - first + 1 for first, last in shown)
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {', '.join(parts)}" + (f" and {rest} more" if rest else "")


def check_unit(unit: Optional[str]) -> None:
    """ValueError for a unit that there is not."""
    if unit is not None and unit not in _UNITS:
        raise ValueError(f"unknown time_unit {unit!r}; known: {', '.join(_UNITS)}")
