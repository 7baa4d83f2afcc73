#!/usr/bin/env python3
"""Checks a file in Prometheus' text format (0.0.4) and prints its samples with sorted labels.

    check_prometheus.py FILE

HELP and TYPE once and before the samples of a metric, those together; names and labels as the grammar has them, only the
three escapes; no series twice. Exits with 1 after having said what is wrong.
"""
import math
import re
import sys

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(,|(?=}))')


def sample(line):
    name = NAME.match(line)
    rest, labels = line[name.end():], []
    if rest.startswith("{"):
        at = 1
        while rest[at] != "}":
            label = LABEL.match(rest, at)
            if not label:
                raise ValueError(f"no label: {rest[at:at + 60]!r}")
            labels.append((label[1], label[2]))
            at = label.end()
        rest = rest[at + 1:]
    if len(dict(labels)) != len(labels) or not rest.startswith(" "):
        raise ValueError(f"no sample: {line[:80]!r}")
    value = float(rest[1:])
    if not math.isfinite(value):
        raise ValueError(f"no number: {line[:80]!r}")
    return name[0], tuple(sorted(labels)), rest[1:]


def check(text):
    if not text.endswith("\n"):
        raise ValueError("the last line does not end")
    helped, typed, done, series, current, histogram = set(), set(), set(), set(), None, None
    for line in text[:-1].split("\n"):
        if line.startswith("# "):
            _, kind, name, rest = line.split(" ", 3)
            known = {"HELP": helped, "TYPE": typed}[kind]
            if name in known or name in done or (kind == "TYPE" and rest not in ("gauge", "counter", "histogram")):
                raise ValueError(f"out of place: {line!r}")
            known.add(name)
            histogram = name if rest == "histogram" else None
            if kind == "TYPE" and (rest == "counter") != name.endswith("_total"):
                raise ValueError(f"a counter, and no other, ends in _total: {line!r}")
            continue
        name, labels, value = sample(line)
        full = name
        if histogram and name in (histogram + "_bucket", histogram + "_sum", histogram + "_count"):
            name = histogram
        if name != current:
            done.add(current)
            current = name
        if name in done or name not in helped & typed or (full, labels) in series:
            raise ValueError(f"out of place or twice: {line[:80]!r}")
        series.add((full, labels))
        print(repr(full + " " + " ".join(f"{key}={text}" for key, text in labels) + f": {value}")[1:-1])


try:
    with open(sys.argv[1], "rb") as file:
        check(file.read().decode("utf-8", "strict"))
except (ValueError, KeyError, IndexError, TypeError) as problem:
    print(f"{sys.argv[1]}: {type(problem).__name__}: {problem}", file=sys.stderr)
    sys.exit(1)
