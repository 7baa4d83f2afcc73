#!/usr/bin/env python3
"""Reads a Perfetto protobuf trace as strictly as can be, and compares it with the Chrome trace of the same file.

    check_perfetto.py TRACE.pftrace [TRACE.json]
    check_perfetto.py --stacks TRACE.pftrace     lists the samples: "COUNT outermost;...;innermost [PID TID MODULE]"

Needs nothing but Python. One sequence with valid incremental state: what is referred to was introduced before and once;
every event's track is described; slices nest and all end; each flow begins and ends once; time does not go back. With a
Chrome trace: the same slices (category, name, start, duration, row, arguments), marks, counters and arrows.
Exits with 1 after having said what is wrong.
"""
import collections
import decimal
import gzip
import json
import sys

from proto_wire import one, parse

SCHEMA = {
    "Trace": {1: ("packet", "TracePacket")},
    "TracePacket": {
        6: ("clock_snapshot", "ClockSnapshot"), 8: ("timestamp", "uint"), 10: ("sequence", "uint"),
        11: ("track_event", "TrackEvent"), 12: ("interned_data", "InternedData"), 13: ("flags", "uint"),
        53: ("stage", "GpuRenderStageEvent"), 58: ("clock", "uint"), 59: ("defaults", "Defaults"),
        60: ("track", "TrackDescriptor"), 66: ("perf_sample", "PerfSample"), 87: ("first", "bool"),
        128: ("gpu_info", "GpuInfo")},
    "ClockSnapshot": {1: ("clocks", "Clock"), 2: ("primary", "uint")},
    "Clock": {1: ("id", "uint"), 2: ("timestamp", "uint"), 3: ("incremental", "bool")},
    "Defaults": {58: ("clock", "uint")},
    "TrackDescriptor": {
        1: ("uuid", "uint"), 2: ("name", "string"), 3: ("process", "Process"), 4: ("thread", "Thread"),
        5: ("parent", "uint"), 8: ("counter", "Counter"), 11: ("order", "uint"), 12: ("rank", "int"),
        14: ("description", "string"), 19: ("process_order", "uint"), 20: ("thread_order", "uint")},
    "Process": {1: ("pid", "uint"), 6: ("name", "string"), 8: ("label", "string")},
    "Thread": {1: ("pid", "uint"), 2: ("tid", "uint"), 5: ("name", "string")},
    "Counter": {3: ("unit", "uint")},
    "TrackEvent": {
        3: ("category", "uint"), 4: ("annotation", "Annotation"), 9: ("type", "uint"), 10: ("name_iid", "uint"),
        11: ("track", "uint"), 23: ("name", "string"), 30: ("value", "int"), 44: ("value", "double"),
        47: ("flow", "fixed64"), 48: ("flow_end", "fixed64"), 3000: ("correlation", "GpuCorrelation")},
    "GpuCorrelation": {1: ("submitted", "uint")},
    "GpuInfo": {1: ("gpus", "Gpu")},
    "Gpu": {1: ("name", "string"), 2: ("vendor", "string"), 4: ("architecture", "string"), 5: ("uuid", "bytes"),
            6: ("extra", "KeyValue")},
    "KeyValue": {1: ("key", "string"), 2: ("value", "string")},
    "GpuRenderStageEvent": {
        1: ("id", "uint"), 2: ("duration", "uint"), 5: ("context", "uint"), 10: ("submission", "uint"),
        11: ("gpu", "uint"), 13: ("queue", "uint"), 14: ("stage", "uint"), 19: ("kernel", "uint"),
        20: ("name_iid", "uint"), 21: ("launch", "Launch")},
    "Launch": {1: ("grid", "Dim3"), 2: ("block", "Dim3"), 3: ("args", "Argument")},
    "Dim3": {1: ("x", "uint"), 2: ("y", "uint"), 3: ("z", "uint")},
    "Argument": {1: ("name_iid", "uint"), 3: ("int", "int"), 4: ("uint", "uint"), 5: ("double", "double"),
                 6: ("string", "string"), 7: ("string_iid", "uint")},
    "Annotation": {
        1: ("name_iid", "uint"), 2: ("bool", "bool"), 3: ("uint", "uint"), 4: ("int", "int"), 5: ("double", "double"),
        6: ("string", "string"), 7: ("pointer", "uint"), 10: ("name", "string"), 12: ("array", "Annotation"),
        17: ("string_iid", "uint")},
    "InternedData": {
        1: ("categories", "Interned"), 2: ("names", "Interned"), 3: ("keys", "Interned"), 5: ("functions", "Interned"),
        6: ("frames", "Frame"), 7: ("callstacks", "Callstack"), 17: ("paths", "Interned"), 19: ("mappings", "Mapping"),
        23: ("contexts", "Context"), 24: ("specifications", "Specification"), 29: ("strings", "Interned"),
        1000: ("kernels", "Kernel"), 1001: ("arguments", "Interned")},
    "Context": {1: ("iid", "uint"), 2: ("pid", "uint"), 3: ("api", "uint")},
    "Specification": {1: ("iid", "uint"), 2: ("name", "string"), 3: ("description", "string"), 4: ("category", "uint")},
    "Kernel": {1: ("iid", "uint"), 2: ("name", "string"), 4: ("architecture", "string")},
    "Frame": {1: ("iid", "uint"), 2: ("function", "uint"), 3: ("mapping", "uint"), 4: ("offset", "uint")},
    "Callstack": {1: ("iid", "uint"), 2: ("frames", "uint")},
    "Mapping": {1: ("iid", "uint"), 7: ("path", "uint")},
    "PerfSample": {2: ("pid", "uint"), 3: ("tid", "uint"), 4: ("callstack", "uint"), 5: ("mode", "uint")},
    "Interned": {1: ("iid", "uint"), 2: ("text", "string")},
}
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
REALTIME, FILE, DELTA = 1, 11, 64
COMPUTE, CUDA = 2, 4  # a stage's category, a context's API

Slice = collections.namedtuple("Slice", "category name start duration row args")
Point = collections.namedtuple("Point", "name time row")
Sample = collections.namedtuple("Sample", "name time pid value")
Flow = collections.namedtuple("Flow", "start start_row end end_row")


class Content:
    """What both kinds of traces tell, in the same words."""

    def __init__(self):
        self.slices, self.points, self.samples, self.flows = [], [], [], []


class Trace:
    def __init__(self):
        self.interned = {space: {} for space in ("categories", "names", "keys", "strings", "functions", "paths",
                                                 "arguments")}
        self.mappings, self.frames, self.callstacks, self.stacks = {}, {}, {}, collections.Counter()
        self.gpus, self.contexts, self.specifications, self.kernels = [], {}, {}, {}
        self.tracks, self.open, self.flows = {}, {}, {}
        self.operations, self.event_names, self.operation_names = set(), set(), set()
        self.base = self.last = None
        self.content = Content()

    def packet(self, packet):
        if one(packet, "sequence") != 1:
            raise ValueError("a packet of another sequence")
        if self.base is None:
            self.begin(packet)
            return
        if one(packet, "flags") != 2 or "first" in packet or "clock_snapshot" in packet or "defaults" in packet:
            raise ValueError("incremental state is not kept")
        for data in packet.get("interned_data", []):
            self.intern(data)
        if "gpu_info" in packet:
            self.gpus += one(packet, "gpu_info")["gpus"]
        if "stage" in packet:
            self.stage(one(packet, "stage"), self.time(packet))
        if "track" in packet:
            self.describe(one(packet, "track"))
        if "perf_sample" in packet:
            self.perf_sample(one(packet, "perf_sample"), self.time(packet))
        if "track_event" in packet:
            self.event(one(packet, "track_event"), self.time(packet))

    def begin(self, packet):
        snapshot = one(packet, "clock_snapshot")
        clocks = {one(clock, "id"): clock for clock in snapshot["clocks"]}
        self.base = self.last = one(clocks[REALTIME], "timestamp")
        if (one(packet, "flags"), one(packet, "first"), one(packet, "clock"), one(packet, "timestamp"),
                one(snapshot, "primary"), one(one(packet, "defaults"), "clock"), set(clocks)) != (
                    1, 1, REALTIME, self.base, FILE, DELTA, {REALTIME, FILE, DELTA}):
            raise ValueError("the first packet does not set the clocks up")
        if one(clocks[FILE], "timestamp") != self.base:
            raise ValueError("the trace's own clock is not REALTIME")
        if one(clocks[DELTA], "incremental") != 1 or one(clocks[DELTA], "timestamp") != self.base:
            raise ValueError("clock 64 does not count from the begin")

    def time(self, packet):
        clock, time = one(packet, "clock", DELTA), one(packet, "timestamp")
        if clock == REALTIME:
            return time - self.base
        if clock != DELTA:
            raise ValueError(f"clock {clock}")
        self.last += time
        return self.last - self.base

    def introduce(self, space, known, entry, value):
        number = one(entry, "iid")
        if not number or number in known:
            raise ValueError(f"{space} {number} is introduced again")
        known[number] = value

    def intern(self, data):
        """Texts, then what refers to them: mappings, frames, callstacks."""
        for space, known in self.interned.items():
            for entry in data.get(space, []):
                self.introduce(space, known, entry, one(entry, "text"))
        for space, known in (("contexts", self.contexts), ("specifications", self.specifications),
                             ("kernels", self.kernels)):
            for entry in data.get(space, []):
                self.introduce(space, known, entry, entry)
        for entry in data.get("mappings", []):
            self.introduce("mapping", self.mappings, entry, self.text("paths", one(entry, "path")))
        for entry in data.get("frames", []):
            self.introduce("frame", self.frames, entry, (self.text("functions", one(entry, "function")),
                                                         self.mappings[one(entry, "mapping")], one(entry, "offset")))
        for entry in data.get("callstacks", []):
            self.introduce("callstack", self.callstacks, entry, [self.frames[frame] for frame in entry["frames"]])

    def perf_sample(self, sample, time):
        if time < 0 or one(sample, "mode") != 2:
            raise ValueError("a sample before the trace, or of the kernel")
        stack = self.callstacks[one(sample, "callstack")]
        names = ";".join(function for function, _, _ in stack)
        self.stacks[names, one(sample, "pid"), one(sample, "tid"), stack[-1][1]] += 1

    def describe(self, track):
        uuid, parent = one(track, "uuid"), one(track, "parent")
        if uuid == 0:
            if self.tracks or set(track) != {"uuid", "process_order", "thread_order"}:
                raise ValueError("the root track is the first, and has nothing but the order of what is below it")
            return
        if not uuid or uuid in self.tracks:
            raise ValueError(f"track {uuid} is described again")
        if parent is not None and parent not in self.tracks:
            raise ValueError(f"track {uuid}: its parent {parent} is not described before it")
        kinds = [kind for kind in ("process", "thread", "name") if kind in track]
        if len(kinds) != 1 or (parent is None) != (kinds[0] != "name"):
            raise ValueError(f"track {uuid} is {kinds} below {parent}")
        self.tracks[uuid] = track

    def up(self, uuid):
        while uuid is not None:
            yield self.tracks[uuid]
            uuid = one(self.tracks[uuid], "parent")

    def row(self, uuid):
        """The row in words: ("thread", pid, tid), ("process", pid), or (name of the device, name)."""
        track = self.tracks[uuid]
        if one(track, "name") == "begin/end ranges":
            return self.row(one(track, "parent"))
        for kind, parts in (("thread", ("pid", "tid")), ("process", ("pid",))):
            if kind in track:
                return (kind,) + tuple(one(one(track, kind), part) for part in parts)
        names = [one(above, "name", "") for above in self.up(uuid)]
        device = next((number_of(name) for name in names[1:] if name.startswith("GPU")), "")
        return device, beside(names[0])

    def text(self, space, number):
        if number not in self.interned[space]:
            raise ValueError(f"{space} {number} was not introduced")
        return self.interned[space][number]

    def value(self, annotation):
        if "array" in annotation:
            return [self.value(item) for item in annotation["array"]]
        if "string_iid" in annotation:
            return self.text("strings", one(annotation, "string_iid"))
        if "pointer" in annotation:
            return hex(one(annotation, "pointer"))
        if "bool" in annotation:
            return bool(one(annotation, "bool"))
        values = [one(annotation, kind) for kind in ("uint", "int", "double", "string") if kind in annotation]
        if len(values) != 1:
            raise ValueError(f"an annotation with {len(values)} values")
        return values[0]

    def args(self, event):
        args = {}
        for annotation in event.get("annotation", []):
            name = one(annotation, "name") if "name" in annotation else self.text("keys", one(annotation, "name_iid"))
            args[name] = self.value(annotation)
        return args

    def name(self, event):
        if ("name" in event) == ("name_iid" in event):
            raise ValueError("an event needs one name")
        self.event_names.add(one(event, "name_iid"))
        return one(event, "name") if "name" in event else self.text("names", one(event, "name_iid"))

    def event(self, event, time):
        uuid, kind = one(event, "track"), one(event, "type")
        if uuid not in self.tracks:
            raise ValueError(f"track {uuid} is not described")
        if ("counter" in self.tracks[uuid]) != (kind == COUNTER):
            raise ValueError(f"an event of type {kind} on track {uuid}")
        for flow in event.get("flow", []):
            self.flow(flow, "start", time, uuid)
        for correlation in event.get("correlation", []):
            for operation in correlation.get("submitted", []):
                self.flow(operation, "start", time, uuid)
        for flow in event.get("flow_end", []):
            self.flow(flow, "end", time, uuid)
        if kind == BEGIN:
            category = self.text("categories", one(event, "category"))
            self.open.setdefault(uuid, []).append((category, self.name(event), time, self.args(event)))
        elif kind == END:
            category, name, start, args = self.open[uuid].pop()
            self.content.slices.append(Slice(category, name, start, time - start, self.row(uuid), args))
        elif kind == INSTANT:
            self.args(event)
            self.content.points.append(Point(self.name(event), time, self.row(uuid)))
        elif kind == COUNTER:
            pid = next(one(one(track, "process"), "pid") for track in self.up(uuid) if "process" in track)
            self.content.samples.append(Sample(one(self.tracks[uuid], "name"), time, pid,
                                               float(one(event, "value"))))
        else:
            raise ValueError(f"an event of type {kind}")

    def argument(self, argument):
        if "string_iid" in argument:
            return self.text("strings", one(argument, "string_iid"))
        return next(one(argument, kind) for kind in ("uint", "int", "double", "string") if kind in argument)

    def stage(self, event, time):
        """An operation of a device. Its arguments get the names that the Chrome trace has for them."""
        queue, stage = self.specifications[one(event, "queue")], self.specifications[one(event, "stage")]
        context, name = self.contexts[one(event, "context")], self.text("names", one(event, "name_iid"))
        self.operation_names.add(one(event, "name_iid"))
        pids = {one(one(track, "process"), "pid") for track in self.tracks.values() if "process" in track}
        if one(context, "pid") not in pids or one(context, "api") != CUDA:
            raise ValueError("a context without its process")
        launch = one(event, "launch")
        args = {self.text("arguments", one(argument, "name_iid")): self.argument(argument)
                for argument in launch.get("args", [])}
        for field in ("grid", "block"):
            if field in launch:
                args[field] = [one(one(launch, field), axis) for axis in "xyz"]
        if (one(stage, "category") == COMPUTE) != ("kernel" in event):
            raise ValueError("a kernel is of the category COMPUTE, and nothing else")
        if "kernel" in event:
            if one(self.kernels[one(event, "kernel")], "name") != name:
                raise ValueError(f"{name} is another kernel")
        if "registers_per_thread" in args:
            args["registers per thread"] = args["registers_per_thread"]
            args["shared memory"] = args["shared_mem_static"] + args["shared_mem_dynamic"]
        if one(event, "submission") != args["correlation"]:
            raise ValueError(f"{name}: its submission is not its correlation")
        row = number_of(one(self.gpus[one(event, "gpu")], "name")), one(queue, "name")
        self.add_flow(one(event, "id"), "end", time, row)
        self.operations.add(one(event, "id"))
        self.content.slices.append(Slice(one(stage, "name"), name, time, one(event, "duration"), row, args))

    def flow(self, number, side, time, uuid):
        self.add_flow(number, side, time, self.row(uuid))

    def add_flow(self, number, side, time, row):
        sides = self.flows.setdefault(number, {})
        if side in sides:
            raise ValueError(f"flow {number}: a second {side}")
        sides[side] = (time, row)

    def finish(self):
        if self.event_names & self.operation_names:
            raise ValueError("Perfetto's reader aborts where operations and other events share interned names")
        if any(self.open.values()):
            raise ValueError("slices are open at the end")
        for number, sides in self.flows.items():
            if list(sides) == ["end"] and number in self.operations:
                continue  # nobody saw its launch
            if len(sides) != 2:
                raise ValueError(f"flow {number} has no {'end' if 'start' in sides else 'start'}")
            self.content.flows.append(Flow(*sides["start"], *sides["end"]))
        return self.content


def read_perfetto(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    trace = Trace()
    for packet in parse(SCHEMA, "Trace", data).get("packet", []):
        trace.packet(packet)
    return trace


def number_of(gpu):
    """ "GPU 0" of its name."""
    return gpu.split(":")[0].split(",")[0]


def beside(row):
    """Ranges projected onto a stream are in one trace on the stream's row, in the other beside it."""
    return row.split(" (ranges")[0]


def ns(microseconds):
    return round(microseconds * 1000)  # a decimal: base times beyond 2^53 ns stay exact


class Chrome:
    def __init__(self, trace):
        # the end of the recording is on no row
        self.events = [event for event in trace["traceEvents"] if event["name"] != "Record Window End"]
        self.names, self.labels, self.content = {}, {}, Content()
        for event in self.events:
            if event["ph"] == "M" and event["name"] == "thread_name":
                self.names[event["pid"], event["tid"]] = event["args"]["name"]
            elif event["ph"] == "M" and event["name"] == "process_labels":
                self.labels[event["pid"]] = event["args"]["labels"]

    def row(self, event):
        label = self.labels[event["pid"]]
        name = self.names[event["pid"], event["tid"]].split(" (lane ")[0]  # Perfetto decides what overlaps
        if event.get("s") == "p":
            return "process", event["pid"]
        if label == "CPU" and name.startswith("thread "):
            return "thread", event["pid"], event["tid"]
        return "" if label == "CPU" else number_of(label), beside(name)

    def flows(self):
        sides = {}
        starts = {(self.row(event), ns(event["ts"])) for event in self.events if event["ph"] == "X"}
        for event in self.events:
            if event["ph"] in "sf":
                row, time = self.row(event), ns(event["ts"])
                time -= (row, time) not in starts  # where two slices touch it is a nanosecond into the second
                sides.setdefault((event["cat"], event["id"]), {})[event["ph"]] = (time, row)
        return [Flow(*pair["s"], *pair["f"]) for pair in sides.values()]

    def ranges(self):
        begun = {}
        for event in self.events:
            if event["ph"] == "b":
                begun[event["id"]] = event
            elif event["ph"] == "e":
                begin = begun.pop(event["id"])
                start = ns(begin["ts"])
                self.content.slices.append(Slice(begin["cat"], begin["name"], start, ns(event["ts"]) - start,
                                                 self.row(begin), begin["args"]))

    def read(self):
        content = self.content
        for event in self.events:
            if event["ph"] == "X":
                content.slices.append(Slice(event["cat"], event["name"], ns(event["ts"]), ns(event["dur"]),
                                            self.row(event), event["args"]))
            elif event["ph"] == "i":
                content.points.append(Point(event["name"], ns(event["ts"]), self.row(event)))
            elif event["ph"] == "C":
                value = next(iter(event["args"].values()))
                content.samples.append(Sample(event["name"], ns(event["ts"]), event["pid"], float(value)))
        self.ranges()
        content.flows = self.flows()
        return content


def shown(items):
    return "; ".join(str(item) for item in list(items)[:3])


def compare(what, perfetto, chrome):
    perfetto, chrome = collections.Counter(perfetto), collections.Counter(chrome)
    if perfetto != chrome:
        raise ValueError(f"{what}: only in Perfetto: {shown(perfetto - chrome)}\nonly in Chrome: {shown(chrome - perfetto)}")


def same_value(mine, theirs):
    if isinstance(mine, list):
        return len(mine) == len(theirs) and all(map(same_value, mine, theirs))
    if isinstance(mine, bool) or not isinstance(mine, (int, float)):
        return str(mine).lower() == str(theirs).lower() or str(theirs) == str(int(str(mine), 16))
    if theirs is None:
        return mine != mine or mine in (float("inf"), -float("inf"))
    return abs(mine - float(theirs)) <= 0.00051 or abs(mine - float(theirs)) <= 1e-12 * abs(mine)


# The Chrome trace has these as top-level members.
RUN = {"libprof", "libprof: counters without a number, left out"}
# The Chrome trace says these in Kineto's way, and "device", "context" and "stream" of a wait alike.
OTHERS = {"queued", "submitted", "Sequence number", "Input Dims", "External id", "Fwd thread id", "Ev Idx"}


def compare_args(perfetto, chrome):
    sides = []
    for content in (perfetto, chrome):
        groups = {}
        for item in content.slices:
            groups.setdefault(item[:5], []).append(item.args)
        sides.append(groups)
    for key, mine in sides[0].items():
        order = lambda args: (args.get("correlation", 0), args.get("range id", 0), args.get("Python id", 0))
        for args, theirs in zip(sorted(mine, key=order), sorted(sides[1][key], key=order)):
            for name, value in theirs.items():
                if name in OTHERS or name.endswith(" (attribute)") or value is None:
                    continue
                if name not in args or not same_value(args[name], value):
                    raise ValueError(f"{key}: {name} is {args.get(name)!r:.200}, in Chrome {value!r:.200}")


def print_stacks(path):
    for (names, pid, tid, module), number in sorted(read_perfetto(path).stacks.items()):
        print(f"{number} {names} [{pid} {tid} {module}]")


def main():
    if sys.argv[1] == "--stacks":
        return print_stacks(sys.argv[2])
    try:
        perfetto = read_perfetto(sys.argv[1]).finish()
        if len(sys.argv) > 2:
            with open(sys.argv[2], encoding="utf-8") as file:
                chrome = Chrome(json.load(file, parse_float=decimal.Decimal)).read()
            compare("slices", (item[:5] for item in perfetto.slices), (item[:5] for item in chrome.slices))
            compare("flows", perfetto.flows, chrome.flows)
            compare("counters", perfetto.samples, chrome.samples)
            compare("marks", (p for p in perfetto.points if p.name not in RUN), chrome.points)
            compare_args(perfetto, chrome)
    except (ValueError, KeyError, IndexError, TypeError) as problem:
        print(f"{sys.argv[1]}: {type(problem).__name__}: {problem}", file=sys.stderr)
        return 1
    print(f"{len(perfetto.slices)} slices, {len(perfetto.flows)} flows, {len(perfetto.samples)} samples, "
          f"{len(perfetto.points)} instants")
    return 0


if __name__ == "__main__":
    sys.exit(main())
