#!/usr/bin/env bash
# run.sh [all | [system] TEST...] - builds for aarch64 and runs the tests there, emulated by QEMU.
#
#   1. build-arm/root: a minimal arm64 Debian 12, unpacked from the package sources of this machine
#   2. build-arm/: a cross build with the libraries of that root; its tests, too
#   3. ctest starts each test in the root by qemu-aarch64 (user-mode emulation), with the simulated CUDA
#   4. what user-mode emulation cannot do runs in a virtual machine (system.sh): only with "all" and "system"
#
# Without a word: the tests that short.txt names, and the unit tests of the recorder and the collectors. TEST: a name as
# `./dev test` takes it. system: tests in the virtual machine only, those named or what user-mode emulation cannot do.
# all: every test except long ones, and those of system.
# Needs root. The emulator is registered for a user namespace of its own (Linux 6.7), so nothing on this machine changes;
# before 6.7, where qemu-user-static has registered it for the machine.
# ARM_LIMIT_S: after so many seconds, tests that have not run are left out, with a message.
# Exit status: 0 passed, 77 where that cannot be done here.
set -uo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$source_dir/build-arm
root=$work/root
log=$work/log
here=$source_dir/tests/arm
suite=bookworm
packages='gcc,g++,libc6-dev,libgtest-dev,zlib1g-dev,libisal-dev,libzstd-dev,libsqlite3-dev,libdw-dev,libunwind8,binutils,'
packages+='python3-pip,python3-pytest,python3-numpy,sqlite3,file,procps,make,pkg-config,strace,ca-certificates'

. "$source_dir/tests/bare/root.sh"
. "$here/namespace.sh"

say() { printf 'arm: %s\n' "$*"; }

die() {
    tail -n 40 "$log"
    say "FAILED: $*; see $log"
    exit 1
}

skip() {
    tail -n 5 "$log"
    say "skipped: $*"
    exit 77
}

# Unpacked, not installed: packages' scripts take ten minutes under emulation. What tests need of them is done here.
make_root() {
    debian_root "$suite" "$root" --variant=extract --architectures=arm64 --skip=check/qemu \
        --include='?essential' --include="$packages" &&
        cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd" &&
        cp "$root/usr/share/base-passwd/group.master" "$root/etc/group" &&
        ln -sf mawk "$root/usr/bin/awk" && ln -sf gcc "$root/usr/bin/cc" && ln -sf g++ "$root/usr/bin/c++" &&
        arm_namespace "$root" "$here/enter.sh" /sbin/ldconfig
}

# Made once: again if the list of packages has changed.
prepare_root() {
    local wanted
    wanted="$suite $packages"
    [ "$(cat "$root.packages" 2>/dev/null)" = "$wanted" ] && return
    rm -f "$root.packages"
    make_root && echo "$wanted" >"$root.packages"
}

# NVTX's headers are those in the checkout, which is in the root, too. The build runs profdump, which writes manual pages.
build() {
    CUDA_HOME=$source_dir/build/nvtx/nvidia/cu13 timeout --foreground "$(left_s)" cmake -S "$source_dir" -B "$work" \
        --toolchain "$source_dir/libprof/cmake/aarch64.cmake" -DPROF_SYSROOT="$root" \
        -DCMAKE_CROSSCOMPILING_EMULATOR="$here/enter.sh" -DCMAKE_BUILD_TYPE=Release -DPROF_WERROR=ON -DPROF_BUILD_BENCH=OFF \
        -DPROF_TESTS_BY_FOLDER=ON && arm_limited "$(left_s)" "$root" cmake --build "$work" -j "$(nproc)"
}

# What is left of ARM_LIMIT_S.
left_s() {
    local left=$((${ARM_LIMIT_S:-86400} - SECONDS))
    echo $((left > 1 ? left : 1))
}

# tests NAME OPTION...: runs ctest, leaves its output in $work/NAME.log, and appends a line for each test to $work/results.
tests() {
    local name=$1 log=$work/$1.log ended=0
    shift
    (cd "$work" && arm_limited "$(left_s)" "$root" ctest --output-on-failure -j "$(nproc)" --no-tests=error "$@") \
        >"$log" 2>&1 || ended=$?
    ! grep -q '^No tests were found' "$log" || die "no test has such a name: $2"
    case $ended in
    0 | 8) ;; # 8: tests failed
    124) say "left out: part of the $name tests, since this machine is slow" ;;
    *) die "the $name tests: ctest ended with status $ended" ;;
    esac
    sed -nE 's,^ *[0-9]+/[0-9]+ Test +#[0-9]+: (.*[^ .]) \.*[ *]*(Passed|Skipped|[A-Z][A-Za-z ]*).* [0-9.]+ sec.*,\2 \1,p' "$log" |
        sed -E 's/^Passed/passed/; t; s/^Skipped/skipped/; t; s/^(Failed|Timeout|Exception|Subprocess [a-z]*|Not Run)/failed/' >>"$work/results"
}

# The names in lists, as one pattern; the rest of a test's name may follow.
pattern() { sed 's/ *#.*//; /^$/d; s/[][\.|$(){}?+*^]/\\&/g' "$@" | paste -sd '|' | sed 's,.*,^(&)([./]|$),'; }

mkdir -p "$work"
begin=$SECONDS
: >"$log"
arm_can_run >>"$log" 2>&1 || skip "cannot run programs of aarch64 here"
prepare_root >>"$log" 2>&1 || skip "no arm64 root file system can be made here"
say "the root file system is in build-arm/root ($((SECONDS - begin)) s)"
built=0
build >>"$log" 2>&1 || built=$?
[ "$built" -ne 124 ] || skip "this machine is slow: the cross build does not end in ${ARM_LIMIT_S} s"
[ "$built" -eq 0 ] || die "building"
say "built ($((SECONDS - begin)) s)"

# Those that need a real kernel, in the virtual machine.
in_system() { # PATTERN
    . "$here/system.sh"
    system_tests "$1" >>"$log" 2>&1 || echo "failed the virtual machine: see $log" >>"$work/results"
    system_results >>"$work/results"
}

which='' names=()
for word; do
    case $word in
    all | system) which=$word ;;
    *) names+=("$word") ;;
    esac
done
named=$(IFS='|' && echo "${names[*]}")
: >"$work/results"
need_kernel=$(pattern "$here/system.txt")
elsewhere=$(pattern "$here/system.txt" "$here/not_emulated.txt")
if [ "$which" = system ]; then
    in_system "${named:-$need_kernel}"
elif [ -n "$named" ]; then
    tests named -R "$named"
elif [ -z "$which" ]; then
    tests other -R "$(pattern "$here/short.txt")"
    tests unit -L '^unit$' -R '^(recorder|cupti|nvtx|itt|nccl|cublas)/' -E "$elsewhere" # the others read recordings, the same everywhere
else
    tests unit -L '^unit$' -E "$elsewhere"
    tests other -LE '^(unit|long)$' -E "$elsewhere"
    in_system "$need_kernel"
fi
sed -n 's/^failed /arm: FAILED: /p' "$work/results"
count() { grep -c "^$1 " "$work/results"; }
say "took $((SECONDS - begin)) s; what the tests printed is in build-arm/*.log"
echo "$(count passed) passed, $(count failed) failed, $(count skipped) skipped"
[ "$(count failed)" -eq 0 ] || exit 1
[ "$(count passed)" -gt 0 ] || exit 77
