#!/usr/bin/env bash
# The real libnccl: its loader finds libprof, and its code calls libprof's plugin, by every interface that it has. The library
# is that of the package nvidia-nccl-cu12 or -cu13, or $NCCL_LIBRARY.
. "$(dirname "$0")/cuda_common.sh"

library=${NCCL_LIBRARY:-$(python3 -c 'import glob, nvidia.nccl
print(*glob.glob(list(nvidia.nccl.__path__)[0] + "/lib/libnccl.so.2"))' 2>/dev/null || true)}
[[ -n $library ]] || skip "no libnccl: neither the Python package nvidia-nccl-cu13 nor NCCL_LIBRARY"
[[ -e $library ]] || fail "NCCL_LIBRARY is not there: $library"

compile_cuda nccl_host -D_GNU_SOURCE -I"$e2e_directory/../../collect/nccl" -ldl
compile_cuda nccl_real -D_GNU_SOURCE -ldl

# Without a GPU, ncclCommInitRank() fails in the CUDA runtime that is part of libnccl. So NCCL's own functions load and close
# the plugin, for a communicator of zeroes. Nothing but the failure is in its log at level WARN.
real() { simulate real.prof ./nccl_real "$library" 2>err.txt; }
real >out.txt || fail "the real NCCL: $(cat out.txt err.txt)"
sed -n 's/^ncclGetVersion 0 //p' out.txt >version.txt
version=$(cat version.txt)
((version >= 22304)) || skip "NCCL $version has no profiler plugins"
for line in 'ncclGetUniqueId 0' 'ncclCommInitRank [1-9]' 'ncclProfilerPluginInit 0 0' 'ncclProfilerPluginFinalize 0 0'; do
    found "^$line$" <out.txt || fail "not '$line': $(cat out.txt)"
done
! found -i 'profiler/plugin\|libprof' <out.txt || fail "NCCL's log changed: $(cat out.txt)"
NCCL_DEBUG=INFO real >log.txt
found -F "$lib" <log.txt || fail "NCCL does not name the plugin: $(cat log.txt)"
! found -i 'could not find:.*profiler\|failed to find\|is unsupported\|init failed' <log.txt || fail "NCCL refuses: $(cat log.txt)"
if ((version >= 22700)); then
    case $version in
    227*) mask=0x6 ;;
    228*) mask=0xf06 ;;
    *) mask=0x1f06 ;;
    esac
    found "^mask $mask$" <out.txt || fail "not mask $mask: $(cat out.txt)"
fi

# What it passes to each interface. Up to 2.25, one file has it all, under no name that could be called.
interfaces=0
for interface in 1 2 3 4 5 6; do
    # NCCL 2.26 passes interface 3's descriptors to interface 2, which it would not choose.
    ((interface != 2 || version / 100 != 226)) || continue
    simulate $interface.prof ./nccl_host $interface calls "$library" >out.txt 2>err.txt || fail "$(cat out.txt err.txt)"
    [[ $(cat out.txt) != "no plugin" ]] || continue
    found "^libprof v$interface mask " <out.txt || fail "interface $interface: $(cat out.txt)"
    "$PROF_BIN/profdump" --chrome out.json $interface.prof
    python3 "$e2e_directory/nccl_expect.py" "$interface" out.json through || fail "what NCCL $version passes to interface $interface"
    interfaces=$((interfaces + 1))
done
((interfaces >= 1 || version < 22600)) || fail "NCCL $version has no interface that libprof has"
echo "NCCL $version: $interfaces interfaces"
