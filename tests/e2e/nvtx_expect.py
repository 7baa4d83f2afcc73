"""nvtx_expect.py FILE EXPRESSION...: each expression about what NVTX gave is true.

An expression is Python and sees

    ranges    in the order of their begin: .domain .name .category .color .depth .attributes .ended
    marks     the same
    unopened  pops and ends of ranges that were not open
    count     {(domain, name): number} of the ranges that were ended
    of        of(name), the first range or mark of this name
    raw       the file as trace_file.py reads it
"""
import collections
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from trace_file import TraceFile  # noqa: E402


def main(path, *expressions):
    raw = TraceFile(path)
    ranges, marks, unopened = raw.nvtx()
    facts = {"raw": raw, "ranges": ranges, "marks": marks, "unopened": unopened,
             "count": collections.Counter((each.domain, each.name) for each in ranges if each.ended),
             "of": lambda name: next(each for each in ranges + marks if each.name == name)}
    for expression in expressions:
        if not eval(f"({expression})", facts):
            shown = "\n".join(map(str, (ranges + marks)[:12]))
            sys.exit(f"FAILED: {path}: {expression}\n{shown}\nunopened {unopened}, lost {sum(raw.loss)}\n"
                     f"{raw.domains} {raw.categories} {raw.resources} {raw.threads}")


if __name__ == "__main__":
    main(*sys.argv[1:])
