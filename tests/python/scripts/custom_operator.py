"""The program's own operators, and a scripted function."""
import torch
from torch.profiler import profile, record_function


@torch.library.custom_op("mine::triple", mutates_args=())
def triple(x: torch.Tensor) -> torch.Tensor:
    return x * 3


@torch.jit.script
def scripted(x: torch.Tensor) -> torch.Tensor:
    return x.relu() + 1


scripted(torch.ones(2))
with profile(record_shapes=True) as prof:
    with record_function("both", "text of the range"):
        triple(torch.ones(2, 2))
        scripted(torch.ones(2))
print(prof.key_averages().table(sort_by="count", row_limit=-1))
print([event.name for event in prof.events() if event.cpu_parent is None])
prof.export_chrome_trace("custom.json")
