#!/usr/bin/env bash
# If a program recorded nothing, profrun prints the reason that libprof found in it.
. "$(dirname "$0")/cuda_common.sh"

# nothing WHY COMMAND...: profrun's two lines, of which the first says why.
nothing() {
    local why=$1
    shift
    "$@" >stdout.txt 2>stderr.txt || true
    grep '^profrun: ' stderr.txt >said.txt || true
    same "lines for '$why'" 2 "$(wc -l <said.txt)"
    head -n 1 said.txt | found " recorded nothing: .*$why" || fail "wanted: $why"$'\n'"got: $(cat stderr.txt)"
    [[ -z $(find . -name '*.prof') ]] || fail "$why: there is a trace"
}

profrun() { "$PROF_BIN/profrun" "$@"; }
calls() { "$CC" -std=gnu17 -I"$cuda_programs" -include cuda_test.h -x c - -o "$1" -L"$SIM_LIB" -l:libcudart.so.13 -l:libcuda.so.1; }
echo 'int main(void) { int n; return cudaGetDeviceCount(&n) == 0 ? 0 : 1; }' | calls asks
echo 'void *unused = cudaFree; int main(void) { return unused == 0; }' | calls loads
echo 'int main(void) { return cudaFree(NULL) == 0 ? 0 : 1; }' | calls frees

nothing 'copied and allocated nothing' profrun --sim -- ./asks
nothing 'never switched on' profrun --sim -e PROF_START=api -- ./frees
nothing 'never switched on' profrun --sim -e PROF_START=cuda -- ./frees
nothing 'could not be recorded' profrun --sim -e PROF_GPU=none -- ./asks
nothing 'could not be created' profrun --sim -e PROF_OUTPUT="$here/nowhere/frees.prof" -- ./frees
nothing 'no call of the simulated CUDA' profrun --sim -- /bin/true
tail -n 1 said.txt | found 'cudart shared' || fail "no remedy: $(cat said.txt)"
# A shell without CUDA around it changes nothing.
nothing 'copied and allocated nothing' profrun --sim -- sh -c './asks; /bin/true'

# As on a machine without a GPU: the libraries are there, and do not work.
export LD_LIBRARY_PATH=$SIM_LIB
nothing 'not initialised' profrun -- ./loads
SIM_NO_DRIVER=1 nothing 'not initialised' profrun -- ./frees
tail -n 1 said.txt | found -e '--sim' || fail "no remedy: $(cat said.txt)"
unset LD_LIBRARY_PATH
nothing 'it pushed no range' profrun -- /bin/true

# What records is not asked.
profrun --sim -o freed.prof -- ./frees 2>stderr.txt || fail "$(cat stderr.txt)"
! grep 'recorded nothing' stderr.txt || fail "a recording is none"
