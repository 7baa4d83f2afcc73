#!/usr/bin/env python3
"""Compares the metrics that a process wrote while it ran with those of its recording.

    prometheus_expect.py LIVE DUMP

Each metric that both files have has the same series and values in both, but for its cost, which is stated at
another moment. Exits with status 1 after it said what differs.
"""
import sys


def read(path):
    types, values = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("# TYPE "):
                types[line.split()[2]] = line.split()[3]
            elif not line.startswith("#"):
                series, value = line.rstrip("\n").rsplit(" ", 1)
                values[series] = float(value)
    return types, values


def family(series):
    name = series.split("{")[0]
    for suffix in ("_bucket", "_sum", "_count"):
        name = name[:-len(suffix)] if name.endswith("step_seconds" + suffix) else name
    return name


live_types, live = read(sys.argv[1])
dump_types, dump = read(sys.argv[2])
both = set(live_types) & set(dump_types)
problems = [f"{name} is a {live_types[name]} and a {dump_types[name]}" for name in both if live_types[name] != dump_types[name]]
for series in sorted(set(live) | set(dump)):
    if family(series) not in both or "cost_seconds" in series:
        continue
    if series not in live or series not in dump:
        problems.append(f"{series}: {live.get(series)} while it ran, {dump.get(series)} afterwards")
    elif abs(live[series] - dump[series]) > 1e-6 + 0.001 * abs(dump[series]) * ("recorded_seconds" in series):
        problems.append(f"{series}: {live[series]} while it ran, {dump[series]} afterwards")
if len(both) < 13:
    problems.append(f"only {len(both)} metrics are in both: {sorted(both)}")
print("\n".join(problems), end="\n" if problems else "")
sys.exit(bool(problems))
