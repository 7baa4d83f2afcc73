"""A training loop with a schedule; the handler prints a table and writes a trace of each cycle."""
import torch
from torch.profiler import ProfilerActivity, profile, schedule

model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def ready(prof):
    print("cycle ends at step", prof.step_num, "recording is on:", prof.current_action)
    print(prof.key_averages().table(sort_by="count", row_limit=-1))
    prof.export_chrome_trace(f"cycle{prof.step_num}.json")


with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=2, repeat=2), on_trace_ready=ready) as prof:
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.ones(3, 8)).sum().backward()
        optimizer.step()
        prof.step()
print("steps", prof.step_num)
