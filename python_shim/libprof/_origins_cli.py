"""``profdump origins``: which operators and lines of the program each of Inductor's kernels comes from."""

from __future__ import annotations

import argparse
from typing import List

from . import trace
from ._answers import answer, cut_rows, one_input
from ._cli import add_listing_options, finish, parse_listing
from ._origins import FILES, origins_text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="profdump origins",
        description="List the kernels that Inductor generated, and the operators that each fuses. Shows the source lines if the "
        f"program ran with INDUCTOR_PROVENANCE=1. Files: {', '.join(FILES)}.",
    )
    parser.add_argument("trace", metavar="TRACE", help="a recording, of any format that profdump reads")
    parser.add_argument("sources", nargs="*", metavar="FILE|DIRECTORY", help="Inductor's provenance files, or a directory of them (default: those beside TRACE)")
    add_listing_options(parser, -1, "show N kernels (default: all)")
    return parser


def _run(words: List[str]) -> None:
    options = parse_listing(_parser(), words)
    listed = trace.read(options.trace).origins(*options.sources)
    if options.format == "json":
        shown, truncated = cut_rows("origins", listed, options.rows)
        inputs = [one_input(path) for path in (options.trace, *options.sources)]
        print(answer("origins", inputs, {"origins": [one._asdict() for one in shown]}, truncated=truncated))
    else:
        print(origins_text(listed, options.rows), end="")


def main(words: List[str]) -> int:
    """Exit status 0; 1 after a sentence on standard error; 2 for wrong usage."""
    return finish("profdump", lambda: _run(words))
