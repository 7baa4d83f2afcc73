#!/usr/bin/env python3
"""delivery.py TRACE.json: what a Chrome trace of a killed program lacks.

Prints "recorded N" (kernels), "launches N" (calls that launch) and "behind NANOSECONDS": how long before the last
call the last kernel ended.
"""
import json
import sys


def main(path):
    with open(path) as stream:
        events = [event for event in json.load(stream)["traceEvents"] if event.get("ph") == "X"]
    kernels = [event["ts"] + event["dur"] for event in events if event.get("cat") == "kernel"]
    calls = [event for event in events if "LaunchKernel" in event["name"]]
    print("recorded", len(kernels))
    print("launches", len(calls))
    if kernels and calls:
        print("behind", round(1000 * (max(event["ts"] + event["dur"] for event in calls) - max(kernels))))


if __name__ == "__main__":
    main(sys.argv[1])
