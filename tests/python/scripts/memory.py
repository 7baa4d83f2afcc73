"""Memory of operators, and memory that is freed outside all of them."""
import torch
from torch.profiler import profile, record_function

kept = torch.ones(1000)
with profile(profile_memory=True, record_shapes=True) as prof:
    with record_function("allocate"):
        a = torch.ones(256)
        b = a + 1
    del a, b, kept
print(prof.key_averages().table(sort_by="self_cpu_memory_usage", row_limit=-1))
for event in prof.events():
    print(event.name, event.cpu_memory_usage, event.self_cpu_memory_usage, event.device_memory_usage)
prof.export_chrome_trace("memory_trace.json")
