"""Compares profdump breakdown with HolisticTraceAnalysis on one trace: hta_compare.py PROFDUMP TRACE [PART...].

Each part is a table; what differs is printed, and the exit status is 1. Differences that are known:

- HolisticTraceAnalysis cuts times to whole microseconds: sums may differ by one for each operation ("us" below).
- It takes waits of streams (cuda_sync) for operations, so a span, and with it the idle time, may be longer; and waits
  for events for computing, since "Stream Wait Event" is no name of a copy, a collective or a synchronisation.
- Its idle category "kernel wait" is stated as less than 30 ns and compared with microseconds: 30 us, as ours.
- Its idle time of a stream subtracts what overlaps; there are no overlaps within a stream in the traces of the test.
- Its mean queue length depends on the order of events at the same microsecond: only the most is compared exactly.
"""
import json
import logging
import subprocess
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis  # noqa: E402

THEIR_KINDS = {"COMPUTATION": "compute", "COMMUNICATION": "communication", "MEMORY": "memory"}
wrong = []


def same(what, ours, theirs, tolerance=0.0):
    if abs(ours - theirs) > tolerance:
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
    for row in by_set.itertuples():
        parts = frozenset(THEIR_KINDS[part] for part in row.kernel_type.split(" overlapping "))
        same(f"running {sorted(parts)}", mine.pop(parts, 0), row.sum)
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


def queue(ours, hta):
    theirs = hta.get_queue_length_summary()["queue_length"]
    mine = {row["stream"]: row for row in ours["queue"]}
    same("streams", len(mine), len(theirs))
    for (_, stream), row in theirs.iterrows():
        same(f"queue of stream {stream}: changes", mine[stream]["changes"], row["count"])
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


def main(profdump, trace, parts):
    ours = json.loads(subprocess.check_output([profdump, "breakdown", "--json", trace]))
    hta = TraceAnalysis(trace_files={0: trace}, trace_dir="/", include_last_profiler_step=True)
    for part in parts:
        globals()[part](ours, hta)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
