#!/usr/bin/env bash
# Every report gives the same rows with Spark as with DuckDB: in one process, and on a cluster of a master and two workers.
#
# It takes minutes and fetches 400 MB: only with FLEET_SPARK=1.
. "$(dirname "$0")/fleet_common.sh"

[[ ${FLEET_SPARK:-} == 1 ]] || skip "FLEET_SPARK=1 runs it"
command -v java >/dev/null || skip "needs java (Debian: default-jre-headless)"
if ! python3 -c 'import pyspark' 2>/dev/null; then
    fetch pyspark pyspark || skip "PySpark could not be fetched: $(tail -n 1 fetch.txt)"
    export PYTHONPATH=$PYTHONPATH:$packages/pyspark
fi
home=$(python3 -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
export SPARK_HOME=$home SPARK_WORKER_DIR=$PWD/work SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_DIRS=$PWD/spark PYSPARK_PYTHON=python3
# There is little to shuffle, and no program runs long enough for the optimizing compiler.
java_options="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
export PYSPARK_SUBMIT_ARGS="--conf spark.sql.shuffle.partitions=2 --driver-java-options '$java_options' \
    --conf 'spark.executor.extraJavaOptions=$java_options' pyspark-shell"
export SPARK_DAEMON_JAVA_OPTS=$java_options SPARK_DAEMON_MEMORY=256M

# With memory, sends and receives: without rows, a report proves nothing.
make_job ranks=16 tp=2 pp=2 gpus=8 steps=8 seed=7 fault=dead_rank job
mkdir memory && "$PROF_BIN/../test/make_traces" memory
make_job ranks=8 gpus=4 steps=8 seed=3 fault=slow_gpu slow
make_job ranks=16 tp=2 pp=2 gpus=8 steps=8 seed=7 fault=mismatch mismatch
for job in job slow mismatch; do
    fleet pack $job memory/memory.prof -o $job.dataset >/dev/null
done

# older DATASET [NODE]: the parts (of that node) as a libprof wrote them that had fewer columns
older() {
    python3 - "$@" <<'PYTHON'
import duckdb, glob, sys
later = {"ranks": "clock_synchronized, clock_error_ns, recording, job", "steps": "tid, recording", "kernels": "graph, whole_graph, context, recording",
         "collectives": "algorithm, protocol, channels, type, counted, peer, communicator_rank, group_place, group_bytes, recording"}
for table, columns in later.items():
    for path in glob.glob(f"{sys.argv[1]}/table={table}/part-{''.join(sys.argv[2:])}*.parquet"):
        duckdb.sql(f"CREATE OR REPLACE TABLE rows AS SELECT * EXCLUDE ({columns}) FROM read_parquet('{path}', hive_partitioning = false)")
        duckdb.sql(f"COPY rows TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
PYTHON
}
cp -r slow.dataset older.dataset && older older.dataset
make_job ranks=8 tp=2 pp=2 gpus=4 steps=4 seed=2 fault=slow_gpu mixed
fleet pack mixed/rank-0000[0-3].prof -o mixed.dataset --node one --workers 1 >/dev/null
fleet pack mixed/rank-0000[4-7].prof -o mixed.dataset --node two --workers 1 >/dev/null
older mixed.dataset two
for table in copies calls; do # one that is truncated, one of somebody else
    cp mixed.dataset/table=ledger/part-two-* "$(echo mixed.dataset/table=$table/part-two-*)"
done
head -c 300 "$(echo mixed.dataset/table=calls/part-one-*)" >cut.parquet && cp cut.parquet "$(echo mixed.dataset/table=calls/part-two-*)"

python3 "$fleet_directory/engines.py" 'local[2]' job.dataset older.dataset mixed.dataset mismatch.dataset 2>spark.txt ||
    fail "Spark in one process: $(tail -n 5 spark.txt)"
if fleet fleet job.dataset --engine 'local[2]' --sql "SELECT nonsense FROM kernels" 2>err.txt; then fail "no error for a wrong statement"; fi
found '^profdump: Spark: .*nonsense' <err.txt && ! found Traceback <err.txt || fail "$(cat err.txt)"

# Ports that are free: 0 lets Spark choose; the master says which.
"$home/bin/spark-class" org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 0 --webui-port 0 >master.txt 2>&1 &
started=$!
trap 'kill $started 2>/dev/null || true; leave' EXIT
for _ in $(seq 1200); do
    master=$(sed -n 's/.*Starting Spark master at \(spark:[^ ]*\).*/\1/p' master.txt)
    [[ -n $master ]] && break
    sleep 0.5
done
[[ -n $master ]] || fail "no master: $(tail -n 5 master.txt)"
for _ in 1 2; do
    "$home/bin/spark-class" org.apache.spark.deploy.worker.Worker --cores 1 --memory 1500M --webui-port 0 "$master" >>workers.txt 2>&1 &
    started="$started $!"
done
python3 "$fleet_directory/engines.py" "$master" slow.dataset 2>spark.txt || fail "Spark on a cluster: $(tail -n 5 spark.txt)"
same "workers" 2 "$(grep -c 'Successfully registered with master' workers.txt)"
