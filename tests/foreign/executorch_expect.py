"""executorch_expect.py PROFDUMP DIRECTORY: what ExecuTorch's own programs answered for the files in DIRECTORY.

Each *.golden.json beside a *.prof.bin is the answer of ExecuTorch's parser of prof buffers, or its exception;
etdump.decoded.json is an independent decoding of etdump.etdp.
"""
import json
import os
import subprocess
import sys

PROFDUMP, DIRECTORY = sys.argv[1:3]
checked = 0


def run(*words, status=0):
    done = subprocess.run([PROFDUMP, *words], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout


def path(name):
    return os.path.join(DIRECTORY, name)


def compat(name):
    return json.loads(run("executorch", "blocks", "--compat", "--format", "json", path(name)))


def check(name, condition, *details):
    global checked
    checked += 1
    assert condition, (name, *details)


def corrected(name, golden):
    """Where the original is wrong: names of allocators that a later block's overwrote."""
    if name.startswith("case6"):
        golden["mem"]["default"][0]["allocator_name"] = "alloc_of_default"
    return golden


# P1: prof buffers of version 1, bit by bit
def check_prof_buffers():
    for name in sorted(os.listdir(DIRECTORY)):
        if not name.endswith(".golden.json"):
            continue
        golden = json.load(open(path(name)))
        ours = compat(name.replace(".golden.json", ".prof.bin"))
        if "error" in golden:  # the parser died of names that are addresses: everything else is there
            events = ours["profile"]["default"]
            check(name, [e["duration"] for e in events[:9]] == [e["duration"] for e in events[9:]], events)
            check(name, all(e["name"].startswith("(name at address 0x") for e in events[9:]), events)
            continue
        golden = corrected(name, golden)
        for part in ("profile", "mem", "tax"):
            check(name, part not in golden or ours[part] == golden[part], part, ours[part], golden.get(part))


def ours_of(run_data, blocks):
    """The events of a run, in the order of the file: rows are put together by instruction."""
    block = next(b for b in blocks if b["name"] == run_data["name"])
    return {(e["name"], e["chain"], e["instruction"], start): duration
            for e in block["events"] for start, duration in zip(e["start_times"], e["durations"])}


# I1: an ETDump
def check_etdump():
    decoded = json.load(open(path("etdump.decoded.json")))
    answer = json.loads(run("executorch", "blocks", "--format", "json", "--target-time-scale", "ns", path("etdump.etdp")))
    check("etdump", [b["name"] for b in answer["blocks"]] == [r["name"] for r in decoded["run_data"]])
    for run_data in decoded["run_data"]:
        want = {(e["name"], e["chain"], e["instr"], e["start"]): e["end"] - e["start"]
                for e in run_data["events"]}
        check("etdump", ours_of(run_data, answer["blocks"]) == want, run_data["name"])
        block = next(b for b in answer["blocks"] if b["name"] == run_data["name"])
        check("etdump", block["bundled_input"] == run_data["bundled_input_index"])
        check("etdump", all(e["delegate"] is None for e in block["events"]))


check_prof_buffers()
check_etdump()
print(f"{checked} checks")
