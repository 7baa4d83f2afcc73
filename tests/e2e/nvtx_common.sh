# What the tests of NVTX share: sourced after common.sh.
#
#   need_nvtx                 skips where NVTX's headers are not installed
#   nvtx FILE EXPRESSION...   each Python expression about the trace's NVTX events is true (see nvtx_expect.py)

need_nvtx() {
    nvtx_include=${NVTX_INCLUDE:-}
    [[ -n $nvtx_include ]] || skip "NVTX's headers (nvtx3/nvToolsExtPayload.h) are not installed"
}

compile_nvtx() {
    local name=$1
    shift
    compile "$name" -isystem "$nvtx_include" "$@" -ldl
}

nvtx() {
    python3 "$e2e_directory/nvtx_expect.py" "$@"
}
