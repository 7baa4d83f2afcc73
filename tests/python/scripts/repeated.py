"""One profile object used for many short windows, started and stopped by hand, with accumulated events."""
import torch
from torch.profiler import profile, schedule

prof = profile()
for size in (1, 2, 3):
    prof.start()
    torch.ones(size).neg()
    prof.stop()
    print(size, {row.key: row.count for row in prof.key_averages()})
with profile(schedule=schedule(wait=0, warmup=1, active=1), acc_events=True) as prof:
    for _ in range(6):
        torch.ones(1).neg()
        prof.step()
print({row.key: row.count for row in prof.key_averages()})
with profile() as prof:
    torch.ones(1).neg()
    prof.toggle_collection_dynamic(False, [torch.profiler.ProfilerActivity.CPU])
    torch.ones(1).exp()
    prof.toggle_collection_dynamic(True, [torch.profiler.ProfilerActivity.CPU])
    torch.ones(1).log()
print({row.key: row.count for row in prof.key_averages()})
