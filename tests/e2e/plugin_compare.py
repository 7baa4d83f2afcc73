"""The TensorBoard plugin's parser reads a trace that --chrome wrote: plugin_compare.py PROFDUMP TRACE FILE.prof

Its kernel view, memory view and steps have the numbers of the recording; it warns of nothing.
"""
import collections
import json
import logging
import re
import subprocess
import sys

from torch_tb_profiler import utils
from torch_tb_profiler.profiler.data import RunProfileData
from torch_tb_profiler.profiler.event_parser import ProfileRole
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


def main(profdump, trace, file):
    utils.get_logger().addHandler(Listener(logging.WARNING))
    facts = json.loads(subprocess.check_output([profdump, "--json", file]))
    data = RunProfileData.parse("worker", None, trace, ".")
    profile = RunGenerator("worker", None, data).generate_run_profile()
    with open(trace) as opened:
        events = json.load(opened)["traceEvents"]
    kernels(profile, facts)
    operators(data, events)
    steps(data, events)
    memory(data, events)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
