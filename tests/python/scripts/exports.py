"""All exports of a profile."""
import gzip
import json
import os
import torch
from torch.profiler import profile, record_function

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU())
with profile(record_shapes=True, profile_memory=True, with_stack=True, with_flops=True) as prof:
    with record_function("train"):
        model(torch.ones(2, 8)).sum().backward()
prof.add_metadata("note", "text")
prof.add_metadata_json("numbers", json.dumps([1, 2]))
prof.export_chrome_trace("trace.json")
try:
    prof.export_chrome_trace("again.json")
    print("a second export of the trace")
except RuntimeError as error:
    print(error)
prof.export_stacks("stacks.txt", "self_cpu_time_total")
prof.export_memory_timeline("memory.json", device="cpu")
prof.export_memory_timeline("memory.raw.json.gz", device="cpu")
print([os.path.exists(name) for name in ("trace.json", "stacks.txt", "memory.json", "memory.raw.json.gz")])
with open("memory.json") as file:
    times, sizes = json.load(file)
print(len(times) == len(sizes), {len(row) for row in sizes})
with profile() as prof:
    torch.ones(2).neg()
prof.export_chrome_trace("packed.json.gz")
with gzip.open("packed.json.gz") as file:
    print("gzip", sorted(key for key in json.load(file) if key in ("traceEvents", "schemaVersion")))
