#!/usr/bin/env bash
# Traces of other profilers are explained: the accounts of their devices add up, and nothing is made up.
. "$(dirname "$0")/common.sh"

data=$SOURCE_DIR/../shared/data
[[ -d $data ]] || skip "there are no traces of other profilers beside the source"

cat >check.py <<'END'
import json, sys
report = json.load(open(sys.argv[1]), parse_constant=lambda name: sys.exit(f"{name} is no number"))
for device in report["devices"]:
    assert device["busy_ns"] + sum(device["idle"].values()) == device["window_ns"], device
    assert all(ns >= 0 for ns in device["idle"].values()), device
for finding in report["findings"]:
    assert finding["saved_ns"] is None or 0 < finding["saved_ns"] <= report["wall_ns"], finding
    assert finding["cost_ns"] > 0 and finding["sentence"], finding
assert report["verdict"]
print(len(report["devices"]), "devices,", len(report["findings"]), "findings")
END

explain() {
    "$PROF_BIN/profdump" explain --rows -1 --json "$1" >findings.json 2>complaints.txt || fail "$1: $(cat complaints.txt)"
    python3 check.py findings.json || fail "$1"
    "$PROF_BIN/profdump" explain "$1" >report.txt 2>&1 || fail "$1: $(cat report.txt)"
    ! grep -Eiw 'nan|inf' report.txt || fail "$1 is explained with $(grep -Eiw 'nan|inf' report.txt)"
}

seen=0
# Where profdump was built with sqlite3.
if [[ -e $data/nvprof/bench_ortmodule_nn_gpu.sql.zip ]]; then
    python3 -m zipfile -e "$data/nvprof/bench_ortmodule_nn_gpu.sql.zip" nvprof
    for trace in nvprof/*; do
        if "$PROF_BIN/profdump" "$trace" >table.txt 2>&1; then explain "$trace"; else echo "${trace##*/}: $(head -1 table.txt)"; fi
    done
fi
for trace in "$data"/{hta,kineto}/*trace*.json.gz "$data"/hta/*.json "$data"/hta/trace_diff*.json.gz "$data"/executorch/*.prof.bin; do
    [[ -e $trace ]] || continue
    echo "${trace##*/}"
    explain "$trace"
    seen=$((seen + 1))
done
((seen)) || skip "there are no traces of other profilers beside the source"

# What is known of one of them: the data loader holds the GPU up.
resnet=$(echo "$data"/kineto/resnet50*.json.gz)
if [[ -e $resnet ]]; then
    "$PROF_BIN/profdump" explain "$resnet" >report.txt 2>&1
    sed -n '/^ 1\. /,/rule/p' report.txt | grep -q '^    where .*enumerate(DataLoader)' || fail "$resnet: $(sed -n '/^ 1\. /,/rule/p' report.txt)"
fi
