"""Requests of an asyncio server: ranges of tasks interleave on one thread."""
import asyncio
import torch
from torch.profiler import profile, record_function


async def request(index):
    with record_function(f"request {index}"):
        await asyncio.sleep(0.002)
        with record_function(f"compute {index}"):
            torch.ones(8).cumsum(0)
        await asyncio.sleep(0.002)


async def serve():
    await asyncio.gather(*(request(index) for index in range(3)))


with profile() as prof:
    asyncio.run(serve())
for event in sorted(prof.events(), key=lambda event: event.name):
    if " " in event.name:
        print(event.name, sorted(child.name for child in event.cpu_children))
print(prof.key_averages().table(sort_by="count", row_limit=-1))
