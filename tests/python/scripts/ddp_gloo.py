"""Data-parallel training of two processes with gloo; each writes its trace."""
import os
import sys
import tempfile
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.profiler import profile, record_function, schedule


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 16))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with profile(schedule=schedule(wait=0, warmup=1, active=2, repeat=1), record_shapes=True) as prof:
        for _ in range(3):
            with record_function("forward"):
                loss = model(torch.ones(4, 16)).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            prof.step()
    rows = {row.key: row.count for row in prof.key_averages()}
    with open(f"rank{rank}.txt", "w") as file:
        print({name: count for name, count in sorted(rows.items()) if not name.startswith("aten::")}, file=file)
    prof.export_chrome_trace(f"rank{rank}.json")
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, args=(os.path.join(folder, "store"),), nprocs=2)
    sys.stdout.write(open("rank0.txt").read() + open("rank1.txt").read())
