#!/usr/bin/env bash
# compare_outputs.sh OLD NEW [DIRECTORY]... - compares what two builds of profdump print and write, byte by byte.
#
# OLD and NEW are build folders. Each input is read by every command below: the recordings in tests/data, the traces that
# OLD's make_traces writes, the files in ../shared/data where it is there, and those in each DIRECTORY. Output, messages
# and status must be the same. Names the commands that differ, and keeps their outputs. Exits with 1 if some do.
# A refactoring ends with it; a change of behaviour shows all that it touches.
set -euo pipefail

[ $# -ge 2 ] || { sed -n '2,/^set/s/^# //p' "$0" >&2; exit 2; }
old=$(realpath "$1") new=$(realpath "$2") checkout=$(realpath "$(dirname "$0")/../..")
directories=("$checkout/tests/data" "$checkout/../shared/data")
for directory in "${@:3}"; do directories+=("$(realpath "$directory")"); done
work=$(mktemp -d "${TMPDIR:-/tmp}/compare_outputs.XXXXXX")
export LC_ALL=C TZ=UTC COLUMNS=160
processors=$(nproc)

reports=(stats "stats --columns all --rows -1" "stats --group-by step" "stats --group-by path" "stats --kind kernels --rows -1"
    explain breakdown stacks "stacks --cpu" roofline memory graphs hang check "check --ledger" origins
    "executorch blocks" "executorch tax" "fleet" "query --schema")
mapfile -t tables < <("$old/bin/profdump" query --schema | sed -nE 's/^([A-Za-z_]+): .*/\1/p')
extensions=(json html pftrace sqlite arrow svg pb.gz speedscope.json prom etprof folded csv md)

# The commands for one input, a line each: what to run, with IN for the input and OUT for what it writes.
commands() {
    local report format table extension
    for report in "${reports[@]}"; do
        for format in text json csv markdown; do echo "$report --format $format IN"; done
    done
    echo "--window ..1ms IN"
    echo "diff --format json IN IN"
    echo "pytorch augment IN OUT.json"
    for table in "${tables[@]}"; do echo "query --format csv --rows -1 SELECT_$table IN"; done
    for extension in "${extensions[@]}"; do echo "-o OUT.$extension IN"; done
    echo "-o OUT.json --to tensorboard IN"
    for table in events kernels; do echo "-o OUT.arrow --arrow-table $table IN"; done
    echo "stacks -o OUT.svg IN"
}

# run_all BUILD INPUT FOLDER: in a folder of its own, where the input always has the same name.
run_all() {
    local words line number=0 status
    mkdir -p "$3"
    cd "$3"
    commands >list
    while read -r line; do
        number=$((number + 1))
        read -ra words <<<"$line"
        words=("${words[@]/#IN/$2}")
        words=("${words[@]/#OUT/out-$number}")
        words=("${words[@]/#SELECT_/SELECT * FROM }")
        status=0
        timeout 300 "$1/bin/profdump" "${words[@]}" >"$number.out" 2>"$number.err" </dev/null || status=$?
        echo "$status" >"$number.status"
        [ ! -e "out-$number.sqlite" ] || { sqlite3 "out-$number.sqlite" .dump >"out-$number.sql" && rm "out-$number.sqlite"; }
    done <list
}

compare() { # INPUT FOLDER
    local number=0 line
    (run_all "$old" "$1" "$work/$2/old")
    (run_all "$new" "$1" "$work/$2/new")
    if diff -rq "$work/$2/old" "$work/$2/new" >"$work/$2/differences"; then
        rm -rf "${work:?}/$2/old" "$work/$2/new"
        return
    fi
    while read -r line; do
        number=$((number + 1))
        if grep -qE "[ /]$number\.(out|err|status) |[ /]out-$number\.|out-$number\$" "$work/$2/differences"; then
            echo "differs: profdump ${line//IN/$1}"
        fi
    done <"$work/$2/old/list"
}

mkdir "$work/traces"
"$old/test/make_traces" "$work/traces" >/dev/null
number=0
while read -r input; do
    number=$((number + 1))
    while [ "$(jobs -rp | wc -l)" -ge "$processors" ]; do wait -n || true; done
    compare "$input" "$number" >"$work/$number.differs" 2>&1 &
done < <(find "$work/traces" "${directories[@]}" -type f ! -name '*.md' 2>/dev/null | sort)
wait
if cat "$work"/*.differs | grep .; then
    echo "FAILED: outputs differ; both are in $work" >&2
    exit 1
fi
echo "the same: $(commands | wc -l) commands for each of $number inputs"
rm -rf "$work"
