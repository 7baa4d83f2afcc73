"""How far the values of two runs are apart. ``profdump executorch blocks --compare`` does the arithmetic.

a reference, b run, both as float64, NaN taken as 0
MSE     mean (a - b)^2
L1      sum |a - b|
SNR     10 log10 (mean a^2 / mean (a - b)^2), in dB; infinite where nothing differs
cosine  sum a b / (|a| |b|); NaN where one of them is all zeros
"""

from __future__ import annotations

import importlib
import math
import os
import struct
import sys
import tempfile
from typing import Any, Dict, List, Optional, Sequence, TextIO

from ..errors import ProfError
from ._answer import Source, as_path, ask
from ._flat import etdump, numbers, table, text, vector
from .values import LoggedTensor

METRICS = {"snr": "snr", "mse": "mse", "cosine_similarity": "cosine"}
"""Metrics of :func:`compare_results`, and what profdump calls them."""

DISTANCES = {"MSE": "mse", "L1": "l1", "SNR": "snr", "COSINE": "cosine"}
"""Distances of the Inspector's calculate_numeric_gap(), and what profdump calls them."""

_FLOAT64, _TENSOR = 7, 5


def _flat_numbers(value: Any) -> List[float]:
    """The elements of a logged tensor, of one of PyTorch or numpy, of nested sequences, or one number."""
    if isinstance(value, LoggedTensor):
        return [float(element) for element in value.flat()]
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [element for part in value for element in _flat_numbers(part)]
    return [float(value)]


def _write_values(values: Sequence[Sequence[float]], directory: str, name: str) -> str:
    """An ETDump that logged each as a tensor of one dimension, and its debug buffer beside it."""
    events, offset, buffer = [], 0, bytearray()
    for index, elements in enumerate(values):
        tensor = table({0: ("b", _FLOAT64), 1: numbers("q", [len(elements)]), 3: ("q", offset)})
        value = table({0: ("b", _TENSOR), 1: tensor})
        events.append(table({2: table({1: ("i", index), 2: value, 5: text("value")})}))
        buffer += struct.pack(f"<{len(elements)}d", *elements)
        offset = len(buffer)
    path = os.path.join(directory, name)
    with open(path + ".etdp", "wb") as dump, open(path + ".bin", "wb") as elements_file:
        dump.write(etdump([table({0: text("values"), 3: vector(events)})]))
        elements_file.write(buffer)
    return path


def _with_infinity(row: Dict[str, Any]) -> Dict[str, Any]:
    """JSON has no infinity: where nothing differs the SNR is null."""
    if "problem" not in row:
        if row["snr"] is None:
            row["snr"] = math.inf if row["mse"] == 0 else math.nan
        row.update({key: math.nan if row[key] is None else float(row[key]) for key in DISTANCES.values()})
    return row


def compare_dumps(
    reference: Source, reference_buffer: Optional[str], run: Source, run_buffer: Optional[str]
) -> List[Dict[str, Any]]:
    """A row for each value of the run: block, iteration, name, output, instruction, part, elements, and
    metrics or the
    problem that there is."""
    with tempfile.TemporaryDirectory(prefix="libprof-") as directory, as_path(reference) as dump:
        link = os.path.join(directory, "reference")  # the argument has a colon between its parts
        os.symlink(os.path.abspath(dump), link + ".etdp")
        argument = link + ".etdp"
        if reference_buffer is not None:
            os.symlink(os.path.abspath(reference_buffer), link + ".bin")
            argument += f":{link}.bin"
        options = ["--compare", argument] + (["--debug-buffer", run_buffer] if run_buffer is not None else [])
        return [_with_infinity(row) for row in ask(run, *options)["values"]]


def _compared(left: Sequence[List[float]], right: Sequence[List[float]]) -> List[Dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="libprof-") as directory:
        reference, run = _write_values(left, directory, "left"), _write_values(right, directory, "right")
        return compare_dumps(reference + ".etdp", reference + ".bin", run + ".etdp", run + ".bin")


def _print_metric(name: str, values: Sequence[float], file: TextIO) -> None:
    print(name, file=file)
    for index, value in enumerate(values):
        print(f"{index:<5}{value:>8.5f}", file=file)


def _plot(results: Dict[str, List[float]]) -> None:
    try:
        pyplot: Any = importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError("compare_results(plot=True) needs matplotlib (pip install matplotlib)") from error
    figure, axes = pyplot.subplots(len(results), 1, squeeze=False)
    for axis, (name, values) in zip(axes[:, 0], results.items()):
        axis.plot(values, marker="o")
        axis.set_title(name)
    figure.tight_layout()
    pyplot.show()


def compare_results(
    reference_output: Sequence[Any],
    run_output: Sequence[Any],
    metrics: Optional[Sequence[str]] = None,
    plot: bool = False,
    *,
    file: Optional[TextIO] = None,
) -> Dict[str, List[float]]:
    """How far each output of a run is from the reference's, printed and returned by metric.

    Outputs are logged tensors, tensors of PyTorch, arrays, nested lists or numbers, as many on both sides and
    of the same number of elements. ``metrics`` are some of snr, mse, cosine_similarity (None: all). Values
    are rounded to 2 decimals. ``plot`` draws them too, which needs matplotlib. ``file`` is where it is
    printed, standard output if None.

    Raises :class:`ValueError` for an unknown metric, and where the outputs do not fit each other.
    """
    wanted = list(METRICS) if metrics is None else list(metrics)
    for metric in wanted:
        if metric not in METRICS:
            raise ValueError(f"Unsupported metric {metric!r}: one of {', '.join(METRICS)}")
    left = [_flat_numbers(value) for value in reference_output]
    right = [_flat_numbers(value) for value in run_output]
    if [len(value) for value in left] != [len(value) for value in right]:
        raise ValueError(
            f"outputs do not fit: the reference's have {[len(value) for value in left]} elements, "
            f"the run's {[len(value) for value in right]}"
        )
    rows = _compared(left, right) if left else []
    for row in rows:
        if "problem" in row:
            raise ProfError(f"value {row['instruction']} {row['problem']}")
    results = {metric: [round(row[METRICS[metric]], 2) for row in rows] for metric in wanted}
    for metric, values in results.items():
        _print_metric(metric, values, file or sys.stdout)
    if plot:
        _plot(results)
    return results


def distance_key(distance: str) -> str:
    """What profdump calls it; :class:`ValueError` for an unknown one."""
    if distance not in DISTANCES:
        raise ValueError(f"Unsupported distance metric {distance}: one of {', '.join(DISTANCES)}")
    return DISTANCES[distance]
