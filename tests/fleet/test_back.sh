#!/usr/bin/env bash
# Datasets as inputs of profdump: the same tables as from the recordings, one clock in exports, a sentence for what cannot be read.
# long: it converts a dozen datasets
. "$(dirname "$0")/fleet_common.sh"
. "$e2e_directory/cuda_common.sh"
profdump() { "$PROF_BIN/profdump" "$@"; }

# tables INPUT...: what a dataset must not change
tables() {
    profdump --format tsv --group-by stream,name "$@"
    profdump --format tsv --tree "$@"
    profdump query --format tsv "SELECT sum(launched), sum(recorded), sum(lost) FROM ledger" "$@"
    profdump breakdown "$@"
    profdump query --format tsv "SELECT start, end, name, kind, correlation, tid FROM slices ORDER BY start, end, name" "$@" | relative
    profdump query --format tsv "SELECT start, end, name, device, stream, context, correlation, range, grid_x, block_x, registers
        FROM kernels ORDER BY start, end, name" "$@" | relative
    profdump query --format tsv "SELECT start, end, name, device, stream, correlation, range, bytes FROM operations WHERE kind IN ('memcpy', 'memset') ORDER BY start, end, name" "$@" | relative
}

# Times since the first event: those before it are the recorder's own.
relative() {
    awk -F'\t' -v OFS='\t' 'NR == 1 { print; next } NR == 2 { first = $1 } { $1 -= first; $2 -= first; print }'
}

# equal WHAT RECORDING DATASET [--rank N]
equal() {
    tables "$2" >wanted.txt
    tables "${@:3}" >got.txt
    [[ $(wc -l <wanted.txt) -gt 20 ]] || fail "$1: no tables"
    diff wanted.txt got.txt || fail "$1: the dataset has other tables than the recording"
}

# Jobs, and programs on the simulated CUDA.
make_job ranks=12 gpus=4 tp=2 steps=3 clock=bad fault=slow_input job
fleet pack job/rank-*.prof -o dataset >/dev/null
for rank in 0 7; do equal "rank $rank" job/rank-0000$rank.prof dataset --rank $rank; done
for program in graphs streams waits; do
    compile_cuda $program
    simulate $program.prof ./$program >/dev/null
    fleet pack $program.prof -o $program.dataset >/dev/null
    equal $program $program.prof $program.dataset
done

# Every command, and several ranks.
for command in explain "breakdown" "diff dataset" roofline memory graphs check; do
    profdump $command --rank 3 dataset >/dev/null || fail "profdump $command"
done
same "three ranks" "0 3 4 5" "$(profdump query --format tsv "SELECT rank FROM processes ORDER BY rank" --rank 0,3-4 --rank 5 dataset | tail -n +2 | xargs)"

# Nothing that cannot be read is passed over in silence, and the rest is read.
says() { # says STATUS PATTERN COMMAND...
    local status=0
    "${@:3}" >out.txt 2>err.txt || status=$?
    same "status of ${*:3}" "$1" "$status"
    found -e "$2" <err.txt || fail "${*:3} says: $(cat err.txt)"
}
says 1 "it has 12 ranks: choose some with --rank, or ask 'profdump fleet dataset'" profdump dataset
says 1 'it has no rank 99: its ranks are 0 to 11' profdump --rank 99 dataset
says 0 'it has no rank 99; the others are read' profdump --rank 1,99 dataset
says 1 "'x' is no rank" profdump --rank x dataset
says 1 'none of the inputs is a dataset' profdump --rank 1 job
says 1 'cannot be run: No such file' env PATH=/nowhere "$PROF_BIN/profdump" --rank 1 dataset
mkdir bare && printf 'raise ImportError("absent")\n' >bare/duckdb.py
says 1 "this needs duckdb>=1.3: pip install 'duckdb>=1.3'" env PYTHONPATH="$here/bare:$PYTHONPATH" "$PROF_BIN/profdump" --rank 1 dataset
make_job ranks=12 gpus=4 tp=2 steps=3 seed=5 other
fleet pack other/rank-00001.prof -o twice >/dev/null
fleet pack job/rank-00001.prof -o twice >/dev/null
says 0 'several recordings of rank 1' profdump --rank 1 twice
cp -r dataset lacking && rm lacking/table=copies/* lacking/table=calls/*
says 0 'missing file: .*calls' profdump --rank 1 lacking
found sm90_gemm <out.txt || fail "the kernels are not read where the calls are missing"
cp -r dataset cut && for file in cut/table=kernels/*; do truncate -s 1000 "$file"; done
says 0 'cut/table=kernels/.*: cannot be read' profdump --rank 1 cut
found cudaLaunchKernel <out.txt || fail "the calls are not read where the kernels are damaged"
cp -r dataset damaged && for file in damaged/table=kernels/*; do dd if=/dev/zero of="$file" bs=1 seek=200 count=3000 conv=notrunc status=none; done
says 1 '^profdump: damaged: ' profdump --rank 1 damaged
cp -r dataset foreign && python3 -c "import duckdb, glob; duckdb.sql(f\"COPY (SELECT 1 AS other) TO '{glob.glob('foreign/table=ranges/*')[0]}' (FORMAT parquet)\")"
says 0 'its columns are not those of table' profdump --rank 1 foreign
found sm90_gemm <out.txt || fail "the kernels are not read where the ranges are another program's"
cp -r dataset newer && echo '{"version": 99}' >newer/dataset.json
says 1 'version 99' profdump --rank 1 newer
same "temporary files" "" "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'profdump.*')"

# A trace of several hosts is on one clock, and says how exactly.
python3 "$fleet_directory/merged.py" "$PROF_BIN/../test/make_job" "$PROF_BIN/profdump" || fail "merged traces"
profdump --rank 0,4 -o two.pftrace dataset
found 'on the clock of node0, within' <two.pftrace || fail "a Perfetto trace does not state its clock"
profdump --rank 0-2 -o one.json dataset
found '"labels":"CPU"' <one.json || fail "ranks of one host are on another clock"
make_job ranks=8 tp=8 gpus=4 steps=1 layers=1 short
fleet pack short/*.prof -o short.dataset >/dev/null
says 0 'node1: its times are on its own clock: only [0-9]* collectives' profdump -o short.json short.dataset
found '"labels":"CPU, on its own clock: only ' <short.json || fail "an unaligned host is not labelled"
