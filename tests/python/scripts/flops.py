"""Shapes and FLOPs."""
import torch
from torch.profiler import profile

with profile(with_flops=True, record_shapes=True) as prof:
    for size in (2, 4):
        x = torch.ones(size, size)
        torch.mm(x, x)
        torch.add(x, x)
        torch.nn.functional.conv2d(torch.ones(1, 1, 8, 8), torch.ones(1, 1, 3, 3))
print(prof.key_averages(group_by_input_shape=True).table(sort_by="count", row_limit=-1, max_shapes_column_width=100))
print({row.key: row.flops for row in prof.key_averages() if row.flops})
with profile(record_shapes=True) as prof:
    torch.mm(x, x)
print(prof.key_averages(group_by_input_shape=True).table(sort_by="count", row_limit=-1))
