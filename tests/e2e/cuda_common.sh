# What the end-to-end tests with CUDA share, on top of common.sh: sourced, not run. They run on the simulated CUDA.
#
#   compile_cuda NAME [FLAG...]      builds tests/cuda/NAME.c or NAME.cu into ./NAME; .cu: leaves NAME.o too,
#                                    and skips where nvcc is missing
#   bare COMMAND...                  runs COMMAND on the simulated CUDA, without the library
#   simulate FILE COMMAND...         runs COMMAND on it with the library preloaded and PROF_OUTPUT=FILE
#   expect_cuda FILE... -- EXPRESSION...   each trace is valid and each Python expression about it is true: cuda_expect.py
#   no_violations WHAT               nobody broke a rule of CUDA or CUPTI since the last time
#
# Variables of the simulation (SIM_*: sim/README.md) go before the function's name. A script that does not choose
# SIM_CUPTI_LAYOUT itself is run once for each of the simulated versions (tests/CMakeLists.txt); one that does finds them in
# $layouts.

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

: "${SIM_LIB:?}"
export -n SIM_LIB # the simulation warns of SIM_ variables that it does not know
# shellcheck disable=SC2034 # used by the scripts
layouts=(11.0 11.2 11.8 12.4 13.0 13.3)
cuda_programs=$e2e_directory/../cuda
export SIM_VIOLATIONS=$here/violations.txt

[[ -e $SIM_LIB/libcudart.so.13 ]] || skip "the simulated CUDA is not built"

compile_cu() {
    [[ -n ${CUDA_NVCC:-} ]] || skip "nvcc is missing"
    "$CUDA_NVCC" -O1 -std=c++17 -arch=sm_90 -I"$include" "${@:2}" -c "$cuda_programs/$1.cu" -o "$1.o"
    "$CUDA_NVCC" -cudart shared "$1.o" -o "$1"
}

compile_cuda() {
    if [[ -e $cuda_programs/$1.cu ]]; then
        compile_cu "$@"
    else
        "$CC" -std=gnu17 -O1 -g -Wall -Wextra -I"$include" "$cuda_programs/$1.c" -o "$1" "${@:2}" -pthread \
            -L"$SIM_LIB" -l:libcudart.so.13 -l:libcuda.so.1
    fi
}

bare() {
    env LD_LIBRARY_PATH="$SIM_LIB" "$@"
}

simulate() {
    local file=$1
    shift
    env LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib" PROF_OUTPUT="$file" "$@"
}

expect_cuda() {
    python3 "$e2e_directory/cuda_expect.py" "$PROF_BIN/profdump" "$@"
}

no_violations() {
    [[ ! -s $SIM_VIOLATIONS ]] || fail "$1 breaks rules of CUDA or CUPTI:"$'\n'"$(sort "$SIM_VIOLATIONS" | uniq -c)"
}
