"""The table of PyTorch's profile_analysis over a Chrome trace: inductor_report.py TRACE

It lists only kernels whose args have a "name", which no version of Kineto writes: they are given one here.
"""
import sys

from torch._inductor.analysis.profile_analysis import JsonProfile

profile = JsonProfile(sys.argv[1], dtype="float32")
profile.augment_trace()
for event in profile.events:
    if event.get("cat") == "kernel":
        event["args"]["name"] = event["name"]
print(profile.report())
