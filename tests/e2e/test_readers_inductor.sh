#!/usr/bin/env bash
# PyTorch's own profile_analysis reads what --chrome writes, and its table is that of profdump pytorch roofline.
#
# TORCH_PYTHON names a Python that has PyTorch.
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/nvtx_common.sh"

examples=$e2e_directory/../../examples
python=${TORCH_PYTHON:-python3}
"$python" -c 'import torch._inductor.analysis.profile_analysis' 2>error.txt ||
    skip "$python has no PyTorch (TORCH_PYTHON names one that has): $(tail -n 1 error.txt)"

# read_by_torch NAME KERNELS
read_by_torch() {
    simulate "$1.prof" "./$1" >/dev/null
    "$PROF_BIN/profdump" --chrome "$1.json" "$1.prof"
    "$python" "$e2e_directory/inductor_report.py" "$1.json" >theirs.txt 2>error.txt || fail "$(cat error.txt)"
    "$PROF_BIN/profdump" pytorch roofline --type float32 "$1.json" >ours.txt
    same "$1" "$(cat theirs.txt)" "$(cat ours.txt)"
    same "kernels of $1" "$2" "$(($(wc -l <ours.txt) - 3))"
}

for name in demo demo_ranges; do
    "$CC" -std=gnu17 -O1 -I"$include" "$examples/$name.c" -o "$name" -L"$SIM_LIB" -l:libcudart.so.13
    read_by_torch $name 3
done
compile_cuda graphs
read_by_torch graphs 2
need_nvtx
compile_cuda annotated -D_GNU_SOURCE -I"$nvtx_include" -ldl
read_by_torch annotated 1 # with operators, which it joins kernels to
