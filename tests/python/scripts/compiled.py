"""A compiled function, trained for some steps, with a range within it."""
import torch
from torch.profiler import profile, record_function


@torch.compile(backend="aot_eager")
def model(x, w):
    return (x @ w).relu().sum()


w = torch.ones(4, 4, requires_grad=True)
model(torch.ones(4, 4), w).backward()
with profile(record_shapes=True) as prof:
    for _ in range(3):
        with record_function("step"):
            model(torch.ones(4, 4), w).backward()
print(prof.key_averages().table(sort_by="count", row_limit=-1, max_name_column_width=100))
for event in prof.events():
    if "Compiled" in event.name:
        print(event.name, event.is_user_annotation, event.input_shapes)
prof.export_chrome_trace("compiled.json")
