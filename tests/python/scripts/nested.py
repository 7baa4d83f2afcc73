"""A profile within a profile, and one after another."""
import torch
from torch.profiler import profile, record_function


def shown(prof):
    return {row.key: row.count for row in prof.key_averages()}


try:
    with profile() as outer:
        with record_function("outer"):
            torch.ones(2).neg()
        with profile() as inner:
            with record_function("inner"):
                torch.ones(2).exp()
        with record_function("after"):
            torch.ones(2).log()
    print("outer", shown(outer))
    print("inner", shown(inner))
except Exception as error:
    print(type(error).__name__, error)
for _ in range(2):
    with profile() as prof:
        torch.ones(2).abs()
    print("again", shown(prof))
