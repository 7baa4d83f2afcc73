"""The TensorBoard plugin's parser reads traces that profdump wrote. It warns of nothing, and its views have the numbers of the
recording.

    plugin_compare.py PROFDUMP TRACE FILE.prof               of --chrome: kernels, memory, steps, operators
    plugin_compare.py --views PROFDUMP TRACE FILE.prof       of --to tensorboard: the rows of the table in the Operator view,
                                                             kernels by operator
    plugin_compare.py --copy PROFDUMP TRACE                  of a trace of PyTorch: the same operators with and without profdump
    plugin_compare.py --distributed PROFDUMP WORKER.pt.trace.json FILE.prof [WORKER FILE.prof]...
"""
import collections
import json
import logging
import re
import subprocess
import sys

from torch_tb_profiler import utils
from torch_tb_profiler.profiler.data import DistributedRunProfileData, RunProfileData
from torch_tb_profiler.profiler.event_parser import ProfileRole
from torch_tb_profiler.profiler.loader import RunLoader
from torch_tb_profiler.profiler.run_generator import RunGenerator

wrong = []


class Listener(logging.Handler):
    def emit(self, record):
        wrong.append(f"it says: {record.getMessage()}")


def same(what, ours, theirs, tolerance=1e-6):
    if abs(ours - theirs) > tolerance:
        wrong.append(f"{what}: {ours}, the plugin has {theirs}")


def kernels(profile, facts):
    table = profile.kernel_table["data"]
    place = {column["name"]: i for i, column in enumerate(table["columns"])}
    theirs = {row[place["Name"]]: row for row in table["rows"]}
    mine = [row for row in facts["key_averages"] if row["kind"] == "kernel"]
    same("kernels", len(mine), len(theirs), 0)
    for row in mine:
        other = theirs.get(row["name"])
        if other is None:
            wrong.append(f"{row['name']}: the plugin has it not")
            continue
        same(f"{row['name']}: calls", row["count"], other[place["Calls"]], 0)
        same(f"{row['name']}: total", row["self_cuda_total_ns"] / 1000, other[place["Total Duration (us)"]], 0.5)


def operators(data, events):
    """Its operators are ours. (It knows no calls of a newer Kineto, so it ties no kernels to them.)"""
    mine = collections.Counter(e["name"] for e in events if e.get("cat") == "cpu_op")
    theirs = collections.Counter(op.name for tree in data.tid2tree.values() for op in walk(tree) if op.type == "Operator")
    if mine != theirs:
        wrong.append(f"operators {mine}: the plugin has {theirs}")


def walk(node):
    yield node
    for child in node.children:
        yield from walk(child)


def steps(data, events):
    mine = collections.OrderedDict((re.sub(r"\D", "", e["name"]), e) for e in events
                                   if e["ph"] == "X" and e["name"].startswith("ProfilerStep#"))
    if not mine:
        return
    # The last ones are left out where later work belongs to none.
    wanted = list(mine)[:len(data.steps_names)]
    if data.steps_names != wanted:
        wrong.append(f"steps {list(mine)}: the plugin has {data.steps_names}")
    for name, costs in zip(data.steps_names, data.steps_costs):
        same(f"step {name}", mine[name]["dur"], costs.costs[ProfileRole.Total])


def memory(data, events):
    mine = sum(e["ph"] == "i" and e["name"] == "[memory]" for e in events)
    theirs = len(data.memory_snapshot.memory_records) if data.memory_snapshot else 0
    same("changes of memory", mine, theirs, 0)


COLUMNS = {"calls": "count", "host_total_duration": "cpu_total_ns", "host_self_duration": "self_cpu_total_ns",
           "device_total_duration": "cuda_total_ns", "device_self_duration": "self_cuda_total_ns"}
COLLECTIVES = {"NCCL:ncclAllReduce": "nccl:all_reduce", "NCCL:ncclAllGather": "nccl:all_gather",
               "NCCL:ncclBroadcast": "nccl:broadcast", "NCCL:ncclReduceScatter": "nccl:reduce_scatter"}

# What goes into them in tests/cuda/collectives.c: the last one states what comes out of it, of 8 ranks.
BYTES = {"nccl:all_reduce": 4096 + 4096 + 128, "nccl:all_gather": 1000, "nccl:broadcast": 512, "nccl:reduce_scatter": 8 * 256}


def operator_view(profile, facts, events):
    """Its numbers are rounded to microseconds. It has no begin/end ranges, and a range that crosses others counts for each
    of its segments."""
    theirs = {row["name"]: dict(row) for row in profile.operation_table_by_name["data"]}
    mine = {COLLECTIVES.get(row["name"], row["name"]): row for row in facts["key_averages"]
            if row["kind"] == "range" and row["self_cpu_total_ns"] and not row["name"].startswith("ProfilerStep")}
    for event in events:
        args = event.get("args", {})
        if event.get("cat") == "cpu_op" and args.get("piece of", args["External id"]) != args["External id"]:
            theirs[event["name"]]["calls"] -= 1
    if set(theirs) != set(mine) or not mine:
        wrong.append(f"operators {sorted(mine)}: the plugin has {sorted(theirs)}")
    for name in set(theirs) & set(mine):
        for column, ours in COLUMNS.items():
            if column in theirs[name]:
                same(f"{name}: {column}", mine[name][ours] / (1 if ours == "count" else 1000), theirs[name][column],
                     0 if ours == "count" else 0.5001)


def kernels_by_operator(profile, facts):
    """No kernel is lost on the way to operators."""
    theirs = collections.Counter()
    table = profile.kernel_op_table["data"]
    place = {column["name"]: i for i, column in enumerate(table["columns"])}
    for row in table["rows"]:
        theirs[row[place["Name"]]] += row[place["Calls"]]
    mine = {row["name"]: row["count"] for row in facts["key_averages"] if row["kind"] == "kernel"}
    if theirs != mine:
        wrong.append(f"kernels by operator {mine}: the plugin has {dict(theirs)}")


def views(profdump, trace, file):
    facts = json.loads(subprocess.check_output([profdump, "--json", file]))
    data = RunProfileData.parse("worker", None, trace, ".")
    profile = RunGenerator("worker", None, data).generate_run_profile()
    with open(trace, encoding="utf-8") as opened:
        events = json.load(opened)["traceEvents"]
    operator_view(profile, facts, events)
    kernels_by_operator(profile, facts)
    steps(data, events)


def operator_rows(trace):
    data = RunProfileData.parse("worker", None, trace, ".")
    profile = RunGenerator("worker", None, data).generate_run_profile()
    return {(row["name"], row["input_shape"]): row for row in profile.operation_table_by_name_input["data"]}


def copy(profdump, trace):
    """Of a trace of PyTorch in words that the plugin knows, --to tensorboard has the same operators. Only backward operators
    have a call stack more: that of their forward operator."""
    subprocess.check_call([profdump, "-o", "copy.pt.trace.json", "--to", "tensorboard", trace])
    theirs, ours = operator_rows(trace), operator_rows("copy.pt.trace.json")
    for key, row in theirs.items():
        row["has_call_stack"] |= ours.get(key, row)["has_call_stack"]
    wrong.extend(f"{key}: {theirs[key]}, of the copy {ours.get(key)}" for key in theirs if theirs[key] != ours.get(key))
    same("operators", len(ours), len(theirs), 0)


def distributed(profdump, *pairs):
    """Each worker has the calls of each collective, their bytes, and no less time than its kernels took."""
    workers = dict(zip([re.sub(r"\.pt\.trace\.json$", "", trace) for trace in pairs[::2]], pairs[1::2]))
    parsed = [DistributedRunProfileData(RunProfileData.parse(worker, None, f"{worker}.pt.trace.json", ".")) for worker in workers]
    loader = object.__new__(RunLoader)  # without the processes that it would start
    loader.run_name = "run"
    view = loader._process_distributed_profiles(parsed, None)
    if view is None:
        wrong.append("there is no Distributed view")
        return
    if set(view.steps_to_overlap["data"]["all"]) != set(workers) or not view.gpu_info:
        wrong.append(f"workers {sorted(workers)}: the plugin has {view.steps_to_overlap['data']}")
    for worker, file in workers.items():
        theirs = {row[0]: row[1:] for row in view.comm_ops["data"][worker]["rows"]}
        collectives(worker, theirs, json.loads(subprocess.check_output([profdump, "--json", file])))


def collectives(worker, theirs, facts):
    mine = {COLLECTIVES[row["name"]]: row for row in facts["key_averages"] if row["name"] in COLLECTIVES}
    if set(theirs) != set(mine) or not mine:
        wrong.append(f"{worker}: collectives {sorted(mine)}: the plugin has {sorted(theirs)}")
    for name in set(theirs) & set(mine):
        calls, size, _, latency, *_ = theirs[name]
        same(f"{worker}: {name}: calls", mine[name]["count"], calls, 0)
        same(f"{worker}: {name}: bytes", BYTES[name], size, 0)
        if latency < mine[name]["cuda_total_ns"] / 1000 - 0.001:
            wrong.append(f"{worker}: {name}: {latency} us, its kernels took {mine[name]['cuda_total_ns']} ns")


def main(profdump, *arguments):
    utils.get_logger().addHandler(Listener(logging.WARNING))
    if profdump.startswith("--"):
        {"--views": views, "--copy": copy, "--distributed": distributed}[profdump](*arguments)
    else:
        chrome(profdump, *arguments)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


def chrome(profdump, trace, file):
    facts = json.loads(subprocess.check_output([profdump, "--json", file]))
    data = RunProfileData.parse("worker", None, trace, ".")
    profile = RunGenerator("worker", None, data).generate_run_profile()
    with open(trace) as opened:
        events = json.load(opened)["traceEvents"]
    kernels(profile, facts)
    operators(data, events)
    steps(data, events)
    memory(data, events)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
