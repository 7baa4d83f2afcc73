"""Where the time goes, by Python function."""
import torch
from torch.profiler import profile


def square(x):
    return x @ x


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return square(self.layer(x))


model = Model()
with profile(with_stack=True) as prof:
    model(torch.ones(4, 4)).sum().backward()
rows = prof.key_averages(group_by_stack_n=5)
print(rows.table(sort_by="count", row_limit=5, max_src_column_width=60).splitlines()[1].split())
print(sorted(event.name for event in prof.events() if "nn.Module" in event.name))
prof.export_stacks("stacks.txt")
prof.export_chrome_trace("stacks.json")
