# What the tests of NVTX share: sourced after common.sh.
#
#   need_nvtx                 skips where NVTX's headers are not installed
#   nvtx FILE EXPRESSION...   each Python expression about the trace's NVTX events is true (see nvtx_expect.py)

need_nvtx() {
    local directory
    for directory in "${CUDA_HOME:-/nowhere}/include" /usr/local/cuda/include /usr/include; do
        if [[ -e $directory/nvtx3/nvToolsExtPayload.h ]]; then
            nvtx_include=$directory
            return
        fi
    done
    skip "NVTX's headers (nvtx3/nvToolsExtPayload.h) are not installed"
}

compile_nvtx() {
    local name=$1
    shift
    compile "$name" -isystem "$nvtx_include" "$@" -ldl
}

nvtx() {
    python3 "$e2e_directory/nvtx_expect.py" "$@"
}
