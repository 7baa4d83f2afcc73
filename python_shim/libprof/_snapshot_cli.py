"""``profdump snapshot``: a memory snapshot of PyTorch as tables, as JSON, or in another format."""

from __future__ import annotations

import argparse
import sys
from typing import List

from ._answers import answer, one_input
from ._cli import add_listing_options, finish, parse_listing
from ._snapshot import MemorySnapshot, memory_snapshot
from ._times import printable


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="profdump snapshot",
        description="Show what PyTorch's caching allocator held: segments, the peak and its owners, what was alive when memory "
        "ran out. FILE is what torch.cuda.memory._dump_snapshot() wrote, or the same as JSON. Nothing in it is executed.",
    )
    parser.add_argument("file", metavar="FILE", help="snapshot.pickle")
    add_listing_options(parser, 10, "show N rows of each list (default: 10; -1: all)")
    parser.add_argument("-o", "--output", metavar="OUT", help="write the history as a Chrome trace, HTML report or another format")
    parser.add_argument("--to", metavar="FORMAT", help="the format of OUT, if its extension does not say it")
    return parser


def _run(words: List[str]) -> None:
    parser = _parser()
    options = parse_listing(parser, words)
    if options.to and not options.output:
        parser.error("--to: it needs -o OUT")
    snapshot = memory_snapshot(options.file)
    if options.output:
        snapshot.export(options.output, options.to)
        if not snapshot.has_times:
            said = f"profdump: {options.file} has no times: {options.output} shows the order of the allocator's actions alone"
            print(printable(said), file=sys.stderr)
    else:
        _print(snapshot, options)


def _print(snapshot: MemorySnapshot, options: argparse.Namespace) -> None:
    if options.format == "json":
        print(answer("snapshot", [one_input(options.file, "memory snapshot of PyTorch")], snapshot.to_dict(options.rows)))
    else:
        print(snapshot.table(options.rows), end="")


def main(words: List[str]) -> int:
    """Exit status 0; 1 after a sentence on standard error; 2 for wrong usage."""
    return finish("profdump", lambda: _run(words))
