"""The profiler of torch.autograd, as old scripts use it."""
import torch
from torch.autograd import profiler

x = torch.ones(4, 4, requires_grad=True)
with profiler.profile(record_shapes=True) as prof:
    for _ in range(3):
        with profiler.record_function("square"):
            y = x @ x
    y.sum().backward()
print(prof.key_averages().table(sort_by="count"))
print(prof.key_averages(group_by_input_shape=True).table(sort_by="count"))
print(sorted({event.name for event in prof.function_events}))
print(type(prof.self_cpu_time_total) is float or type(prof.self_cpu_time_total) is int, prof.total_average().count)
prof.export_chrome_trace("legacy.json")
with profiler.profile(enabled=False) as prof:
    torch.ones(1)
print(prof)
