"""A DataLoader with two worker processes."""
import torch
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.tensor(float(index)) ** 2


if __name__ == "__main__":
    loader = DataLoader(Squares(), batch_size=4, num_workers=2)
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        for epoch in range(2):
            for batch in loader:
                with record_function("train"):
                    batch.mul_(2.0)
    rows = {row.key: row.count for row in prof.key_averages()}
    print({name: rows.get(name) for name in ("train", "aten::mul_", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__")})
    prof.export_chrome_trace("loader.json")
