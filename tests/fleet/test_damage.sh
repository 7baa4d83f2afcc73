#!/usr/bin/env bash
# A dataset with files that are truncated, foreign, older or newer: what can be read is answered, the rest is named.
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
rewrite("kernels", "one", "*, 7 AS added_later")
for part in ("one", "two"):
    rewrite("collectives", part, "* EXCLUDE stream")
PYTHON

for report in stragglers collectives mismatches breakdown averages outliers ledger groups clocks; do
    fleet fleet $report dataset >out.txt 2>err.txt || fail "$report: $(cat err.txt)"
    same "$report: files left out" 2 "$(grep -c 'its rows are not counted$' err.txt)"
done
found 'table=calls/part-one-.*: cannot be read' <err.txt || fail "$(cat err.txt)"
found "table=copies/part-one-.*: its columns are not those of table 'copies'" <err.txt || fail "$(cat err.txt)"
same "kernels" "$kernels" "$(rows "SELECT count(*), sum(duration_ns) FROM kernels")"
same "calls of the other part" "2	3" "$(rows "SELECT min(rank), max(rank) FROM calls")"
same "a column that no part has" 0 "$(rows "SELECT count(stream) FROM collectives")"
same "a column that a newer part has" 7 "$(rows "SELECT max(added_later) FROM kernels")"
fleet fleet dataset -o job.html >/dev/null 2>&1 || fail "the page"
