#!/usr/bin/env bash
# The environment that gets libprof into the program, and what is kept of the user's own.
. "$(dirname "$0")/common.sh"
make_tree
here=$PWD
library=$here/tree/lib/libprof.so
show='echo "$LD_PRELOAD|$CUDA_INJECTION64_PATH|$PROF_TABLE|$PROF_OUTPUT|$PROF_LIBRARY"'

run sh -c "$show"
check "the plain case" "$library|$library|0||" "$out"
out=$(LD_PRELOAD= CUDA_INJECTION64_PATH=/mine.so "$PROFRUN" sh -c "$show" 2>/dev/null)
check "the user's injection stays" "$library|/mine.so|0||" "$out"
out=$("$PROFRUN" sh -c 'echo "$NVTX_INJECTION64_PATH"' 2>/dev/null)
check "NVTX's injection" "$library" "$out"
out=$(NVTX_INJECTION64_PATH=/mine.so "$PROFRUN" sh -c 'echo "$NVTX_INJECTION64_PATH"' 2>/dev/null)
check "the user's NVTX tool stays" "/mine.so" "$out"
out=$("$PROFRUN" sh -c 'echo "$INTEL_LIBITTNOTIFY64"' 2>/dev/null)
check "ITT's collector" "$library" "$out"
out=$(INTEL_LIBITTNOTIFY64=/mine.so "$PROFRUN" sh -c 'echo "$INTEL_LIBITTNOTIFY64"' 2>/dev/null)
check "the user's ITT collector stays" "/mine.so" "$out"
"$CC" -shared -fPIC -x c -o other.so /dev/null
out=$(LD_PRELOAD=$here/other.so "$PROFRUN" sh -c 'echo "$LD_PRELOAD"' 2>/dev/null)
check "the user's preloads stay, in front" "$here/other.so:$library" "$out"
out=$(LD_PRELOAD=$library "$PROFRUN" sh -c 'echo "$LD_PRELOAD"' 2>/dev/null)
check "libprof is not named twice" "$library" "$out"
out=$("$PROFRUN" "$PROFRUN" sh -c 'echo "$LD_PRELOAD"' 2>/dev/null)
check "profrun below profrun" "$library" "$out"
out=$(PROF_OUTPUT=/x/y.prof "$PROFRUN" sh -c 'echo "$PROF_OUTPUT"' 2>/dev/null)
check "PROF_OUTPUT holds where -o is not given" "/x/y.prof" "$out"
out=$(PROF_TABLE=1 "$PROFRUN" sh -c 'echo "$PROF_TABLE"' 2>/dev/null)
check "the table is printed once" "0" "$out"

run --sim sh -c 'echo "$LD_LIBRARY_PATH"'
check "--sim without a simulated CUDA" 2 "$status"
mkdir -p tree/lib/libprof/sim
out=$(LD_LIBRARY_PATH=/mine "$PROFRUN" --sim=12.4 \
    sh -c 'echo "$LD_LIBRARY_PATH|$SIM_CUPTI_LAYOUT"' 2>/dev/null)
check "--sim, installed" "$here/tree/lib/libprof/sim:/mine|12.4" "$out"
mkdir tree/lib/sim
run --sim sh -c 'echo "$LD_LIBRARY_PATH|$SIM_CUPTI_LAYOUT"'
check "--sim, in the build tree" "$here/tree/lib/sim|" "$out"

mkdir 'with space'
cp -r tree 'with space/'
PROFRUN="$here/with space/tree/bin/profrun"
out=$(LD_LIBRARY_PATH=/mine "$PROFRUN" sh -c 'echo "$LD_PRELOAD|$LD_LIBRARY_PATH"' 2>/dev/null)
check "a path with a space" "libprof.so|/mine:$here/with space/tree/lib" "$out"

mkdir 'with:colon'
cp -r tree 'with:colon/'
PROFRUN="$here/with:colon/tree/bin/profrun"
run touch ran
check "a path that the loader cannot express" 2 "$status"
check_has "is said" "cannot contain a colon" "$err"
check "and the program not run" "" "$(ls ran 2>/dev/null)"
ln -s "$here/with:colon/tree/lib/libprof.so" plain.so
export PROF_LIBRARY=plain.so
run sh -c "$show"
check "with a way out: a link" "$here/plain.so|$here/plain.so|0||" "$out"
export PROF_LIBRARY=missing.so
run true
check "PROF_LIBRARY that does not exist" 2 "$status"
unset PROF_LIBRARY
PROFRUN=$here/tree/bin/profrun

mkdir links
ln -s "$PROFRUN" links/profrun
out=$(links/profrun sh -c 'echo "$LD_PRELOAD"' 2>/dev/null)
check "profrun called through a link" "$library" "$out"
rm tree/lib/libprof.so
run true
check "no library" 125 "$status"
check_has "is said" "libprof.so" "$err"
finish
