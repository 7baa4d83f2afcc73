#!/usr/bin/env python3
"""Packing and questions about jobs of many ranks: bench_fleet.py BUILD [OPTION]...

The jobs are those of tests/fleet/make_job.c. Each command runs in a process of its own. Its CPU time counts, with that
of its workers, because other programs run on the machine, too; the memory is that of its largest process. --copies N
asks the last job's dataset again as one with N times as many ranks: its rows, written N times with other ranks
and communicators. Such ranks differ less than those of a job, so tables compress better. --before DIRECTORY packs each
job with another version of the Python package, too, in turn. "start" is what packing one event costs: Python's and DuckDB's.
--summaries N packs the summaries of N ranks, each a file of its own of 128 KiB, and asks for stragglers; --workers N packs them with
N threads.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
EVENTS = "SELECT " + " + ".join(f"(SELECT count(*) FROM {table})" for table in ("kernels", "copies", "ranges", "calls")) + " AS events"


def run(words, environment, quiet=False):
    """CPU seconds, wall seconds and MB of a command; and what it printed."""
    before = os.times()
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if quiet else None)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(map(str, words[:4]))} failed")
    return usage.ru_utime + usage.ru_stime, os.times().elapsed - before.elapsed, usage.ru_maxrss / 1024, said


def show(what, measured, ranks, events=0, more=""):
    cpu, wall, memory, _ = measured
    rate = f"{events / cpu / 1e6:6.2f} M events per CPU second" if events else ""
    print(f"{ranks:7d} ranks  {what:<11} {cpu:8.2f} s CPU {wall:8.2f} s {memory:6.0f} MB  {rate}{more}", flush=True)


def pack(libprof, job, dataset, environment, *words):
    subprocess.run(["rm", "-rf", dataset], check=True)
    return run([*libprof, "pack", job, "-o", dataset, "--workers", "1", *words], environment)


def start_of(build, work, libprof, environment):
    """CPU seconds of packing a recording that has next to nothing: the least of three."""
    job = Path(work) / "start"
    subprocess.run([build / "test/make_job", "ranks=1", "steps=1", job], check=True)
    (job / "truth.json").unlink()
    return min(pack(libprof, job, Path(work) / "start.dataset", environment)[0] for _ in range(3))


def pack_summaries(options, build, work, libprof, environment):
    """Of generated ranks: the recorder's own code sums up what it recorded of each."""
    count, job, dataset = options.summaries, Path(work) / "summaries", Path(work) / "summaries.dataset"
    words = [build / "test/make_job", f"ranks={count}", "tp=8", "steps=4", "layers=1", "kernels=2", "summary=1", "fault=slow_gpu", job]
    show("generate", run(words, environment), count)
    packed = run([*libprof, "pack", job, "-o", dataset, "--summaries", "--workers", str(options.workers)], environment)
    rows = json.loads(run([*libprof, "fleet", "--format", "json", "--sql", "SELECT count(*) AS n FROM summary", str(dataset)], environment)[3])["rows"][0]["n"]
    size = sum(path.stat().st_size for path in dataset.glob("table=*/*.parquet"))
    more = f"{packed[0] / count * 1e3:.2f} ms and {size / count:.0f} bytes each, {rows} rows; {options.workers} threads"
    show("summaries", packed, count, more=more)
    ask(dataset, count, libprof, environment)


def copy_ranks(dataset, into, copies):
    """The parts of a dataset, `copies` times."""
    sys.path.insert(0, str(SOURCE / "python_shim"))
    from libprof.fleet import _engine
    from libprof.fleet._dataset import TABLES, Dataset

    source, duckdb = Dataset.open(dataset), _engine.duckdb_connection()
    ranks = sum(len(part["files"]) for part in source.parts)
    (into / "packed").mkdir(parents=True)
    (into / "dataset.json").write_text((dataset / "dataset.json").read_text())
    for table, columns in TABLES.items():
        (into / f"table={table}").mkdir()
        names = [column.name for column in columns]
        moved = [f"{shift} AS {name}" for name, shift in (("rank", "rank + :shift"), ("communicator", "communicator + :shift")) if name in names]
        replaced = f"REPLACE ({', '.join(moved)})" if moved else ""
        for copy in range(copies):
            duckdb.execute(
                f"COPY (SELECT * {replaced} FROM read_parquet({source.files(table)})) TO '{into}/table={table}/part-{copy}.parquet' "
                "(FORMAT parquet, COMPRESSION zstd)".replace(":shift", str(copy * ranks))
            )
    for copy in range(copies):
        (into / "packed" / f"{copy}.json").write_text(json.dumps({"part": str(copy), "tables": list(TABLES), "files": []}))


def ask(dataset, ranks, libprof, environment):
    for report in ("stragglers", "breakdown", "averages", "overview"):
        words = ["fleet", *([report] if report != "overview" else []), str(dataset)]
        show(report, run([*libprof, *words], environment), ranks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="build directory")
    parser.add_argument("--ranks", default="8,64", help="sizes of jobs (default: 8,64)")
    parser.add_argument("--steps", type=int, default=100, help="of each rank; 83 events each (default: 100)")
    parser.add_argument("--copies", type=int, default=0, help="ask about N times the ranks of the last job")
    parser.add_argument("--directory", help="where to write (default: a temporary directory)")
    parser.add_argument("--before", type=Path, help="another version's python_shim, to compare with")
    parser.add_argument("--summaries", type=int, default=0, help="pack the summaries of N ranks, too (a multiple of 8)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="threads that pack summaries (default: one per processor)")
    options = parser.parse_args()
    build = options.build.resolve()
    environment = dict(os.environ, LIBPROF_BIN=str(build / "bin"), LIBPROF_LIBRARY=str(build / "lib/libprof.so"))
    environment["PYTHONPATH"] = f"{SOURCE / 'python_shim'}:{environment.get('PYTHONPATH', '')}"
    libprof = [sys.executable, "-m", "libprof"]
    try:
        import duckdb
    except ImportError:
        print("skipped: no DuckDB in this Python")
        return
    print(f"DuckDB {duckdb.__version__}; a recording is packed by one process at a time")
    with tempfile.TemporaryDirectory(dir=options.directory) as work:
        start = start_of(build, work, libprof, environment)
        print(f"start: {start:.2f} s CPU")
        for ranks in map(int, options.ranks.split(",")):
            job, dataset = Path(work) / f"job{ranks}", Path(work) / f"dataset{ranks}"
            subprocess.run([build / "test/make_job", f"ranks={ranks}", f"steps={options.steps}", "fault=slow_gpu", job], check=True)
            (job / "truth.json").unlink()
            if options.before:
                other = dict(environment, PYTHONPATH=f"{options.before}:{environment['PYTHONPATH']}")
                show("pack before", pack(libprof, job, Path(work) / "other", other), ranks)
            packed = pack(libprof, job, dataset, environment)
            events = json.loads(run([*libprof, "fleet", "--format", "json", "--sql", EVENTS, dataset], environment)[3])["rows"][0]["events"]
            size = sum(path.stat().st_size for path in dataset.glob("table=*/*.parquet"))
            each = f"{packed[0] / events * 1e6:.2f} us each, {(packed[0] - start) / events * 1e6:.2f} without start"
            show("pack", packed, ranks, events, f", {each}, {size / events:.2f} bytes each, {events} events")
            subprocess.run(["rm", "-r", job], check=True)
            ask(dataset, ranks, libprof, environment)
        if options.summaries:
            pack_summaries(options, build, work, libprof, environment)
        if options.copies:
            large = Path(work) / "copies"
            copy_ranks(dataset, large, options.copies)
            ask(large, ranks * options.copies, libprof, environment)


if __name__ == "__main__":
    main()
