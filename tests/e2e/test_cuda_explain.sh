#!/usr/bin/env bash
# A program full of mistakes: profdump explain finds each of them, in the range that makes it, with the stack of its call.
. "$(dirname "$0")/cuda_common.sh"

# The machine may be slow at any moment: what is worth a finding must not depend on that.
printf '%s\n' 'least_share = 0.000001' 'owner_share = 0.01' '[tiny-kernels]' 'tiny_kernel_us = 20' >limits.ini

compile_cuda sins -fno-omit-frame-pointer
PROF_STACKS=launch PROF_STACK_METHOD=frames simulate run.prof ./sins >out.txt 2>&1 || fail "sins: $(cat out.txt)"
no_violations "sins"
explain() { "$PROF_BIN/profdump" explain --limits limits.ini --rows -1 "$@" run.prof; }
explain --json >findings.json || fail "explain --json: $?"
python3 - findings.json <<'END' || fail "not all is found"
import json, sys
report = json.load(open(sys.argv[1]))
found = [(one["rule"], f["path"], f) for f in report["findings"] for one in [f, *f["also"]]]

def owned(rule, range):
    return [f for name, path, f in found if name == rule and path[:1] == [range]]

for rule, range, function in [
        ("gpu-idle-cpu-bound", "think", "think"),
        ("gpu-idle-synchronization", "waits", "wait_in_a_loop"),
        ("gpu-idle-allocation", "allocations", "allocate_in_a_loop"),
        ("gpu-idle-copy", "copies", "copy_and_wait"),
        ("gpu-idle-host-function", "callback", "wait_for_the_host"),
        ("gpu-idle-launch-bound", "waits", "wait_in_a_loop"),
        ("sync-copies", "copies", "copy_and_wait"),
        ("allocations-in-loops", "allocations", None),
        ("synchronizations-in-loops", "waits", None),
        ("tiny-kernels", "waits", "wait_in_a_loop"),
        ("poor-copy-overlap", "copies", "copy_and_wait")]:
    owners = owned(rule, range)
    assert owners, (rule, range, [(n, p) for n, p, _ in found])
    frames = "\n".join("\n".join(f["stack"]) for f in owners)
    assert function is None or function in frames, (rule, function, frames)

assert any(name == "low-occupancy" for name, _, _ in found)
assert report["simulated"] and report["mode"] == "cupti"
for _, _, f in found:
    assert f["saved_ns"] is None or 0 < f["saved_ns"] <= report["wall_ns"], f
callback = owned("gpu-idle-host-function", "callback")[0]
# What has an owner comes first; the verdict names the first; a range's own time has the stack of the call that ended it.
owners = [bool(f["path"] or f["stack"]) for f in report["findings"]]
assert owners == sorted(owners, reverse=True) and not owners[-1], owners
assert f"First finding: {report['findings'][0]['title']}, in " in report["verdict"], report["verdict"]
assert callback["stack_of"] == "next call", callback["stack_of"]
copies = owned("gpu-idle-copy", "copies")[0]
assert copies["stack_of"] == "call" and {copies["rule"], *(one["rule"] for one in copies["also"])} == {"gpu-idle-copy", "sync-copies"}, copies
assert 25_000_000 < callback["cost_ns"], callback
think = owned("gpu-idle-cpu-bound", "think")[0]
assert 60_000_000 < think["cost_ns"], think
for device in report["devices"]:
    assert device["busy_ns"] + sum(device["idle"].values()) == device["window_ns"], device
END

explain >report.txt || fail "explain: $?"
grep -q '^  - Simulated GPU: device times come from a model' report.txt || fail "the report does not say that the GPU is simulated"
grep -q '^    from   ' report.txt || fail "the report shows no stacks"
grep -q '^    until  the next GPU call, which ended the gap:$' report.txt || fail "the report does not say whose stack ended a gap"
long=$(awk 'length > 100' report.txt)
same "lines of more than 100 columns" "" "$long"
