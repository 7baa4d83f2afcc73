"""roofline_files.py PROFDUMP DATA: analyze over all Chrome traces below DATA.

The number of kernels, and of those without a duration, is counted here from the JSON itself; sums over rows
must agree with it, by each way of grouping, and every number must be finite or null.
"""
import gzip
import json
import pathlib
import subprocess
import sys

profdump, data = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def expect(right, what):
    if not right:
        failures.append(what)
        print("FAILED:", what)


def load(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as stream:
        trace = json.load(stream)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    return events if isinstance(events, list) else []


def kernels_of(events):
    durations = [event.get("dur", 0) for event in events
                 if isinstance(event, dict) and event.get("ph") == "X"
                 and str(event.get("cat", "")).lower() == "kernel"]
    return len(durations), sum(1 for duration in durations if duration == 0)


def no_constant(name):
    raise ValueError(name + " is no JSON")


def analyze(path, *options):
    result = subprocess.run([profdump, "roofline", "--json", "--rows", "-1", *options, str(path)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    expect(result.returncode in (0, 5), f"{path.name}: exit status {result.returncode}")
    if not result.stdout:
        return result.returncode, None
    return result.returncode, json.loads(result.stdout, parse_constant=no_constant)


def check_row(path, row):
    where = f"{path.name}: {row['name']}"
    expect(0 < row["count"] and row["untimed"] <= row["count"], where + ": count")
    expect((row["flop"] is None) == (row["flop_count"] == 0), where + ": FLOP of nothing")
    unknown = sum(row["flop_unknown"].values())
    expect(row["flop_count"] + unknown == row["count"], where + ": reasons")
    if row["count"] == row["untimed"]:
        expect(row["tflops"] is None and row["gbs"] is None, where + ": a rate without time")
    if row["bound"] != "unknown":
        expect(row["intensity"] is not None and row["roof_share"] is not None, where + ": bound")


def check(path):
    try:
        events = load(path)
    except (ValueError, KeyError, UnicodeDecodeError):
        return 0
    wanted, untimed = kernels_of(events)
    for by in ("kernel", "op", "range"):
        status, report = analyze(path, "--group-by", by)
        expect((status == 0) == (wanted > 0), f"{path.name}: status {status}, {wanted} kernels")
        if report is None:
            continue
        rows = [row for device in report["devices"] for row in device["rows"]]
        counted = sum(row["count"] for row in rows)
        expect(counted == wanted, f"{path.name} by {by}: {counted} of {wanted} kernels")
        expect(sum(row["untimed"] for row in rows) == untimed, f"{path.name} by {by}: untimed")
        for row in rows:
            check_row(path, row)
    return wanted


def flop_of(path, name):
    report = analyze(path)[1]
    return [row["flop"] for device in report["devices"] for row in device["rows"] if name in row["name"]]


total = 0
for trace in sorted(data.glob("**/*.json*")):
    if trace.parent.name not in ("executorch",):
        count = check(trace)
        total += count
        print(f"{trace.name}: {count} kernels")
expect(total > 10000, f"{total} kernels in all")
example = data / "pytorch" / "test_analysis_example_profile.json"
expect(flop_of(example, "addmm") == [4096000], "FLOP of addmm")
expect(flop_of(example, "convolution") == [236027904], "FLOP of a convolution")
sys.exit(1 if failures else 0)
