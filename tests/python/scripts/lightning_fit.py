"""Lightning's trainer, with a profile around its steps."""
import logging
import warnings
import torch
from torch.profiler import profile, schedule
import lightning

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, index):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def on_train_batch_end(self, *arguments):
        prof.step()


loader = torch.utils.data.DataLoader(torch.ones(12, 4), batch_size=2)
with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=1)) as prof:
    trainer = lightning.Trainer(
        max_steps=6, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False
    )
    trainer.fit(Net(), loader)
rows = {row.key: row.count for row in prof.key_averages()}
print({name: rows.get(name) for name in ("ProfilerStep*", "aten::linear", "Optimizer.step#SGD.step")})
