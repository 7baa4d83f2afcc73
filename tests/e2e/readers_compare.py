"""Real readers read profiles that profdump writes, and have the rows of its table:

    readers_compare.py PROFDUMP pprof PPROF TRACE...
    readers_compare.py PROFDUMP speedscope RELEASE TRACE...     RELEASE: dist/release of its npm package

Compared are a function's own value and that with what it called, of CPU time and device time; pprof's of calls, too.
Begin/end ranges and marks are in no stack.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

OPERATIONS = ("kernel", "memcpy", "memset", "graph")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(f"{command}: status {done.returncode}: {done.stderr.decode(errors='replace')[-1000:]}")
    return done.stdout.decode("utf-8", "replace")


def sums():
    return collections.defaultdict(lambda: [0, 0])


def table(facts):
    """By kind of value, by name: own value, and with what is inside; None: rows do not say."""
    wanted = {values: sums() for values in ("cpu", "device", "calls")}
    for row in facts["key_averages"]:
        values = {"calls": (row["count"], None)}
        if row["kind"] in OPERATIONS:
            values["device"] = row["self_cuda_total_ns"], row["self_cuda_total_ns"]
        elif row["kind"] == "cuda_api" or row["self_cpu_total_ns"]:
            values["cpu"] = row["self_cpu_total_ns"], row["cpu_total_ns"]
            values["device"] = 0, row["cuda_total_ns"] if row["kind"] == "range" else None
        else:
            continue
        for kind, (own, total) in values.items():
            known = wanted[kind][row["name"]]
            known[0] += own
            known[1] = None if total is None or known[1] is None else known[1] + total
    return wanted


# ---- pprof ----

ROW = re.compile(r" *(\d+)(?:ns)? +[\d.e+-]+% +[\d.e+-]+% +(\d+)(?:ns)? +[\d.e+-]+%  ?(.*)", re.S)


def pprof_top(pprof, profile, values):
    """What `pprof -top` lists. A name may have line breaks."""
    said = run(pprof, "-top", "-nodecount=0", "-nodefraction=0", "-unit=ns", f"-sample_index={values}", profile)
    rows = []
    for line in said[said.index(" cum%\n") + 6:].split("\n")[:-1]:
        if ROW.match(line):
            rows.append(line)
        else:
            rows[-1] += "\n" + line
    found = sums()
    for row in rows:
        flat, cum, name = ROW.match(row).groups()
        found[name][0] += int(flat)
        found[name][1] += int(cum)
    return found


def by_pprof(pprof, profile):
    return {values: pprof_top(pprof, profile, values) for values in ("cpu", "device", "calls")}


# ---- speedscope ----

IMPORTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "speedscope_app.js")
THREAD = re.compile(r"(?s).* thread \d+( \(.*\))?$")


def by_speedscope(release, profile):
    found = {"cpu": sums(), "device": sums()}
    for one in json.loads(run("node", IMPORTER, release, profile)):
        if one["unit"] != "nanoseconds":
            sys.exit(f"{one['name']} is in {one['unit']}")
        kind = "cpu" if THREAD.match(one["name"]) else "device"
        for name, own, total in one["frames"]:
            found[kind][name][0] += own
            found[kind][name][1] += total
    return found


# ---- both ----

READERS = {"pprof": (by_pprof, "out.pb.gz"), "speedscope": (by_speedscope, "out.speedscope.json")}


def compare(reader, values, wanted, found):
    for name, (own, total) in wanted.items():
        if reader == "speedscope" and values == "device" and not own:
            continue  # what a range launched is on the streams' profiles, where ranges are not
        flat, cum = found.get(name, (0, 0))
        if flat != own or total not in (None, cum):
            yield f"{values} of {name!r}: {reader} has {flat} and {cum}, the table {own} and {total}"
    for name, (flat, _) in found.items():
        if flat and name not in wanted:
            yield f"{values} of {name!r}: {flat} in {reader} alone"


def main(profdump, reader, program, *traces):
    read, output = READERS[reader]
    wrong, rows = [], 0
    for trace in traces:
        wanted = table(json.loads(run(profdump, "--partial", "--json", trace)))
        with tempfile.TemporaryDirectory() as folder:
            profile = os.path.join(folder, output)
            run(profdump, "--partial", "-o", profile, trace)
            for values, found in read(program, profile).items():
                rows += len(wanted[values])
                wrong += [f"{trace}: {line}" for line in compare(reader, values, wanted[values], found)]
    print("\n".join(wrong) or f"{rows} rows are equal")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
