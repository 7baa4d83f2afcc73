"""libprof for Python: torch.profiler's habits over a recorder that survives ``kill -9``.

    import libprof

    with libprof.profile() as prof:
        with libprof.record_function("train step"):
            train_step()
    print(prof.key_averages().table(sort_by="self_cuda_time_total"))
    prof.export_chrome_trace("trace.json")
"""

from .errors import LibraryError, ProfdumpError, ProfError
from .trace import Trace, read
from .version import __version__

__all__ = ["LibraryError", "ProfError", "ProfdumpError", "Trace", "__version__", "read"]
