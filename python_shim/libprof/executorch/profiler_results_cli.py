"""Prints the tables of a prof buffer: ``python -m libprof.executorch.profiler_results_cli --prof_results_bin
FILE``."""

from __future__ import annotations

import argparse
import sys
from typing import Optional, Sequence

from .._cli import finish
from .parse_profiler_results import all_tables, deserialize_profile_results
from .time_scale import TimeScale


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Returns the exit status: 0, or 1 after having said on standard error what is wrong."""
    parser = argparse.ArgumentParser(
        prog="profiler_results_cli", description="Prints the tables of a prof buffer of ExecuTorch."
    )
    parser.add_argument("--prof_results_bin", required=True, metavar="FILE", help="the prof buffer")
    parser.add_argument(
        "--time-scale",
        "--time_scale",
        choices=["ns", "us", "ms", "cycles"],
        default="ns",
        help="what its ticks are (default: ns); times are shown in ms, or in cycles",
    )
    parser.add_argument("--wrap32", action="store_true", help="32-bit tick counter that wraps")

    def print_tables() -> None:
        given = parser.parse_args(arguments)
        scale = TimeScale(given.time_scale)
        for table in all_tables(
            deserialize_profile_results(given.prof_results_bin, scale, wrap32=given.wrap32)
        ):
            print(table)

    return finish(parser.prog, print_tables)


if __name__ == "__main__":
    sys.exit(main())
