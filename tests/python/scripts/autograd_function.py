"""The program's own autograd.Function."""
import torch
from torch.profiler import profile


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(2, 3, requires_grad=True)
with profile(record_shapes=True, with_stack=False) as prof:
    for _ in range(2):
        Double.apply(x).sum().backward()
print(prof.key_averages(group_by_input_shape=True).table(sort_by="count", row_limit=-1))
for event in prof.events():
    if "Double" in event.name:
        print(event.name, event.input_shapes, event.is_user_annotation, event.sequence_nr >= 0, event.fwd_thread is not None)
prof.export_chrome_trace("function.json")
