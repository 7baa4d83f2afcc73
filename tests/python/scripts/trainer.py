"""Hugging Face's Trainer with a callback that steps the profile."""
import logging
import os
import torch
from torch.profiler import profile, schedule
from transformers import Trainer, TrainerCallback, TrainingArguments

logging.disable(logging.CRITICAL)
os.environ["DISABLE_MLFLOW_INTEGRATION"] = "1"


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)

    def forward(self, x, labels=None):
        logits = self.layer(x)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


class Step(TrainerCallback):
    def on_step_end(self, *arguments, **keywords):
        prof.step()


data = [{"x": torch.ones(4), "labels": torch.tensor(index % 2)} for index in range(16)]
arguments = TrainingArguments(
    "out", max_steps=6, per_device_train_batch_size=2, report_to=[], disable_tqdm=True, use_cpu=True, logging_strategy="no",
    save_strategy="no",
)
with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=1)) as prof:
    Trainer(Net(), arguments, train_dataset=data, callbacks=[Step()]).train()
rows = {row.key: row.count for row in prof.key_averages()}
print({name: rows.get(name) for name in ("ProfilerStep*", "aten::linear", "Optimizer.step#AdamW.step", "aten::log_softmax")})
