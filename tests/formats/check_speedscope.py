#!/usr/bin/env python3
"""Checks a speedscope file and prints each profile as its name and frames, "outer[0 inner[10 20] 30]".

    check_speedscope.py FILE [SCHEMA]

Of a sampled profile it prints the name and stacks with their weights, "weight outermost;...;innermost".
Strict JSON without members that the format does not have; frames open and close as a stack, in order of time, within the
profile; every frame is there. With SCHEMA (file-format-schema.json of the npm package "speedscope") and Python's
jsonschema: by that, too. Exits with 1 after having said what is wrong.
"""
import json
import sys

UNITS = {"bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"}


def no_duplicates(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a member twice")
    return result


def keys(item, wanted):
    if set(item) != set(wanted.split()):
        raise ValueError(f"members {sorted(item)}")


def sampled_line(profile, frames):
    keys(profile, "type unit startValue name endValue samples weights")
    if len(profile["samples"]) != len(profile["weights"]) or sum(profile["weights"]) != profile["endValue"]:
        raise ValueError("weights do not match the samples, or their sum the end")
    stacks = {}
    for stack, weight in zip(profile["samples"], profile["weights"]):
        names = ";".join(frames[frame] for frame in stack)
        stacks[names] = stacks.get(names, 0) + weight
    return f"{profile['name']}: " + ", ".join(f"{weight} {names}" for names, weight in stacks.items())


def profile_line(profile, frames):
    if profile["type"] == "sampled":
        return sampled_line(profile, frames)
    keys(profile, "type unit startValue name endValue events")
    if profile["type"] != "evented" or profile["unit"] not in UNITS:
        raise ValueError("not an evented profile")
    line, stack, last = [], [], profile["startValue"]
    for event in profile["events"]:
        keys(event, "type frame at")
        if event["at"] < last or event["at"] > profile["endValue"]:
            raise ValueError(f"time goes back, or beyond the end: {event}")
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
            line.append(f"{frames[event['frame']]}[{last}")
        elif event["type"] != "C" or stack.pop() != event["frame"]:
            raise ValueError(f"not the frame that was opened last: {event}")
        else:
            line.append(f"{last}]")
    if stack:
        raise ValueError("frames are open at the end")
    return f"{profile['name']}: {' '.join(line)}"


def main():
    with open(sys.argv[1], "rb") as file:
        trace = json.loads(file.read().decode("utf-8", "strict"), object_pairs_hook=no_duplicates)
    keys(trace, "$schema exporter profiles shared")
    keys(trace["shared"], "frames")
    for frame in trace["shared"]["frames"]:
        keys(frame, "name")
    frames = [frame["name"] for frame in trace["shared"]["frames"]]
    for profile in trace["profiles"]:
        print(repr(profile_line(profile, frames))[1:-1])
    if len(sys.argv) > 2:
        import jsonschema
        with open(sys.argv[2], encoding="utf-8") as file:
            jsonschema.validate(trace, json.load(file))


try:
    main()
except (ValueError, KeyError, IndexError, TypeError) as problem:
    print(f"{sys.argv[1]}: {type(problem).__name__}: {problem}", file=sys.stderr)
    sys.exit(1)
