"""Files for TensorBoard from two cycles, beside the handler's own work."""
import glob
import torch
from torch.profiler import profile, record_function, schedule, tensorboard_trace_handler

write = tensorboard_trace_handler("log", worker_name="worker")


def ready(prof):
    write(prof)
    names = [event.key for event in prof.key_averages() if not event.key.startswith("aten::")]
    print(sorted(names))


with profile(schedule=schedule(wait=0, warmup=1, active=1, repeat=2), on_trace_ready=ready, record_shapes=True) as prof:
    for step in range(4):
        with record_function("forward"):
            torch.mm(torch.ones(4, 4), torch.ones(4, 4))
        prof.step()
print([name.rsplit(".", 3)[2:] for name in glob.glob("log/*")], len(glob.glob("log/*")))
