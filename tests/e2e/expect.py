"""expect.py PROFDUMP FILE EXPRESSION...: the trace is valid, and each expression about it is true.

An expression is Python and sees

    count   {name: number}, the ranges and marks of each name (0 for others)
    loss    {cause: number}
    heap(kind or allocator)  one of memory's heaps; None: there is none, or several
    memory  {heaps, leaks, ranges, pools, managed ...} of `profdump memory`
    process {pid, program, closed, rank ...}
    raw     the file as trace_file.py reads it
    size    of the file in bytes
"""
import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from trace_file import TraceFile  # noqa: E402


def heap_of(memory):
    """heap(name): the heap of that kind or allocator; None where there is none, or more than one."""
    def heap(name):
        found = [heap for heap in (memory or {}).get("heaps", []) if name in (heap["kind"], heap["allocator"])]
        return found[0] if len(found) == 1 else None
    return heap


def facts_of(profdump, path):
    text = subprocess.run([profdump, "--json", path], stdout=subprocess.PIPE, check=True).stdout
    facts = json.loads(text)
    count = collections.Counter()
    for row in facts["key_averages"]:
        count[row["name"]] += row["count"]
    return {"count": count, "loss": facts["loss"], "process": facts["processes"][0],
            "memory": facts.get("memory"), "heap": heap_of(facts.get("memory")), "size": os.path.getsize(path)}


def main(profdump, path, *expressions):
    checked = subprocess.run([profdump, "check", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if checked.returncode != 0:
        sys.exit(f"FAILED: profdump check {path}\n{checked.stdout}")
    facts = facts_of(profdump, path)
    if "raw" in " ".join(expressions):
        facts["raw"] = TraceFile(path)
    for expression in expressions:
        if not eval(expression, dict(facts)):
            shown = {"count": {name[:40]: n for name, n in facts["count"].most_common(20)}, "size": facts["size"],
                     "loss": {cause: number for cause, number in facts["loss"].items() if number}}
            sys.exit(f"FAILED: {path}: {expression}\n{shown}")


if __name__ == "__main__":
    main(*sys.argv[1:])
