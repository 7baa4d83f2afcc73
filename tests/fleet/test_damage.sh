#!/usr/bin/env bash
# A dataset with files that are truncated, foreign, older or newer: what can be read is answered, the rest is named.
# long: it damages a dozen datasets
. "$(dirname "$0")/fleet_common.sh"

make_job ranks=4 tp=2 gpus=2 steps=4 job
fleet pack job/rank-0000[01].prof -o dataset --node one --workers 1 >/dev/null
fleet pack job/rank-0000[23].prof -o dataset --node two --workers 1 >/dev/null
rows() { fleet fleet dataset --format tsv --sql "$1" 2>/dev/null | tail -n +2; }
kernels=$(rows "SELECT count(*), sum(duration_ns) FROM kernels")

head -c 300 dataset/table=calls/part-one-*.parquet >cut
cp cut "$(echo dataset/table=calls/part-one-*.parquet)"
python3 - <<'PYTHON'
import duckdb, glob
def rewrite(table, part, columns):
    path = glob.glob(f"dataset/table={table}/part-{part}-*.parquet")[0]
    duckdb.sql(f"CREATE OR REPLACE TABLE t AS SELECT {columns} FROM read_parquet('{path}')")
    duckdb.sql(f"COPY t TO '{path}' (FORMAT parquet)")
rewrite("copies", "one", "'yesterday' AS rank, 5 AS price")
rewrite("kernels", "one", "*, 7 AS added_later, {'rank': 'first', 'step': 1.5} AS parts_added, MAP {'a': 1} AS map_added, MAP {1: 'a'} AS map_again")
for part in ("one", "two"):
    rewrite("collectives", part, "* EXCLUDE stream")
PYTHON

for report in stragglers collectives waits mismatches breakdown averages outliers ledger groups clocks; do
    fleet fleet $report dataset >out.txt 2>err.txt || fail "$report: $(cat err.txt)"
    same "$report: files of an older libprof" 2 "$(grep -c 'an older libprof wrote it, without stream; these are empty for its ranks$' err.txt)"
    same "$report: files left out" 2 "$(grep -c 'its rows are not counted$' err.txt)"
done
found 'table=calls/part-one-.*: cannot be read' <err.txt || fail "$(cat err.txt)"
found "table=copies/part-one-.*: its columns are not those of table 'copies'" <err.txt || fail "$(cat err.txt)"
same "kernels" "$kernels" "$(rows "SELECT count(*), sum(duration_ns) FROM kernels")"
same "calls of the other part" "2	3" "$(rows "SELECT min(rank), max(rank) FROM calls")"
same "a column that no part has" 0 "$(rows "SELECT count(stream) FROM collectives")"
same "a column that a newer part has" 7 "$(rows "SELECT max(added_later) FROM kernels")"
fleet fleet dataset -o job.html >/dev/null 2>&1 || fail "the page"

# answers PATTERN COMMAND...: it succeeds, and says this on one of its outputs.
answers() {
    "${@:2}" >out.txt 2>&1 || fail "${*:2}: $(cat out.txt)"
    found -e "$1" <out.txt || fail "${*:2} says: $(cat out.txt)"
}

# A part whose entry is cut off, or of somebody else, is left out; packing its recordings again brings it back.
fleet pack job/rank-0000[01].prof -o parts --node one --workers 1 >/dev/null
fleet pack job/rank-0000[23].prof -o parts --node two --workers 1 >/dev/null
truncate -s 20 parts/packed/one-*.json
echo '{"part": "foreign"}' >parts/packed/foreign.json
answers 'parts/packed/one-.*: it does not say what its part consists of; the part is left out' fleet fleet breakdown parts
answers 'packed/foreign.json: it does not say' fleet fleet parts
same "ranks of the other part" "2	3" "$(fleet fleet breakdown parts --format tsv 2>/dev/null | tail -n +2 | cut -f 1 | xargs | tr ' ' '\t')"
answers 'ranks 0-1 of 4 have no recording' fleet fleet parts
same "packed again" "parts: packed 2 recordings, 0 were there, 0 could not be read" "$(fleet pack job/rank-0000[01].prof -o parts --node one)"
same "all are back" 4 "$(fleet fleet breakdown parts --format tsv 2>/dev/null | tail -n +2 | wc -l)"

# A file that is missing is named by every report.
rm "$(echo parts/table=steps/part-two-*.parquet)"
answers 'missing file: parts/table=steps/part-two-.*; the rows in it are not counted' fleet fleet breakdown parts
same "what is there" 2 "$(fleet fleet breakdown parts --format tsv 2>/dev/null | tail -n +2 | wc -l)"

# A dataset of a newer version is refused, in one sentence.
cp -r parts newer && echo '{"format": "libprof", "version": 99}' >newer/dataset.json
if fleet fleet newer 2>err.txt; then fail "it reads a newer version"; fi
same "a newer version" "profdump: newer: the dataset has version 99, this libprof reads up to 1" "$(cat err.txt)"

# Two recordings of one rank, of different jobs: named, and nothing is lost.
make_job ranks=4 tp=2 gpus=2 steps=4 seed=8 other
fleet pack job/*.prof other/rank-00001.prof -o twice --workers 1 >/dev/null
answers 'several recordings have the same rank and are added up: rank 1' fleet fleet twice
of_all=$("$PROF_BIN/profdump" query --format tsv "SELECT count(*) FROM kernels" job/*.prof other/rank-00001.prof | tail -n 1)
same "kernels of both" "$of_all" "$(fleet fleet twice --format tsv --sql "SELECT count(*) FROM kernels" | tail -n 1)"

# Ranks that different programs recorded; no collectives; no steps; one rank only.
kineto() {
    cat <<JSON
{"distributedInfo":{"rank":$1,"world_size":2},"traceEvents":[
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":5,"dur":3,"args":{"device":0,"stream":7}},
{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":9,"ts":1,"dur":1}]}
JSON
}
kineto 0 >kineto0.json && kineto 1 >kineto1.json
fleet pack job/rank-00000.prof kineto1.json -o mixed --workers 1 >/dev/null
answers 'different programs recorded the ranks, so they may differ for that reason alone: ' fleet fleet mixed
fleet pack kineto0.json kineto1.json -o silent --workers 1 >/dev/null
answers 'no collectives were recorded: which ranks the others wait for' fleet fleet silent
answers 'no steps were recorded: times by step are missing' fleet fleet silent
answers '^profdump: no collectives were recorded' fleet fleet stragglers silent
answers 'gemm' fleet fleet averages silent
fleet pack job/rank-00000.prof -o alone --workers 1 >/dev/null
answers 'there is one rank only: nothing to compare it with' fleet fleet alone
answers 'ranks 1-3 of 4 have no recording' fleet fleet alone
python3 - <<'PYTHON' >out.txt 2>err.txt || fail "$(tail -n 3 err.txt)"
from libprof.fleet import _cli
for dataset in ("silent", "alone", "mixed"):
    for report in (*_cli.REPORTS, _cli.GROUPS, _cli.CLOCKS):
        assert _cli.main("fleet", [report, dataset]) == 0, (report, dataset)
    assert _cli.main("fleet", [dataset, "-o", "job.html"]) == 0, dataset
PYTHON
