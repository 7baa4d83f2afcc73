"""cuda_expect.py PROFDUMP [--finding RULE] FILE... -- EXPRESSION...: each expression is true of each trace.

Of every trace: `profdump check` passes (with --finding: fails, naming RULE), the ledger adds up, its Chrome trace is
valid (check_trace.py), every operation of a device has its arrow, nothing of libprof's own is shown.

An expression is Python and sees

    count, ops, calls   {name: number} of ranges and marks, of device operations, of CUDA calls
    rows                {(kind, name): row} of the table
    ns(name)            self_cuda_total_ns of the operation of that name
    loss                {cause: number}, with launched, recorded ...
    heap(name)          one of memory's heaps, by kind or allocator
    memory              what `profdump memory` tells; chrome: all events of the Chrome trace
    facts               all of `profdump --json`; process and devices are parts of it
    x(cat, name=None)   slices of the Chrome trace, as dictionaries
    arrows()            [(host slice, device slice)]; arrows("timed"): of ranges timed by events
    args(cat, name)     the set of values of each argument of such slices: {argument: {value}}
    innermost(call)     name of the range directly around a slice
    under(range)        ns on devices of what was launched directly inside the range, counted from the trace
    raw                 the file as trace_file.py reads it; starts: {device: START_EVENT records}
"""
import collections
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "write")]
import check_trace  # noqa: E402
from expect import heap_of  # noqa: E402
from trace_file import TraceFile  # noqa: E402

DEVICE_KINDS = ("kernel", "memcpy", "memset", "graph")
START_EVENT = 16 + 13


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Trace:
    """The Chrome trace: slices, arrows and what was launched in which range."""

    def __init__(self, profdump, path):
        out = f"{path}.json"
        made = run(profdump, "--chrome", out, path)
        if made.returncode != 0:
            sys.exit(f"FAILED: profdump --chrome {path}\n{made.stdout}")
        report = check_trace.check(out)
        if report.problems:
            sys.exit(f"FAILED: {out} is no valid trace\n" + "\n".join(report.problems[:20]))
        self.all = report.trace["traceEvents"]
        self.head = {key: value for key, value in report.trace.items() if key != "traceEvents"}
        self.slices = [event for event in self.all if event["ph"] == "X"]
        self.ranges = collections.defaultdict(list)
        for event in self.x("user_annotation") + self.x("cpu_op"):
            self.ranges[event["pid"], event["tid"]].append(event)

    def x(self, cat, name=None):
        return [e for e in self.slices if e["cat"] == cat and name in (None, e["name"])]

    def arrows(self, cat="ac2g"):
        """Ends are where their slice starts, or a nanosecond later where another slice ends there."""
        starts = {(e["pid"], e["tid"], round(1000 * e["ts"])): e for e in self.slices}
        ends = collections.defaultdict(dict)
        for event in self.all:
            if event["ph"] in "sf" and event["cat"] == cat:
                row, time = (event["pid"], event["tid"]), round(1000 * event["ts"])
                ends[event["id"]][event["ph"]] = starts.get((*row, time)) or starts[(*row, time - 1)]
        return [(pair["s"], pair["f"]) for pair in ends.values()]

    def args(self, cat, name=None):
        values = collections.defaultdict(set)
        for event in self.x(cat, name):
            for key, value in event["args"].items():
                values[key].add(tuple(value) if isinstance(value, list) else value)
        return values

    def innermost(self, call):
        """In whole nanoseconds: sums of microseconds with decimals are off by the least bit now and then."""
        def end_ns(e):
            return round(1000 * e["ts"]) + round(1000 * e["dur"])
        around = [e for e in self.ranges[call["pid"], call["tid"]]
                  if e["ts"] <= call["ts"] and end_ns(call) <= end_ns(e)]
        return max(around, key=lambda e: e["ts"])["name"] if around else None

    def under(self, name):
        return round(1000 * sum(f["dur"] for s, f in self.arrows() if self.innermost(s) == name))


class Facts(dict):
    """Works out what is rarely asked for only when an expression asks for it."""

    def __init__(self, profdump, path, trace):
        facts = json.loads(subprocess.run([profdump, "--json", path], stdout=subprocess.PIPE, check=True).stdout)
        rows = {(row["kind"], row["name"]): row for row in facts["key_averages"]}
        counts = collections.defaultdict(collections.Counter)
        for (kind, name), row in rows.items():
            counts[kind][name] += row["count"]
        super().__init__(
            facts=facts, loss=facts["loss"], process=facts["processes"][0],
            memory=facts.get("memory"), heap=heap_of(facts.get("memory")), chrome=trace.all, devices=facts["devices"], rows=rows,
            count=counts["range"] + counts["mark"], calls=counts["cuda_api"],
            ops=sum((counts[kind] for kind in DEVICE_KINDS), collections.Counter()),
            ns=lambda name: sum(rows.get((kind, name), {}).get("self_cuda_total_ns", 0) for kind in DEVICE_KINDS),
            trace=trace, x=trace.x, arrows=trace.arrows, args=trace.args, under=trace.under,
            innermost=trace.innermost)
        self.path = path

    def __missing__(self, name):
        if name == "raw":
            self["raw"] = TraceFile(self.path)
        elif name == "starts":
            self["starts"] = collections.defaultdict(list)
            for _, event in self["raw"].events():
                if event.kind == START_EVENT:
                    self["starts"][event.words[0] & 0xFFFFFFFF].append(event)
        else:
            raise KeyError(name)
        return self[name]


ALWAYS = (
    "loss['launched'] == loss['recorded'] + loss['lost_operations'] + loss['undelivered'] + loss['unobserved']",
    "loss['missing'] == 0 and loss['orphans'] == 0",
    # libprof's own set is the only one of 4 bytes: no test program makes one
    "not any(e['args'].get('bytes') == 4 for e in x('gpu_memset'))",
    "len(arrows()) == len(x('kernel')) + len(x('gpu_memcpy')) + len(x('gpu_memset')) + len(x('gpu_graph')) == sum(ops.values())",
    "len(arrows('timed')) == sum('stream handle' in e['args'] for e in x('gpu_user_annotation')) == facts['timed_by_events']",
    "sum(ops.values()) == loss['recorded'] + loss['launched_graph']",
    "facts['mode'] == trace.head['libprof']['mode'] and facts['mode_reason'] == trace.head['libprof']['mode_reason']",
)


def check_findings(profdump, path, finding):
    checked = run(profdump, "check", path)
    if checked.returncode != (4 if finding else 0) or (finding and finding not in checked.stdout):
        sys.exit(f"FAILED: profdump check {path}: {checked.returncode}\n{checked.stdout}")


def show(facts):
    return "\n".join(f"{name}: {dict(facts[name].most_common(20))}" for name in ("count", "ops", "calls")) + \
        f"\nloss: { {cause: number for cause, number in facts['loss'].items() if number} }" + \
        f"\nmode: {facts['facts']['mode']}, {facts['facts']['mode_reason']}"


def expect(profdump, path, finding, expressions):
    check_findings(profdump, path, finding)
    facts = Facts(profdump, path, Trace(profdump, path))
    for expression in ALWAYS + tuple(expressions):
        try:
            holds = eval(expression, facts)  # as globals: also seen inside comprehensions
        except Exception as error:  # noqa: BLE001 - shown, and a failure
            holds, expression = False, f"{expression}: {error!r}"
        if not holds:
            sys.exit(f"FAILED: {path}: {expression}\n{show(facts)}")


def main(profdump, *words):
    finding = None
    if words[0] == "--finding":
        finding, words = words[1], words[2:]
    middle = words.index("--")
    if middle == 0:
        sys.exit("FAILED: no traces to look at")
    for path in words[:middle]:
        expect(profdump, path, finding, words[middle + 1:])


if __name__ == "__main__":
    main(*sys.argv[1:])
