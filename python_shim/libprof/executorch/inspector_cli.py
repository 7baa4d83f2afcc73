"""Prints an ETDump: ``python -m libprof.executorch.inspector_cli --etdump_path FILE``."""

from __future__ import annotations

import argparse
import sys
from typing import Optional, Sequence

from .._cli import finish
from .inspector import Inspector, TimeScale, compare_results


def _parser() -> argparse.ArgumentParser:
    scales = [scale.value for scale in TimeScale]
    parser = argparse.ArgumentParser(prog="inspector_cli", description="Prints the events of an ETDump.")
    parser.add_argument("--etdump_path", required=True, metavar="FILE", help="the ETDump")
    parser.add_argument("--source_time_scale", choices=scales, default="ns", help="what its ticks are (ns)")
    parser.add_argument(
        "--target_time_scale", choices=scales, default="ms", help="in what times are shown (ms)"
    )
    parser.add_argument("--etrecord_path", metavar="FILE", help="an ETRecord of the model")
    parser.add_argument("--debug_buffer_path", metavar="FILE", help="the elements of logged tensors")
    parser.add_argument("--tsv_path", metavar="FILE", help="write the events there as well")
    parser.add_argument(
        "--compare_results", action="store_true", help="compare outputs with those that the ETRecord expects"
    )
    return parser


def _run(given: argparse.Namespace) -> None:
    inspector = Inspector(
        etdump_path=given.etdump_path,
        etrecord=given.etrecord_path,
        debug_buffer_path=given.debug_buffer_path,
        source_time_scale=TimeScale(given.source_time_scale),
        target_time_scale=TimeScale(given.target_time_scale),
    )
    inspector.print_data_tabular()
    if given.tsv_path:
        inspector.save_data_to_tsv(given.tsv_path)
    for block in inspector.event_blocks if given.compare_results else []:
        if block.name == "Execute":
            if block.reference_output is None:
                raise ValueError("--compare_results: it is not known what the outputs should be")
            compare_results(block.reference_output, block.run_output or [])


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Returns the exit status: 0, or 1 after having said on standard error what is wrong."""
    parser = _parser()
    return finish(parser.prog, lambda: _run(parser.parse_args(arguments)))


if __name__ == "__main__":
    sys.exit(main())
