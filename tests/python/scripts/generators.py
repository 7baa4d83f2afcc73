"""A loader that yields within a range: the range is open across the end of each step."""
import torch
from torch.profiler import profile, record_function, schedule


def batches():
    for index in range(6):
        with record_function("batch"):
            yield torch.full((4, 4), float(index))


with profile(schedule=schedule(wait=1, warmup=1, active=3, repeat=1)) as prof:
    for batch in batches():
        with record_function("compute"):
            (batch @ batch).relu()
        prof.step()
print(prof.key_averages().table(sort_by="count", row_limit=-1))
steps = [event for event in prof.events() if event.name.startswith("ProfilerStep")]
print([event.name for event in steps])
print(all(a.time_range.end <= b.time_range.start for a, b in zip(steps, steps[1:])))
