#!/usr/bin/env bash
# Programs with Intel's own static part: the `ittapi` package for Python, and PyTorch on a CPU, whose oneDNN has one more.
# PyTorch is that of $TORCH_PYTHON, or what pip has at hand as a CPU build.
# long: it fetches packages
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/nvtx_common.sh"
. "$(dirname "$0")/packages_common.sh"

checked=0

if fetch ittapi ittapi --no-deps; then
    cat >annotate.py <<'PYTHON'
import threading
import ittapi

def work(number):
    ittapi.thread_set_name(f"worker {number}")
    for _ in range(50):
        with ittapi.task("with"):
            pass

@ittapi.task("decorated", domain="py")
def decorated():
    pass

for number in range(2):
    thread = threading.Thread(target=work, args=(number,))
    thread.start()
    thread.join()
decorated()
with ittapi.event("event"):
    pass
ittapi.pause()
with ittapi.task("paused", domain="py"):
    pass
ittapi.resume()
with ittapi.task("overlapped", domain="py", overlapped=True):
    pass
PYTHON
    PYTHONPATH=$packages/ittapi record ittapi.prof python3 annotate.py
    nvtx ittapi.prof 'sum(raw.loss) == 0 and unopened == 0' \
        'sum(number for (_, name), number in count.items() if name == "with") == 100' \
        'count["py", "decorated"] == 1 and count["py", "overlapped"] == 1 and count["", "event"] == 1' \
        'count["py", "paused"] == 0 and {name for _, name, *_ in raw.threads.values()} >= {"worker 0", "worker 1"}'
    checked=1
fi

torch_python=${TORCH_PYTHON:-}
if [[ -z $torch_python ]] && fetch torch torch==2.13.0+cpu; then
    torch_python=python3
    export PYTHONPATH=$packages/torch
fi
if [[ -n $torch_python ]]; then
    cat >model.py <<'PYTHON'
import torch

model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(7200, 10))
batch = torch.randn(2, 3, 32, 32)
with torch.autograd.profiler.emit_itt(record_shapes=True):
    for step in range(3):
        model(batch).sum().backward()
with torch.profiler.itt.range("of the user, seq = 12"):
    torch.profiler.itt.mark("mark")
PYTHON
    ONEDNN_ITT_TASK_LEVEL=2 record torch.prof "$torch_python" model.py
    nvtx torch.prof 'sum(raw.loss) == 0 and unopened == 0' \
        'count["PyTorch", "aten::conv2d"] == 3 and count["PyTorch", "aten::linear"] == 3' \
        'count["PyTorch", "ConvolutionBackward0"] == 3 and count["PyTorch", "mark"] == 1' \
        'count["PyTorch", "of the user"] == 1 and of("of the user").attributes == {"seq": 12}' \
        'count["dnnl::primitive::execute", "convolution"] >= 3' \
        'all("convolution" in each.attributes["metadata"] for each in ranges if each.name == "convolution")'
    ONEDNN_ITT_TASK_LEVEL=0 PROF_ITT=0 record off.prof "$torch_python" model.py
    [[ ! -e off.prof ]] || fail "PROF_ITT=0 recorded"
    checked=1
fi

((checked)) || skip "neither package could be fetched: $(tail -n 1 fetch.txt)"
