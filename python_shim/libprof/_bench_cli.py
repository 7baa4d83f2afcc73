"""``python -m libprof bench MODULE:FUNCTION``: device time of one call of a function."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from typing import Any, Callable, List

from . import _bench
from ._answers import INCONCLUSIVE
from ._cli import finish
from .errors import BenchError


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m libprof bench",
        description="Measure one call of a function without arguments on the device. Exits with status 5 if the recording does not "
        "support a number, and says why. Of a recording, 'profdump bench --range NAME FILE' gives the same numbers.",
    )
    parser.add_argument("function", metavar="MODULE:FUNCTION", help="imported from the current directory, too")
    parser.add_argument("--setup", metavar="FUNCTION", help="of the same module, called once before")
    parser.add_argument("--warmup", type=int, default=3, metavar="N", help="calls that are not measured (3)")
    parser.add_argument("--repeats", type=int, default=0, metavar="N", help="calls that are measured (as many as fit in --min-time)")
    parser.add_argument("--min-time", default="200ms", metavar="TIME", help="such as 200ms or 1.5s (200ms)")
    parser.add_argument("--warm", action="store_true", help="do not clear the L2 cache between calls")
    parser.add_argument("--graph", action="store_true", help="capture the call in a CUDA graph and measure replays")
    parser.add_argument("--max-relative-error", type=float, default=5.0, metavar="PERCENT", help="give no number above that (5)")
    parser.add_argument("--allow-varying", action="store_true", help="report calls by their sequence of operations")
    parser.add_argument("--json", action="store_true", help="print JSON, as 'profdump bench --json' does")
    return parser


def _function(module_name: str, name: str) -> Callable[[], Any]:
    found = importlib.import_module(module_name)
    for part in name.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{module_name}:{name} is not a function")
    return found


def _measure(options: argparse.Namespace) -> None:
    module, _, name = options.function.partition(":")
    sys.path.insert(0, os.getcwd())
    result = _bench.bench(
        _function(module, name),
        setup=_function(module, options.setup) if options.setup else None,
        warmup=options.warmup,
        repeats=options.repeats or None,
        min_time=options.min_time,
        cold_l2=not options.warm,
        graph=options.graph,
        max_relative_error=options.max_relative_error / 100,
        allow_varying=options.allow_varying,
    )
    print(result.json() if options.json else result)


def main(words: List[str]) -> int:
    """Exit status 0; 5 if there is no number, after the reasons; 1 after another error; 2 for wrong usage."""
    parser = _parser()
    options = parser.parse_args(words)
    refusal: List[BenchError] = []

    def measure() -> None:
        try:
            _measure(options)
        except BenchError as error:
            refusal.append(error)
            if options.json and error.answer is not None:
                print(json.dumps(error.answer))

    module, colon, name = options.function.partition(":")
    if not (module and colon and name):
        parser.error(f"{options.function}: MODULE:FUNCTION, such as train:step")
    try:
        status = finish("libprof", measure)
    except (ImportError, AttributeError) as error:
        print(f"libprof: {options.function}: {error}", file=sys.stderr)
        return 1
    for reason in refusal:
        print(f"libprof: {reason}", file=sys.stderr)
    return INCONCLUSIVE if refusal and not status else status
