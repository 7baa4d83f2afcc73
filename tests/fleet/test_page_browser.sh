#!/usr/bin/env bash
# The page of a job in a real browser, with 1,000 ranks: drawn, readable on a telephone and in the dark, pages of ranks open.
# long: it draws a thousand ranks in a browser
. "$(dirname "$0")/fleet_common.sh"

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[[ -n $chromium ]] || skip "there is no Chromium (package chromium)"
make_job ranks=8 tp=2 pp=2 gpus=4 steps=10 seed=5 fault=slow_gpu victim=6 job
fleet pack job -o small --workers 1 >/dev/null
python3 - <<'PYTHON' # 143 copies of the job; of the slow ranks, only that of one copy remains: 1,002 ranks
import duckdb, json, pathlib, shutil
small, large = pathlib.Path("small"), pathlib.Path("large")
shutil.copytree(small, large)
for path in large.glob("table=*/*.parquet"):
    source = f"read_parquet('{path}', hive_partitioning = false)"
    columns = {row[0] for row in duckdb.sql(f"DESCRIBE SELECT * FROM {source}").fetchall()}
    moved = [f"({name} + {step} * copy)::{kind} AS {name}" for name, step, kind in (("rank", 8, "INTEGER"), ("communicator", 1, "BIGINT")) if name in columns]
    if moved:
        which = "copy = 77 OR rank <> 6" if "duration_ns" in columns else "true"
        duckdb.sql(f"CREATE OR REPLACE TABLE t AS SELECT * EXCLUDE copy REPLACE ({', '.join(moved)}) FROM {source}, range(143) AS c(copy) WHERE {which}")
        duckdb.sql(f"COPY t TO '{path}' (FORMAT parquet)")
PYTHON
fleet fleet large -o job.html --pages 0,622 >said.txt 2>&1 || fail "$(cat said.txt)"
[[ $(cat said.txt) != *'not counted'* ]] || fail "the page"
PYTHONPATH=$PYTHONPATH:$e2e_directory/../html python3 "$fleet_directory/page_in_browser.py" "$chromium" job.html || fail "the page in a browser"
