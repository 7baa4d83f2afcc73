"""ledger_books.py PROFDUMP FILE COUNTS OUTPUT MODE: libprof's ledger against the books of the simulated CUDA.

COUNTS is what SIM_COUNTS has left (sim/cupti/sim_counts.h), OUTPUT what tests/cuda/ledger.c has printed. MODE:

    exact     every stream: launched, dropped and without times are the simulation's own numbers, to the last one
    refused   records of one kind were refused: launched is the simulation's number, the rest adds up
    killed    the process was killed: the file has at most what the simulation launched, and all of it is explained
"""
import json
import struct
import subprocess
import sys

KINDS = ("launched", "added", "dropped", "zeroed")
ROW = struct.Struct("<II4Q4Q")


def books(path):
    data = open(path, "rb").read()
    rows = {}
    for context, stream, *numbers in ROW.iter_unpack(data):
        if context:
            rows[context, stream] = (dict(zip(KINDS, numbers[:4])), dict(zip(KINDS, numbers[4:])))
    return rows


def printed(path):
    off, failed = 0, {}
    for line in open(path):
        words = line.split()
        if words[0] == "off":
            off = int(words[1])
        elif words[0] == "failed":
            failed[words[1], int(words[2])] = int(words[3])
    return off, failed


problems = []


def same(what, wanted, got):
    if wanted != got:
        problems.append(f"{what}: {wanted} by the simulation's books, {got} by the ledger")


def explained(row):
    return row["recorded"] + sum(row["lost"].values()) + sum(
        row[way] for way in ("recycled", "undelivered", "unobserved", "missing"))


def check_identity(facts):
    for row in facts["ledger"]:
        same(f"sum of {row}", row["launched"], explained(row))
        same(f"missing and orphans of {row}", (0, 0), (row["missing"], row["orphans"]))
    for name in ("launched", "recorded", "missing", "undelivered", "unobserved"):
        same(f"total of {name}", sum(row[name] for row in facts["ledger"] if row["kind"] != "graph"),
             facts["loss"][name])


def streams(facts):
    return {(row["context"], row["stream"]): row for row in facts["ledger"] if row["kind"] == "stream"}


def check_stream(place, own, row, mode):
    if mode == "killed":
        if row["launched"] > own["launched"] or row["recorded"] > own["added"]:
            problems.append(f"{place}: more than was launched: {own}, {row}")
        return
    same(f"{place}: launched", own["launched"], row["launched"])
    if mode == "exact":
        same(f"{place}: dropped", own["dropped"], row["lost"].get("cupti_dropped", 0))
        same(f"{place}: without times", own["zeroed"], row["lost"].get("zero_time", 0))
        same(f"{place}: recorded", own["launched"] - own["dropped"] - own["zeroed"], row["recorded"])


def check_graphs(facts, rows, mode):
    if mode != "exact":
        return
    own = [sum(graph[kind] for _, graph in rows.values()) for kind in KINDS]
    ours = [row for row in facts["ledger"] if row["kind"] == "graph"]
    same("nodes of graphs recorded", own[0] - own[2] - own[3], sum(row["recorded"] for row in ours))
    same("nodes of graphs without times", own[3], sum(row["lost"].get("zero_time", 0) for row in ours))


def check_failures(facts, failed):
    ours = {(call["call"], call["result"]): call["count"] for call in facts["failed_calls"]}
    same("failed calls", failed, ours)
    for call in facts["failed_calls"]:
        same(f"first of {call}", ["round"], call["ranges"])


def main(profdump, path, counts, output, mode):
    facts = json.loads(subprocess.run([profdump, "--json", path], stdout=subprocess.PIPE, check=True).stdout)
    checked = subprocess.run([profdump, "check", path], stdout=subprocess.PIPE, text=True)
    if checked.returncode:
        problems.append(f"profdump check: {checked.stdout}")
    rows, ours = books(counts), streams(facts)
    off, failed = printed(output)
    check_identity(facts)
    on = {place for place, row in ours.items() if row["launched"]}
    for place in sorted(on):
        check_stream(place, rows[place][0], ours[place], mode)
    if mode != "killed":
        same("kinds of rows", set(), {row["kind"] for row in facts["ledger"]} - {"stream", "graph"})
        same("launched while off", off, sum(direct["launched"] for place, (direct, _) in rows.items() if place not in on))
        check_failures(facts, failed)
    check_graphs(facts, rows, mode)
    if not on or not facts["loss"]["launched"]:
        problems.append("nothing was recorded")
    if problems:
        sys.exit(f"FAILED: {path} ({mode})\n" + "\n".join(problems[:20]))
    print(f"{path}: {mode}: {len(on)} streams, {facts['loss']['launched']} launched, {facts['loss']['recorded']} recorded,"
          f" {sum(failed.values())} calls failed")


main(*sys.argv[1:])
