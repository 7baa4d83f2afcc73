#!/usr/bin/env bash
# bench_original.sh - profdump pytorch augment, roofline and diff against the program that they stand in for,
# PyTorch's torch/_inductor/analysis/profile_analysis.py, on the same Kineto files.
#
#     bench_original.sh BIN_DIR [FILE...]
#
# Without files: the traces of others in ../shared/data, as far as that program does not stop on them. It
# runs where PyTorch can be imported ($PYTHON, else python3), and this says so where it cannot. Processes
# are whole, the fastest of some rounds counts; what importing PyTorch takes is measured and told apart,
# since it is no work on the file. (Some of its versions look for a kernel's name where it never stands, and
# print empty tables: then its analysis does less than ours.) The goal: ten times as fast, without the
# import.
set -eu

ROUNDS=3
here=$(cd "$(dirname "$0")" && pwd)
profdump=$1/profdump
shift
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# best COMMAND...: seconds of the fastest round; fails when the command does.
best() {
    local round start end least=
    for ((round = 0; round < ROUNDS; round++)); do
        start=$EPOCHREALTIME
        "$@" >/dev/null 2>&1 || return 1
        end=$EPOCHREALTIME
        least=$(awk -v a="$start" -v b="$end" -v least="$least" \
            'BEGIN { s = b - a; print (least == "" || s < least) ? s : least }')
    done
    echo "$least"
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'; }

# The original's own time against ours; nothing where its import takes all of it.
without_import() {
    awk -v t="$1" -v o="$2" -v i="$import_s" 'BEGIN { if (t > i) printf "%.1f", (t - i) / o; else print "-" }'
}

import() { "$python" -W ignore -c 'import torch._inductor.analysis.profile_analysis'; }

original() { "$python" -W ignore -m torch._inductor.analysis.profile_analysis "$@"; }

# row WHAT FILE ORIGINAL_S: PROFDUMP's arguments follow.
row() {
    local what=$1 file=$2 theirs=$3 ours
    shift 3
    if ! ours=$(best "$profdump" "$@"); then
        printf '%-22s %-28s profdump failed\n' "$what" "$file"
        return 1
    fi
    if [ -z "$theirs" ]; then
        printf '%-22s %-28s %9.3f s\n' "$what" "$file" "$ours"
        return
    fi
    printf '%-22s %-28s %9.3f s %9.3f s %8s %8s\n' "$what" "$file" "$ours" "$theirs" \
        "$(ratio "$theirs" "$ours")" "$(without_import "$theirs" "$ours")"
}

# against WHAT NAME ORIGINAL... -- PROFDUMP...: only where the original does not stop.
against() {
    local what=$1 name=$2 theirs words=()
    shift 2
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    shift
    [ -n "$import_s" ] || return 0
    theirs=$(best original "${words[@]}") || return 0
    row "$what" "$name" "$theirs" "$@" || true # a trace without kernels is nothing to analyze
}

measure() {
    local file=$1 name augment_s=''
    name=$(basename "$file")
    name=${name:0:28}
    # that program does not unpack
    if [[ $file == *.gz ]]; then
        gzip -dc "$file" >"$work/in.json"
        file=$work/in.json
    fi
    [ -z "$import_s" ] || import_s=$(best import)
    if [ -n "$import_s" ] && ! augment_s=$(best original --augment_trace "$file" "$work/theirs.json" float32); then
        echo "$name: the original stops on it"
        augment_s=''
    fi
    row "augment" "$name" "$augment_s" pytorch augment "$file" "$work/ours.json"
    [ -z "$augment_s" ] || row "augment --compat" "$name" "$augment_s" pytorch augment --compat "$file" "$work/ours.json"
    against "roofline" "$name" --analysis "$file" float32 -- roofline "$file"
    against "pytorch roofline" "$name" --analysis "$file" float32 -- pytorch roofline --type float32 "$file"
    against "diff" "$name" --diff "$file" a "$file" b float32 -- diff "$file" "$file"
}

import_s=''
if import 2>/dev/null; then
    import_s=$(best import)
    echo "the original imports PyTorch for $import_s s"
    printf '%-22s %-28s %11s %11s %8s %8s\n' "" "" "profdump" "original" "ratio" "no import"
else
    echo "the original was not run: $python cannot import PyTorch's profile_analysis"
fi

if [ $# -eq 0 ]; then
    for file in "$here"/../../shared/data/kineto/*.pt.trace.json.gz "$here"/../../shared/data/hta/*.json.gz; do
        [ ! -e "$file" ] || set -- "$@" "$file"
    done
fi
[ $# -gt 0 ] || echo "no Kineto files: ../shared/data is not there, and none was named"
for file in "$@"; do
    measure "$file"
done
