"""Compares profdump breakdown with HolisticTraceAnalysis on one trace: hta_compare.py PROFDUMP TRACE [FILE.prof] [PART...].

With FILE.prof the breakdown is of that, and TRACE what was written of it. Then the package works in nanoseconds, waits are
taken out of its table (see below), and whatever it warns of is printed, too: see EXPECTED. Each part is a table; what differs is printed, and the exit status is 1. Differences that are known:

- HolisticTraceAnalysis cuts times to whole microseconds: sums may differ by one for each operation ("us" below).
- It takes waits of streams (cuda_sync) for operations, so a span, and with it the idle time, may be longer; and waits
  for events for computing, since "Stream Wait Event" is no name of a copy, a collective or a synchronisation.
- Its idle category "kernel wait" is stated as less than 30 ns and compared with microseconds: 30 us, as ours.
- Its idle time of a stream subtracts what overlaps; there are no overlaps within a stream in the traces of the test.
- Sets of kinds that run at once are cut to whole microseconds in any case, and idle times rounded to 10 ns.
- It keeps correlations in as few bits as hold them and then writes row numbers there, which fails where those are larger:
  in traces of few calls and many rows. It gets 64 bits.
- Its queue lengths depend on how it sorts a launch and a start of the same time: of whole microseconds the most is
  compared exactly, the mean nearly; of nanoseconds, streams where that happened are compared by their changes alone.
"""
import collections
import json
import logging
import os
import subprocess
import sys
import warnings

# What it says of every trace, or of one without steps or collectives, which is true of it then.
EXPECTED = ("time = ", "parsing of ", " in ", "leaving parse_", "Rounding down ns resolution",
            "ProfilerStep not found", "invalid value encountered in scalar divide")
said = []


class Listener(logging.Handler):
    def emit(self, record):
        said.append(record.getMessage())


logging.basicConfig(handlers=[Listener(logging.WARNING)])
warnings.showwarning = lambda message, *_: said.append(str(message))
warnings.filterwarnings("ignore", category=DeprecationWarning)
warnings.filterwarnings("ignore", category=FutureWarning)
import hta.common.trace as hta_rows  # noqa: E402
from hta.configs.parser_config import ParserConfig  # noqa: E402
from hta.trace_analysis import TraceAnalysis  # noqa: E402

THEIR_KINDS = {"COMPUTATION": "compute", "COMMUNICATION": "communication", "MEMORY": "memory"}
CUTS_US = 0.006  # what HolisticTraceAnalysis rounds to, and its sums of floating-point numbers
wrong = []
exact = sys.argv[3:4] and sys.argv[3].endswith(".prof")
if exact:
    os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"


def same(what, ours, theirs, tolerance=0.0):
    if abs(ours - theirs) > max(tolerance, CUTS_US if exact else 0.0):
        wrong.append(f"{what}: {ours}, HolisticTraceAnalysis has {theirs}")


def temporal(ours, hta):
    row, = ours["temporal"]
    theirs = hta.get_temporal_breakdown(visualize=False).iloc[0]
    us = row["operations"] + 2 if row["span_ns"] % 1000 else 0
    same("idle", row["idle_ns"] / 1000, theirs["idle_time(us)"], us)
    same("compute", row["compute_ns"] / 1000, theirs["compute_time(us)"], us)
    same("not compute", (row["communication_ns"] + row["memory_ns"]) / 1000, theirs["non_compute_time(us)"], us)
    same("span", row["span_ns"] / 1000, theirs["kernel_time(us)"], 2 if us else 0)


def idle(ours, hta):
    theirs = hta.get_idle_time_breakdown(visualize=False)[0]
    mine = {(row["stream"], row["cause"].replace(" ", "_")): row["idle_ns"] / 1000 for row in ours["idle"]}
    for row in theirs.itertuples():
        same(f"stream {row.stream} {row.idle_category}", mine.get((row.stream, row.idle_category), 0), row.idle_time)


def overlap(ours, hta):
    theirs = hta.get_comm_comp_overlap(visualize=False).iloc[0]["comp_comm_overlap_pctg"]
    mine = [row["beside_compute_percent"] for row in ours["overlap"] if row["kind"] == "communication"]
    if theirs == theirs or mine:
        same("communication beside compute, percent", round(mine[0], 2), theirs, 0.005)


def kinds(ours, hta):
    everything = dict(visualize=False, num_kernels=100000, duration_ratio=1.0, include_memory_kernels=True)
    by_set, by_name = hta.get_gpu_kernel_breakdown(**everything)
    mine = {frozenset(row["running"].split(" and ")): row["time_ns"] / 1000 for row in ours["running"]}
    cut_us = len(hta.t.get_trace(0)) if exact else 0
    for row in by_set.itertuples():
        parts = frozenset(THEIR_KINDS[part] for part in row.kernel_type.split(" overlapping "))
        same(f"running {sorted(parts)}", mine.pop(parts, 0), row.sum, cut_us)
    same("sets of kinds that only we have", len(mine), 0)
    theirs = {row["name"]: row for _, row in by_name.iterrows()}
    names = [row["name"] for row in ours["kernels"]]
    same("names", len(names), len(theirs))
    for row in ours["kernels"]:
        other = theirs[row["name"]]
        same(row["name"] + " sum", row["sum_ns"] / 1000, other["sum (us)"])
        same(row["name"] + " min", row["min_ns"] / 1000, other["min (us)"])
        same(row["name"] + " max", row["max_ns"] / 1000, other["max (us)"])
        same(row["name"] + " mean", row["mean_ns"] / 1000, other["mean (us)"], 0.001)
        same(row["name"] + " standard deviation", (row["stddev_ns"] or 0) / 1000, other["stddev"], 0.001)


def with_wide_correlations(transform):
    def transform_wide(rows, symbols):
        if "correlation" in rows:
            rows["correlation"] = rows["correlation"].astype("int64")
        return transform(rows, symbols)
    return transform_wide


def tied_streams():
    """Of our own trace: those where one operation was launched at the nanosecond at which another started."""
    with open(sys.argv[2]) as file:
        rows = [row for row in json.load(file)["traceEvents"] if "correlation" in row.get("args", {})]
    launched = {row["args"]["correlation"]: row["ts"] for row in rows if row["cat"].startswith("cuda_")}
    operations = [row for row in rows if row["cat"] in ("kernel", "gpu_memcpy", "gpu_memset")]
    launches = {(row["args"]["stream"], launched.get(row["args"]["correlation"])) for row in operations}
    return {row["args"]["stream"] for row in operations if (row["args"]["stream"], row["ts"]) in launches}


def queue(ours, hta):
    theirs = hta.get_queue_length_summary()["queue_length"]
    mine = {row["stream"]: row for row in ours["queue"]}
    same("streams", len(mine), len(theirs))
    tied = tied_streams() if exact else ()
    for (_, stream), row in theirs.iterrows():
        same(f"queue of stream {stream}: changes", mine[stream]["changes"], row["count"])
        if stream in tied:
            continue
        same(f"queue of stream {stream}: most", mine[stream]["most"], row["max"])
        same(f"queue of stream {stream}: mean", mine[stream]["mean"], row["mean"], 0.05)


def launches(ours, hta):
    theirs = hta.get_cuda_kernel_launch_stats(visualize=False)[0]
    row, = ours["launches"]
    same("launches", row["launched"], len(theirs))
    same("call", row["mean_call_ns"] / 1000, theirs["cpu_duration"].mean(), 0.001)
    same("operation", row["mean_duration_ns"] / 1000, theirs["gpu_duration"].mean(), 0.001)
    same("delay", row["mean_delay_ns"] / 1000, theirs["launch_delay"].mean(), 0.001)
    same("slow calls", row["slow"], (theirs["cpu_duration"] > 50).sum())
    same("late starts", row["late"], (theirs["launch_delay"] > 100).sum())
    same("shorter than their call", row["shorter"], (theirs["gpu_duration"] < theirs["cpu_duration"]).sum())


def annotations(ours, hta):
    """Ranges projected onto streams: its sums by name, beside the times of our trace's rows, and the table's calls."""
    with open(sys.argv[2]) as file:
        rows = [e for e in json.load(file)["traceEvents"] if e.get("cat") == "gpu_user_annotation"]
    theirs = hta.get_gpu_user_annotation_breakdown(visualize=False, duration_ratio=1.0)
    mine = collections.Counter()
    for row in rows:
        mine[row["name"]] += row["dur"]
    same("names of ranges on streams", len(mine), 0 if theirs is None else len(theirs))
    for row in theirs.itertuples(index=False) if mine else ():
        same(f"range {row[0]} on streams", mine[row[0]], row[1])


def leave_out_waits(hta):
    rows = hta.t.get_trace(0)
    waits = hta.t.symbol_table.get_sym_id_map().get("cuda_sync", -1)
    rows.drop(rows[rows["cat"] == waits].index, inplace=True)


def main(profdump, trace, parts):
    file = parts.pop(0) if exact else None
    hta_rows.transform_correlation_to_index = with_wide_correlations(hta_rows.transform_correlation_to_index)
    ours = json.loads(subprocess.check_output([profdump, "breakdown", "--json", file or trace]))
    if exact:
        config = ParserConfig.get_default_cfg()
        config.set_drop_gpu_user_annotation(False)
        ParserConfig.set_default_cfg(config)
    hta = TraceAnalysis(trace_files={0: trace}, trace_dir="/", include_last_profiler_step=True)
    if exact:
        leave_out_waits(hta)
    for part in parts:
        globals()[part](ours, hta)
    if file:
        wrong.extend(line for line in said if not any(words in line for words in EXPECTED))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
