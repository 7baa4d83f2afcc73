"""summary_expect.py PROFDUMP [--killed] FILE...: the summaries in each recording are exactly what its events give.

The rules are those of format_meta.h: an event is of the latest step that began before it, unless that had ended; an
operation is of the step of its call. What a device did in a step is computed nanosecond by nanosecond's edge, another
way than the recorder does. --killed: they are of a beginning of the recording, in which steps are complete.
"""

import bisect
import collections
import json
import subprocess
import sys

profdump, *files = sys.argv[1:]
killed = files[0] == "--killed"
files = files[killed:]


LONGEST = 10**9  # ns of an operation


def query(file, sql):
    text = subprocess.run([profdump, "query", "--format=json", sql, file], check=True, capture_output=True, text=True).stdout
    return json.loads(text)["rows"]


def step_of(steps, time):
    place = bisect.bisect(steps.starts, time)
    return steps[place - 1]["number"] if place and time < steps[place - 1]["end"] else None


class Steps(list):
    """By start."""

    def __init__(self, rows):
        super().__init__(sorted(rows, key=lambda step: step["start"]))
        self.starts = [step["start"] for step in self]


def expected(file):
    slices = query(file, 'SELECT id, kind, name, start, "end" FROM slices')
    operations = query(file, 'SELECT kind, name, start, "end", slice FROM operations WHERE kind IN (\'kernel\', \'memcpy\', \'memset\', \'graph\')')
    steps = Steps(dict(row, number=int(row["name"].split("#")[1])) for row in slices if row["kind"] == "step")
    of_id = {row["id"]: row for row in slices}
    operations.sort(key=lambda row: row["start"])
    starts = [row["start"] for row in operations]
    events = [(row["kind"], row["name"], step_of(steps, row["start"]), row["end"] - row["start"]) for row in slices if row["kind"] != "step"]
    for row in operations:
        call = of_id.get(row["slice"])
        row["launched"] = call["end"] if call else None
        events.append((row["kind"], row["name"], step_of(steps, call["start"] if call else row["start"]), row["end"] - row["start"]))
    sums = collections.defaultdict(list)
    for kind, name, step, length in events:
        sums[kind, name, step].append(length)
    rows = {}
    for key, lengths in sums.items():
        durations = collections.Counter(min(max(length, 1).bit_length() - 1, 47) for length in lengths)
        rows[key] = (len(lengths), sum(lengths), min(lengths), max(lengths), dict(durations))
    return rows, {step["number"]: account(step, steps, operations, starts) for step in steps}


def account(step, steps, operations, starts):
    start = step["start"]
    end = min([step["end"], *steps.starts[bisect.bisect(steps.starts, start) :][:1]])
    ran = [dict(row, kind="communication" if "nccl" in row["name"] else "copy" if row["kind"].startswith("mem") else "compute")
           for row in operations[bisect.bisect_left(starts, start - LONGEST) : bisect.bisect(starts, end)] if row["end"] >= start]
    edges = sorted({start, end, *(min(max(time, start), end) for row in ran for time in (row["start"], row["end"]))})
    parts = collections.Counter()
    for first, until in zip(edges, edges[1:]):
        kinds = {row["kind"] for row in ran if row["start"] <= first and row["end"] >= until}
        part = next((kind for kind in ("compute", "communication", "copy") if kind in kinds), "idle")
        parts["overlapped"] += (until - first) * ({"compute", "communication"} <= kinds)
        if part != "idle":
            parts[part] += until - first
            continue
        calls = [row["launched"] for row in ran if row["start"] == until and row["launched"] is not None]
        host = max(0, min(min(calls, default=until), until) - first)
        parts["idle_host"] += host
        parts["idle_device"] += until - first - host
    names = ("compute", "overlapped", "communication", "copy", "idle_host", "idle_device")
    return (start, step["end"] - start, *(parts[name] for name in names))


def told(file):
    rows, steps, unseen = {}, {}, 0
    for row in query(file, "SELECT * FROM summary"):
        unseen += row["count"] if row["kind"] == "unseen" else 0
        if row["kind"] in ("round", "unseen"):
            continue
        key = row["kind"], row["name"], row["step"]
        count, total, least, most, durations = rows.get(key, (0, 0, row["min"], row["max"], {}))
        durations = collections.Counter(durations)
        for pair in row["durations"].strip("{}").split(", "):
            bucket, number = pair.split("=")
            durations[int(bucket)] += int(number)
        rows[key] = (count + row["count"], total + row["sum"], min(least, row["min"]), max(most, row["max"]), dict(durations))
    columns = "start, duration, compute, overlapped, communication, copy, idle_host, idle_device"
    for row in query(file, f"SELECT step, {columns} FROM summary_steps"):
        steps[row["step"]] = tuple(row[name] for name in columns.split(", "))
    return rows, steps, unseen


def differs(wanted, got):
    if not killed or wanted is None:
        return wanted != got
    return got is not None and (wanted != got if len(got) == STEP_COLUMNS else wanted[0] < got[0] or wanted[1] < got[1])


failed = False
STEP_COLUMNS = 8
for file in files:
    wanted, wanted_steps = expected(file)
    got, got_steps, unseen = told(file)
    wrong = [f"{what}: wanted {wanted_of.get(key)}, got {got_of.get(key)}"
             for wanted_of, got_of in ((wanted, got), (wanted_steps, got_steps))
             for key in sorted({*wanted_of, *got_of}, key=str) if differs(wanted_of.get(key), got_of.get(key))
             for what in [f"{file}: {key}"]]
    if unseen:
        wrong.append(f"{file}: {unseen} chunks were not seen")
    print("\n".join(wrong[:20]) or f"{file}: {len(wanted)} rows, {len(wanted_steps)} steps")
    failed |= bool(wrong) or not got
sys.exit(failed)
