#!/usr/bin/env python3
"""Checks a Chrome trace against the rules of those who read it.

    check_trace.py [--summary] TRACE.json...

Strict JSON (no NaN, no duplicate keys, valid UTF-8), the members and words of Kineto's dialect, rows on which slices
nest, arrows that both Perfetto and chrome://tracing can bind (they have different blind spots), names for every row.
Prints every violation (20 at most) and exits with 1 when there is one. --summary prints counts as one JSON object.
Also a module: check(path) gives a Report.
"""
import argparse
import collections
import json
import re
import sys

HOST_CALLS = {"cuda_runtime", "cuda_driver"}
DEVICE_WORK = {"kernel", "gpu_memcpy", "gpu_memset", "gpu_graph"}
CATEGORIES = HOST_CALLS | DEVICE_WORK | {
    "cpu_op", "user_annotation", "gpu_user_annotation", "cuda_sync", "overhead", "unified_memory", "cpu_instant_event",
    "python_function"}
# What the ends of an arrow may be on, by its category.
ARROW_SIDES = {"ac2g": (HOST_CALLS, DEVICE_WORK), "fwdbwd": ({"cpu_op", "user_annotation"},) * 2,
               "timed": ({"cpu_op", "user_annotation"}, {"gpu_user_annotation"})}
KERNEL_ARGS = ("device", "context", "stream", "correlation", "grid", "block",
               "registers per thread", "shared memory")
COPY_ARGS = ("device", "context", "stream", "correlation", "bytes")
PYTHON_ARGS = ("Python id", "Python parent id")


class Report:
    def __init__(self):
        self.problems = []
        self.counts = collections.Counter()
        self.trace = None

    def say(self, problem):
        self.problems.append(problem)


def reject_constant(word):
    raise ValueError(f"{word} is not JSON")


def reject_duplicates(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        seen = [key for key, count in collections.Counter(k for k, _ in pairs).items() if count > 1]
        raise ValueError(f"duplicate keys {seen}")
    return result


def load(path):
    with open(path, "rb") as file:
        text = file.read().decode("utf-8", "strict")
    return text, json.loads(text, parse_constant=reject_constant, object_pairs_hook=reject_duplicates)


def ns(microseconds):
    return round(microseconds * 1000)


def check_head(report, text, trace):
    expected = {"schemaVersion": int, "deviceProperties": list, "distributedInfo": dict, "displayTimeUnit": str,
                "baseTimeNanoseconds": int, "traceEvents": list, "traceName": str, "libprof": dict}
    for key, kind in expected.items():
        if not isinstance(trace.get(key), kind):
            report.say(f"top level: {key} is {trace.get(key)!r:.60}")
    match = next((m for m in (re.search(r'"rank":\s+(\d+)', line) for line in text.splitlines()) if m), None)
    if not match or int(match[1]) != trace.get("distributedInfo", {}).get("rank"):
        report.say("top level: the rank is not where HolisticTraceAnalysis looks for it")
    for device in trace.get("deviceProperties", []):
        if not isinstance(device.get("id"), int) or not isinstance(device.get("name"), str):
            report.say(f"deviceProperties: {device!r:.80}")
    loss = trace.get("libprof", {}).get("loss", {})
    if any(not isinstance(value, int) for value in loss.values()) or "launched" not in loss:
        report.say(f"libprof.loss: {loss!r:.80}")


def check_decimals(report, text):
    for number in re.findall(r'"(?:ts|dur)":([^,}\s]+)', text):
        if not re.fullmatch(r"\d+\.\d{3}9?", number) and number != "0":
            report.say(f"a time is written as {number}")
            return


def check_shape(report, index, event):
    phase = event.get("ph")
    where = f"event {index} ({phase} {event.get('name')!r:.40})"
    if phase not in ("X", "s", "f", "i", "b", "e", "C", "M"):
        report.say(f"{where}: unknown phase")
    for key in ("pid", "tid"):
        if not isinstance(event.get(key), int) or not 0 <= event[key] < 2**31:
            report.say(f"{where}: {key} is {event.get(key)!r}")
    if not isinstance(event.get("name"), str):
        report.say(f"{where}: no name")
    if not isinstance(event.get("ts"), (int, float)) or event["ts"] < 0:
        report.say(f"{where}: ts is {event.get('ts')!r}")
    if phase == "X" and (not isinstance(event.get("dur"), (int, float)) or event["dur"] < 0):
        report.say(f"{where}: dur is {event.get('dur')!r}")
    if phase in "Xibe" and event.get("cat") not in CATEGORIES:
        report.say(f"{where}: cat is {event.get('cat')!r}")
    if phase in "XCM" and not isinstance(event.get("args"), dict):
        report.say(f"{where}: no args")
    if phase == "C" and not all(isinstance(v, (int, float)) for v in event["args"].values()):
        report.say(f"{where}: a counter's value is not a number")
    wanted = {"kernel": KERNEL_ARGS, "gpu_memcpy": COPY_ARGS, "gpu_memset": COPY_ARGS,
              "python_function": PYTHON_ARGS}.get(event.get("cat"), ())
    for key in wanted if phase == "X" else ():
        if key not in event["args"]:
            report.say(f"{where}: args lack '{key}'")


def without_window_end(report, events):
    """Kineto's last event is of no process, thread or category."""
    ends = [event for event in events if event.get("name") == "Record Window End"]
    if ends and (ends != events[-1:] or ends[0]["s"] != "g" or ends[0]["pid"] or ends[0]["tid"]):
        report.say(f"the end of the window: {ends!r:.200}")
    return [event for event in events if event not in ends]


def check_nesting(report, rows):
    for row, slices in rows.items():
        stack = []
        for start, end, order, event in sorted(slices, key=lambda s: (s[0], s[2])):
            while stack and stack[-1][1] <= start:
                stack.pop()
            if stack and end > stack[-1][1]:
                report.say(f"row {row}: {event['name']!r:.40} [{start}, {end}] overlaps "
                           f"{stack[-1][3]['name']!r:.40} [{stack[-1][0]}, {stack[-1][1]}]")
            stack.append((start, end, order, event))


def check_arrows(report, events, rows):
    by_start = collections.defaultdict(list)
    for (pid, tid), slices in rows.items():
        for piece in slices:
            by_start[(pid, tid, piece[0])].append(piece)
    ends = collections.defaultdict(list)
    for order, event in enumerate(events):
        if event.get("ph") not in ("s", "f"):
            continue
        if event.get("cat") not in ARROW_SIDES or event["name"] != event["cat"]:
            report.say(f"arrow {event.get('id')}: cat {event.get('cat')!r}, name {event['name']!r}")
            continue
        side = ARROW_SIDES[event["cat"]][event["ph"] == "f"]
        row, time = (event["pid"], event["tid"]), ns(event["ts"])
        here = by_start.get((*row, time), ()) or [piece for piece in by_start.get((*row, time - 1), ()) if piece[1] > time]
        bound = [piece for piece in here if piece[2] < order and piece[3]["cat"] in side]
        if not bound:
            report.say(f"arrow {event.get('id')}: its {event['ph']} is on no slice that was written before it")
        if event["ph"] == "f" and event.get("bp") != "e":
            report.say(f"arrow {event.get('id')}: f without bp:e")
        ends[(event.get("id"), event.get("cat"), event.get("name"))].append((event, bound))
    ids = collections.Counter(key[0] for key in ends)
    for key, pair in ends.items():
        if ids[key[0]] > 1:
            report.say(f"arrow {key}: its id is another's too")
        if sorted(event["ph"] for event, _ in pair) != ["f", "s"]:
            report.say(f"arrow {key}: ends are {[event['ph'] for event, _ in pair]}")
            continue
        start, finish = sorted(pair, key=lambda end: end[0]["ph"], reverse=True)
        if key[1] == "fwdbwd":
            report.counts["fwdbwd"] += 1
            if finish[0]["ts"] < start[0]["ts"] or start[0]["pid"] != finish[0]["pid"]:
                report.say(f"arrow {key}: from {start[0]['ts']} to {finish[0]['ts']}")
            continue
        if start[1] and finish[1]:
            host, device = start[1][-1][3]["args"], finish[1][-1][3]["args"]
            if host.get("correlation") != device.get("correlation"):
                report.say(f"arrow {key}: joins correlation {host.get('correlation')} and {device.get('correlation')}")
        report.counts["arrows"] += 1
        if finish[0]["ts"] < start[0]["ts"]:
            report.counts["backward_arrows"] += 1


def check_operators(report, events):
    """Kineto's "External id": an operator's own, that of the innermost operator around a call, and of the call that
    launched an operation."""
    stacks, of_calls, seen = collections.defaultdict(list), collections.defaultdict(set), set()
    for event in (event for event in events if event.get("ph") == "X"):
        row, start = (event["pid"], event["tid"]), ns(event["ts"])
        own = event["args"].get("External id")
        if event["cat"] in DEVICE_WORK:
            if own not in of_calls.get(event["args"].get("correlation"), (own,)):
                report.say(f"{event['name']!r:.40}: its External id is {own}, its call's is another")
            continue
        stack = stacks[row]
        while stack and stack[-1][0] <= start:
            stack.pop()
        inner = stack[-1][1] if stack else None
        if event["cat"] == "cpu_op":
            if own is None or own in seen:
                report.say(f"operator {event['name']!r:.40}: its External id is {own}")
            seen.add(own)
        elif event["cat"] in HOST_CALLS:
            of_calls[event["args"].get("correlation")].add(own)
            if own != inner:
                report.say(f"{event['name']}: its External id is {own}, the operator around it has {inner}")
        stack.append((start + ns(event["dur"]), own if event["cat"] == "cpu_op" else inner))


def check_metadata(report, events, rows):
    names = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "M":
            key = (event["name"], event["pid"]) + ((event["tid"],) if event["name"].startswith("thread") else ())
            names[key].append(event["args"])
            index = event["args"].get("sort_index", 0)
            if not isinstance(index, int) or not -2**31 <= index < 2**31:
                report.say(f"{key}: sort_index {index!r}")
    for key, given in names.items():
        if len(given) > 1:
            report.say(f"{key}: given {len(given)} times")
    for pid, tid in rows:
        for name in ("process_name", "process_labels", "process_sort_index"):
            if (name, pid) not in names:
                report.say(f"pid {pid}: no {name}")
        for name in ("thread_name", "thread_sort_index"):
            if (name, pid, tid) not in names:
                report.say(f"row {(pid, tid)}: no {name}")
    gpus = {key[1] for key, given in names.items()
            if key[0] == "process_labels" and given[0].get("labels", "").startswith("GPU")}
    for event in events:
        if event["ph"] != "M" and event["pid"] in gpus and event["tid"] == 0:
            report.say(f"{event['name']!r:.40}: tid 0 on a device's row")
        if event["ph"] == "X" and (event["cat"] in DEVICE_WORK) != (event["pid"] in gpus) \
                and event["cat"] in DEVICE_WORK | HOST_CALLS:
            report.say(f"{event['name']!r:.40}: {event['cat']} on the wrong side, pid {event['pid']}")


def check_asyncs(report, events):
    begun = {}
    for event in events:
        key = (event.get("cat"), event.get("id"))
        if event["ph"] == "b":
            if key in begun:
                report.say(f"async {key}: begun twice")
            begun[key] = event
        elif event["ph"] == "e":
            start = begun.pop(key, None)
            if not start or start["name"] != event["name"] or start["ts"] > event["ts"]:
                report.say(f"async {key}: ends without a begin")
    for key in begun:
        report.say(f"async {key}: never ends")


def check(path):
    report = Report()
    try:
        text, trace = load(path)
    except (ValueError, RecursionError) as error:
        report.say(f"not strict JSON: {error}")
        return report
    report.trace = trace
    check_head(report, text, trace)
    check_decimals(report, text)
    events = without_window_end(report, trace.get("traceEvents") or [])
    for index, event in enumerate(events):
        check_shape(report, index, event)
    if report.problems:
        return report
    rows = collections.defaultdict(list)
    for order, event in enumerate(events):
        report.counts[event["ph"]] += 1
        if event["ph"] == "X":
            report.counts[event["cat"]] += 1
            start = ns(event["ts"])
            rows[(event["pid"], event["tid"])].append((start, start + ns(event["dur"]), order, event))
    check_nesting(report, rows)
    check_arrows(report, events, rows)
    check_operators(report, events)
    check_metadata(report, events, rows)
    check_asyncs(report, events)
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--summary", action="store_true", help="print counts as JSON")
    parser.add_argument("traces", nargs="+")
    options = parser.parse_args()
    bad = False
    for path in options.traces:
        report = check(path)
        for problem in report.problems[:20]:
            print(f"{path}: {problem}", file=sys.stderr)
        if len(report.problems) > 20:
            print(f"{path}: and {len(report.problems) - 20} more", file=sys.stderr)
        bad |= bool(report.problems)
        if options.summary:
            print(json.dumps(report.counts, sort_keys=True))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
