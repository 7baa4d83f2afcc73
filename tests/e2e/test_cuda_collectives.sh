#!/usr/bin/env bash
# What NCCL's NVTX payloads say of a collective is in the args of its kernel, in Kineto's words; what they do not say is not.
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/nvtx_common.sh"

need_nvtx
compile_cuda collectives -D_GNU_SOURCE -I"$nvtx_include" -ldl
same "output" OK "$(simulate collectives.prof ./collectives 2>&1)"
no_violations "libprof with NCCL's NVTX ranges"
"$PROF_BIN/profdump" --chrome collectives.json collectives.prof
python3 - collectives.json <<'PYTHON' || fail "the args of collectives"
import json, sys
words = ("Collective name", "In msg bytes", "Out msg bytes", "In msg nelems", "Out msg nelems", "dtype",
         "Process Group Name", "Group size", "Rank", "Src Rank", "Dst Rank", "Root")
group = ["0xfedcba9876543210", 8, 3]
none = [None] * 3
wanted = [
    ["allreduce", 4096, 4096, 1024, 1024, "Float", *group, *none],
    ["all_gather", 1000, 8000, *none, *group, *none],
    ["broadcast", 512, 512, *none, *group, None, None, 2],
    ["reduce_scatter", 2048, 256, *none, *group, *none],
    ["send", 64, None, *none, *group, None, 5, None],
    ["recv", None, 32, *none, *group, 6, None, None],
    ["allreduce", 128, 128, 32, 32, "Float", *none, *none],
    [None] * 12,
    [None] * 12,
    [None] * 12,
]
kernels = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("cat") == "kernel"]
found = [[e["args"].get(word) for word in words] for e in kernels]
for i, (ours, theirs) in enumerate(zip(found, wanted)):
    assert ours == theirs, f"kernel {i}, {kernels[i]['name']}: {dict(zip(words, ours))}, wanted {dict(zip(words, theirs))}"
assert len(found) == len(wanted), len(found)
PYTHON
