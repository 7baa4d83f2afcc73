"""Work on three threads while the profile runs, and one that began before it."""
import threading
import torch
from torch.profiler import profile, record_function

begin, done = threading.Event(), threading.Event()


def early():
    begin.wait()
    with record_function("early"):
        torch.ones(3).neg()
    done.set()


def work(index):
    with record_function(f"thread {index}"):
        torch.ones(3).exp()


waiting = threading.Thread(target=early)
waiting.start()
with profile() as prof:
    threads = [threading.Thread(target=work, args=(index,)) for index in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    begin.set()
    done.wait()
    with record_function("main"):
        torch.ones(3).log()
waiting.join()
print({name: sum(event.name == name for event in prof.events()) for name in ("main", "early", "thread 0", "thread 1", "thread 2")})
print({name: sum(event.name == name for event in prof.events()) for name in ("aten::exp", "aten::neg", "aten::log")})
