"""What `profdump pytorch augment` and `profdump pytorch combine` made of Chrome traces, looked at by another program.

    same IN OUT           every event and member is there, in order; only the two keys are added, and an
                          operator's FLOPs are the sum over its kernels
    flop OUT NUMBER...    "kernel_flop" of the events that have one, in order
    concatenated OUT IN...
    distinct OUT IN...    events of all, and no id of two inputs is the same
"""
import gzip
import json
import math
import sys
from collections import defaultdict

KEYS = ("kernel_flop", "kernel_num_gb")


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=pairs)


def pairs(members):
    """Members that come twice are seen, too."""
    result = dict(members)
    if len(result) != len(members):
        result["(twice)"] = members
    return result


def events(trace):
    return trace if isinstance(trace, list) else trace["traceEvents"]


def without_keys(event):
    if not isinstance(event, dict) or not isinstance(event.get("args"), dict):
        return event
    return {**event, "args": {key: value for key, value in event["args"].items() if key not in KEYS}}


def args(event):
    found = event.get("args") if isinstance(event, dict) else None
    return found if isinstance(found, dict) else {}


def external_id(event):
    return args(event).get("External id", args(event).get("external id"))


def check_sums(trace):
    """By External id, where one operator has it, and its kernels do."""
    operators, kernels = defaultdict(list), defaultdict(list)
    for event in events(trace):
        if isinstance(event, dict) and "kernel_flop" in args(event) and external_id(event) is not None:
            is_kernel = event.get("cat") in ("kernel", "Kernel")
            (kernels if is_kernel else operators)[external_id(event)].append(args(event)["kernel_flop"])
    checked = 0
    for number, flops in operators.items():
        if len(flops) == 1 and number in kernels:
            total = sum(kernels[number])
            assert math.isclose(total, flops[0], rel_tol=1e-9), (number, total, flops)
            checked += 1
    return checked


def same(before, after):
    old, new = load(before), load(after)
    assert isinstance(old, list) == isinstance(new, list)
    assert len(events(old)) == len(events(new)), (len(events(old)), len(events(new)))
    for one, other in zip(events(old), events(new)):
        assert without_keys(one) == without_keys(other), (one, other)
        assert list(args(one)) == [key for key in args(other) if key in args(one) or key not in KEYS]
        for key in KEYS:
            if args(one).get(key):
                assert args(other)[key] == args(one)[key]
            if key in args(other):
                assert math.isfinite(args(other)[key])
    if isinstance(old, dict):
        rest = [[(key, value) for key, value in trace.items() if key != "traceEvents"] for trace in (old, new)]
        assert rest[0] == rest[1]
    print(before.rsplit("/", 1)[-1], len(events(new)), "events,", check_sums(new), "operators add up")


def flop(path, *numbers):
    found = [args(event)["kernel_flop"] for event in events(load(path)) if "kernel_flop" in args(event)]
    assert found == [int(number) for number in numbers], found


def concatenated(path, *inputs):
    traces = [load(name) for name in inputs]
    result = load(path)
    assert result["traceEvents"] == [event for trace in traces for event in trace["traceEvents"]]
    devices = list(traces[0]["deviceProperties"])
    for trace in traces[1:]:
        known = {device["id"] for device in devices}
        devices += [device for device in trace["deviceProperties"] if device["id"] not in known]
    assert result["deviceProperties"] == devices
    special = ("traceEvents", "deviceProperties")
    assert {k: v for k, v in result.items() if k not in special} == {
        k: v for k, v in traces[0].items() if k not in special}


def distinct(path, *inputs):
    """Each input's events come one behind the other."""
    counts = [len(events(load(name))) for name in inputs]
    found = events(load(path))
    assert len(found) == sum(counts)
    seen, at = set(), 0
    for count in counts:
        own = {external_id(event) for event in found[at:at + count]} - {None, 0}
        assert not own & seen
        seen |= own
        at += count


{"same": same, "flop": flop, "concatenated": concatenated, "distinct": distinct}[sys.argv[1]](*sys.argv[2:])
