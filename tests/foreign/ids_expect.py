"""Reads a Chrome trace whose ids are large: ids_expect.py PROFDUMP, in an empty folder."""
import csv
import io
import json
import subprocess
import sys

PID = (1 << 33) + 1
TIDS = [1 << 61, (1 << 61) + 1, (1 << 62) + 1, 4711, 4711 + (1 << 32), (1 << 24) + 4711, (1 << 63) - 1, 140737353971456]


def profdump(*arguments, quiet=True):
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    assert not quiet or not done.stderr, done.stderr
    return done if not quiet else done.stdout


def rows(sql, file):
    return [tuple(row) for row in csv.reader(io.StringIO(profdump("query", "--format", "csv", sql, file)))][1:]


def write(file, tids, pid):
    """On each thread one range, and all of them overlap: a wrong pair of begin and end has a wrong length."""
    events = []
    for i, tid in enumerate(tids):
        events.append({"ph": "B", "pid": pid, "tid": tid, "ts": i, "name": f"range {i}"})
    for i, tid in enumerate(tids):
        events.append({"ph": "E", "pid": pid, "tid": tid, "ts": 1000 + 10 * i})
    events.append({"ph": "X", "pid": 1, "tid": 4711, "ts": 0, "dur": 1, "name": "other process"})
    with open(file, "w") as out:
        json.dump({"traceEvents": events}, out)


def expected(tids):
    return sorted((str(tid), f"range {i}", str((1000 + 9 * i) * 1000)) for i, tid in enumerate(tids))


RANGES = f"SELECT tid, name, duration FROM slices WHERE pid = {PID}"

write("numbers.json", TIDS, PID)
assert sorted(rows(RANGES, "numbers.json")) == expected(TIDS), rows(RANGES, "numbers.json")

# quoted, they are the same threads
write("quoted.json", [str(tid) for tid in TIDS], str(PID))
assert sorted(rows(RANGES, "quoted.json")) == expected(TIDS)

# every format keeps threads apart, and what libprof reads back has the ids again
for name, largest in (("copy.sqlite", 0xFFFFFF), ("copy.pftrace", 0x7FFFFFFF)):
    done = profdump("-o", name, "numbers.json", quiet=False)
    count = sum(tid > largest for tid in TIDS)
    assert f"ids of 1 process and {count} threads are too large for the format and were renumbered" in done.stderr, done.stderr
assert sorted(rows(RANGES, "copy.sqlite")) == expected(TIDS), rows(RANGES, "copy.sqlite")
done = profdump("-o", "again.json", "copy.sqlite", quiet=False)
assert sorted(rows(RANGES, "again.json")) == expected(TIDS), rows(RANGES, "again.json")
with open("again.json") as file:
    written = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X" and event["name"].startswith("range")]
assert len({event["tid"] for event in written}) == len(TIDS)
assert all(event["tid"] <= 1 << 53 for event in written), written

# the tables, and every other output
table = profdump("--group-by", "name,thread", "--format", "csv", "numbers.json")
assert all(str(tid) in table for tid in TIDS), table
assert str(PID) in profdump("--json", "numbers.json")
for name in ("out.html", "out.svg", "out.speedscope.json", "out.pb.gz", "out.arrow"):
    profdump("-o", name, "numbers.json", quiet=False)

# texts and numbers that are no ids of a system are threads of their own
ODD = ["worker-1", "worker-2", "-1", "0x10", "007"]
write("texts.json", ODD, PID)
got = rows(f"SELECT t.name, r.name, r.duration FROM slices r JOIN threads t ON r.thread = t.id WHERE r.pid = {PID}", "texts.json")
want = sorted((tid, f"range {i}", str((1000 + 9 * i) * 1000)) for i, tid in enumerate(ODD))
assert sorted((thread.lstrip("'"), name, duration) for thread, name, duration in got) == want, got
profdump("-o", "texts.sqlite", "texts.json", quiet=False)
again = rows("SELECT count(DISTINCT thread) FROM slices WHERE name LIKE 'range %'", "texts.sqlite")
assert again == [(str(len(ODD)),)], again
