#!/usr/bin/env python3
"""What Chrome traces hold, found without libprof, compared with what profdump makes of them.

    chrome_inputs.py make FILE                 writes a trace with what is odd but allowed
    chrome_inputs.py compare FILE READ         READ: profdump --json of FILE
    chrome_inputs.py same FILE COPY            every event and member is equal, as JSON
    chrome_inputs.py merged MERGED FILE...     the events of the files, in order, with ids kept apart
    chrome_inputs.py holds MIXED ALONE         all events of ALONE are in MIXED, wherever they lie in time
"""
import collections
import decimal
import gzip
import json
import sys

DEVICE = {"Kernel": "kernel", "kernel": "kernel", "Memcpy": "memcpy", "gpu_memcpy": "memcpy",
          "Memset": "memset", "gpu_memset": "memset"}
CALLS = ("Runtime", "cuda_runtime", "cuda_driver")
LEFT_OUT = ("Trace", "gpu_user_annotation", "python_function", "cuda_sync", "overhead")
TIME_UNITS = decimal.Decimal(1000)


def load(path):
    opened = gzip.open(path) if path.endswith(".gz") else open(path, "rb")
    with opened as file:
        trace = json.loads(file.read(), parse_float=decimal.Decimal)
    return {"traceEvents": trace} if isinstance(trace, list) else trace


def plain(value):
    return json.dumps(value, sort_keys=True, default=lambda number: {"decimal": str(number.normalize())})


def ns(value):
    return int((decimal.Decimal(value) * TIME_UNITS).to_integral_value(decimal.ROUND_HALF_UP))


def complete_events(events):
    """(category, name, row, begin, end) of what X, and B with E, tell."""
    rows = collections.defaultdict(list)
    for event in events:
        row = (str(event.get("pid", 0)), str(event.get("tid", 0)))
        if event.get("ph") == "X":
            begin = ns(event["ts"])
            yield event.get("cat", ""), event["name"], row, begin, begin + ns(event.get("dur", 0)), event
        elif event.get("ph") in ("B", "E"):
            rows[row].append(event)
    for row, ends in rows.items():
        opened = []
        for event in sorted(ends, key=lambda event: ns(event["ts"])):
            if event["ph"] == "B":
                opened.append(event)
            elif opened:
                begin = opened.pop()
                yield begin.get("cat", ""), begin["name"], row, ns(begin["ts"]), ns(event["ts"]), begin


def covered(intervals):
    total, reached = 0, None
    for begin, end in sorted(intervals):
        if reached is None or begin > reached:
            reached = begin
        if end > reached:
            total += end - reached
            reached = end
    return total


def check(what, wanted, got):
    if wanted != got:
        sys.exit(f"FAILED: {what}: wanted {wanted}, got {got}")


def compare(path, read_path):
    counts, times, rows = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    events = load(path)["traceEvents"]
    for event in events:
        counts["range", event.get("name")] += event.get("ph") == "b"
    counts += collections.Counter()
    for category, name, row, begin, end, event in complete_events(events):
        if category in LEFT_OUT:
            continue
        if name.startswith("ProfilerStep#"):
            name = "ProfilerStep*"
        kind = DEVICE.get(category, "cuda_api" if category in CALLS else "range")
        counts[kind, name] += 1
        if category in DEVICE:
            times[kind, name] += end - begin
        else:
            rows[row].append((begin, end))
    with open(read_path) as file:
        read = json.load(file)
    averages = [row for row in read["key_averages"] if row["kind"] != "mark"]
    check("rows and their counts", counts,
          collections.Counter({(row["kind"], row["name"]): row["count"] for row in averages}))
    check("times on devices", {key: time for key, time in times.items()},
          {(row["kind"], row["name"]): row["cuda_total_ns"] for row in averages
           if row["kind"] in ("kernel", "memcpy", "memset")})
    check("Self CPU of all", sum(map(covered, rows.values())), read["self_cpu_total_ns"])
    check("nothing is missing", 0, read["loss"]["missing"])


def same(path, copy_path):
    one, other = load(path), load(copy_path)
    check("events", collections.Counter(map(plain, one.pop("traceEvents"))),
          collections.Counter(map(plain, other.pop("traceEvents"))))
    check("members", plain(one), plain(other))


class Part:
    """One file within a merged trace: how its ids changed."""

    def __init__(self):
        self.pids, self.later = {}, None
        self.ids, self.launches = {}, {}  # of events, and of what launches and is launched: they count apart

    def note(self, known, before, after, what):
        check(f"{what} {before!r}, each time", known.setdefault(before, after), after)

    def take(self, event, merged):
        event, merged = dict(event), dict(merged)
        args, merged_args = event.pop("args", None), merged.pop("args", None)
        if "pid" in event:
            self.note(self.pids, str(event.pop("pid")), str(merged.pop("pid")), "pid")
        for key in ("id", "bind_id"):
            if key in event:
                self.note(self.ids, plain(event.pop(key)), plain(merged.pop(key)), key)
        if "id2" in event:
            self.note(self.ids, plain(event.pop("id2")), plain(merged.pop("id2")), "id2")
        if isinstance(args, dict):
            args, merged_args = dict(args), dict(merged_args)
            for key in ("External id", "external id", "correlation"):
                if isinstance(args.get(key), int) and args[key] > 0:
                    self.note(self.launches, plain(args.pop(key)), plain(merged_args.pop(key)), key)
        if "ts" in event and event.get("ph") != "M":
            later = decimal.Decimal(merged.pop("ts")) - decimal.Decimal(event.pop("ts"))
            self.later = later if self.later is None else self.later
            check("how much later a file is", self.later, later)
        event.pop("ts", None), merged.pop("ts", None)
        check("event", plain(event), plain(merged))
        check("args", plain(args), plain(merged_args))


def merged(merged_path, paths):
    trace = load(merged_path)
    traces = [load(path) for path in paths]
    events = iter(trace["traceEvents"][-sum(len(part["traceEvents"]) for part in traces):])
    pids, ids, launches = {}, {}, {}
    for number, (path, part) in enumerate(zip(paths, traces)):
        seen = Part()
        for event in part["traceEvents"]:
            seen.take(event, next(events))
        for kind, taken, known in (("pid", pids, seen.pids), ("id", ids, seen.ids), ("correlation", launches, seen.launches)):
            for before, after in known.items():
                if after:
                    check(f"{path}: {kind} {before} is of one file only", number,
                          taken.setdefault(after, number))
    own = trace["mergedTraces"]
    for part, path in zip(traces[len(traces) - len(own):], paths[len(paths) - len(own):]):
        kept = own.pop(0)
        for key, value in part.items():
            if key != "traceEvents":
                check(f"{path}: {key}", plain(value), plain(kept[key]))


def holds(mixed_path, alone_path):
    def names(path):
        return collections.Counter((event.get("ph"), plain(event.get("name")), ns(event.get("dur", 0)))
                                   for event in load(path)["traceEvents"])
    missing = names(alone_path) - names(mixed_path)
    check("events that are missing", collections.Counter(), missing)


def make(path):
    events = [{"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "ts": 1, "args": {"name": "p \u00e9 \" \\ \n"}}]
    for i in range(300):
        events += [
            {"ph": "X", "cat": "cpu_op", "name": f"op {i % 5} \u20ac\ud83d\ude00", "pid": 7, "tid": "8",
             "ts": 4203669604595.125 + i * 100, "dur": 90.5,
             "args": {"External id": i + 1, "Input Dims": [[i % 3, 4], []], "note": {"deep": [[["]}"]]]}}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 8,
             "ts": 4203669604595.250 + i * 100, "dur": 5, "args": {"correlation": i + 1, "cbid": 211}},
            {"ph": "s", "id": i + 1, "pid": 7, "tid": 8, "ts": 4203669604595.250 + i * 100, "cat": "ac2g",
             "name": "ac2g"},
            {"ph": "X", "cat": "kernel", "name": f"kernel<{i % 2}>", "pid": 0, "tid": 7,
             "ts": 4203669604605.250 + i * 100, "dur": i % 4 * 1.001,
             "args": {"correlation": i + 1, "stream": 7, "device": 0, "grid": [1, 2, 3]}},
            {"ph": "f", "id": i + 1, "pid": 0, "tid": 7, "ts": 4203669604605.250 + i * 100, "cat": "ac2g",
             "name": "ac2g", "bp": "e"},
            {"ph": "b", "id": f"0x{i:x}", "cat": "a", "name": "async", "pid": 7, "tid": 8,
             "ts": 4203669604595.125 + i * 100},
            {"ph": "e", "id": f"0x{i:x}", "cat": "a", "name": "async", "pid": 7, "tid": 8,
             "ts": 4203669604599.125 + i * 100},
            {"ph": "n", "id2": {"local": "some text"}, "cat": "a", "name": "instant", "pid": 7, "tid": 8,
             "ts": 4203669604599.125 + i * 100},
        ]
    trace = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "D"}],
             "distributedInfo": {"rank": 1, "world_size": 4}, "traceEvents": events,
             "baseTimeNanoseconds": 1735632360000000000, "numbers": [1e-7, 1.5e300, -0.0, 12345678901234567890],
             "traceName": "own.json"}
    with open(path, "w") as file:
        json.dump(trace, file)


if __name__ == "__main__":
    if sys.argv[1] == "merged":
        merged(sys.argv[2], sys.argv[3:])
    else:
        {"make": make, "compare": compare, "same": same, "holds": holds}[sys.argv[1]](*sys.argv[2:])
