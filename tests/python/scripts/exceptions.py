"""Wrong calls, and the errors that they raise."""
import torch
from torch.profiler import ProfilerAction, profile, record_function, schedule, tensorboard_trace_handler


def attempt(what, call):
    try:
        result = call()
        print(what, "->", result if isinstance(result, (list, tuple)) else type(result).__name__)
    except BaseException as error:
        print(what, "->", type(error).__name__, str(error).splitlines()[:1])


attempt("negative wait", lambda: schedule(wait=-1, warmup=0, active=1))
attempt("no active steps", lambda: schedule(wait=0, warmup=0, active=0))
prof = profile()
attempt("stop without start", prof.stop)
attempt("table before start", lambda: profile().key_averages())
attempt("export before start", lambda: profile().export_chrome_trace("none.json"))
attempt("step before start", lambda: profile().step())
with profile() as prof:
    torch.ones(2).add(1)
attempt("sort by nothing", lambda: prof.key_averages().table(sort_by="nothing"))
attempt("row limit of text", lambda: prof.key_averages().table(row_limit="x"))
attempt("stacks without stacks", lambda: prof.export_stacks("stacks.txt"))
attempt("stacks by nothing", lambda: prof.export_stacks("stacks.txt", "nothing"))
attempt("a folder that is not there", lambda: prof.export_chrome_trace("nowhere/trace.json"))
attempt("unknown activity", lambda: profile(activities=["cpu"]).start())
attempt("bad keyword", lambda: profile(no_such_keyword=1))
attempt("handler of a file", lambda: tensorboard_trace_handler(__file__))
attempt("range without name", lambda: record_function())
attempt("metadata", lambda: prof.add_metadata("key", 1))


def broken():
    with profile() as prof:
        with record_function("body"):
            raise KeyError("lost")


attempt("error in the body", broken)
with profile(schedule=lambda step: ProfilerAction.RECORD) as prof:
    torch.ones(2)
attempt("body after an error", lambda: [row.key for row in prof.key_averages()])
attempt("second start", lambda: (prof.start(), prof.stop()))
