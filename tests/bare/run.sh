#!/usr/bin/env bash
# run.sh [bookworm|trixie] [short] - runs the README's commands in a minimal Debian, from a clone of HEAD, as a new user would.
#
# Makes a root file system with Debian's essential packages and git, from the package sources of this machine. Runs in
# it, without a CUDA toolkit:
#
#   1. ./dev demo as an ordinary user without sudo, in a folder with a space in its name, with a C compiler and CMake only
#   2. ./dev demo as root, in a folder that only root may enter; profdump must have all optional libraries
#   3. ./dev package: the Debian packages, installed, used and removed
#   4. ./dev test as root, in the same folder
#   5. ./dev demo as the user again: the libraries missing in 1 and installed since must be found
#
# Between these it tests common failures: no network, no root, a full disk, a read-only or moved checkout.
# "short" is for a release that the tests passed on elsewhere: of these, 1 and 3.
#
# Needs root, for chroot. Leaves build-bare/SUITE.log, and build-bare/SUITE where a step failed.
# Exit status: 0 passed, 77 where such a root file system cannot be made.
set -uo pipefail

suite=${1:-bookworm}
how=${2:-}
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$source_dir/build-bare
root=$work/$suite
log=$work/$suite.log

. "$source_dir/tests/bare/root.sh"

say() { printf 'bare %s: %s\n' "$suite" "$*"; }

# The failed step is at the end of the log.
die() {
    tail -n 40 "$log"
    say "FAILED: $*; see $log"
    exit 1
}

skip() {
    tail -n 10 "$log"
    say "skipped: $*"
    exit 77
}

make_root() {
    debian_root "$suite" "$root" --variant=minbase --include=git,ca-certificates &&
        chroot "$root" useradd --create-home guest
}

# inside USER COMMAND: runs a shell command in the root file system, with processes and mounts of its own.
inside() {
    local settings=()
    mapfile -t settings < <(network_variables)
    unshare --mount --pid --fork --kill-child -- bash -c '
        root=$1 user=$2 command=$3
        shift 3
        mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys" &&
            mount -t tmpfs -o mode=1777 tmpfs "$root/tmp" || exit
        home=$(chroot "$root" sh -c "echo ~$user")
        cat >"$root/tmp/says" <<"SAYS"
#!/bin/sh
# says TEXT COMMAND...: passes if the command fails and prints the text.
text=$1
shift
if "$@" >/tmp/said 2>&1 </dev/null; then status=0; else status=$?; fi
cat /tmp/said
if [ "$status" -eq 0 ]; then echo "says: should have failed: $*"; exit 1; fi
grep -qF -- "$text" /tmp/said || { echo "says: does not say: $text"; exit 1; }
SAYS
        chmod 755 "$root/tmp/says"
        exec chroot --userspec="$user" --groups= "$root" env -i HOME="$home" USER="$user" \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" bash -ec "cd && $command"
    ' inside "$root" "$@" "${settings[@]}"
}

# step WHAT USER COMMAND
step() {
    local begin=$SECONDS
    printf '\n==== %s\n' "$1" >>"$log"
    inside "$2" "$3" >>"$log" 2>&1 </dev/null || die "$1"
    say "$1: passed ($((SECONDS - begin)) s)"
}

# long_step WHAT USER COMMAND: one that "short" omits.
long_step() { [ "$how" = short ] || step "$@"; }

mkdir -p "$work"
begin=$SECONDS
unshare --mount --pid --fork true >"$log" 2>&1 || skip "no mount and process namespaces here"
make_root >>"$log" 2>&1 || skip "no minimal root file system can be made here"
say "made a minimal root file system ($((SECONDS - begin)) s)"
git clone -q --no-hardlinks "$source_dir" "$root/root/libprof" 2>>"$log" || die "cloning $source_dir"
chmod 700 "$root/root"
cp -r "$root/root/libprof" "$root/home/guest/lib prof" && chroot "$root" chown -R guest: /home/guest
[ -z "$(git -C "$source_dir" status --porcelain)" ] || say "note: changes that are not committed are not tested"

long_step "no network" root "cd libprof && /tmp/says 'cannot go on without gcc (Debian: gcc)' unshare --net ./dev demo"
step "installing a compiler" root \
    "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends gcc libc6-dev cmake make"
long_step "full disk" root "cd libprof && mkdir -p build && mount -t tmpfs -o size=2m none build &&
    /tmp/says 'the disk is full' unshare --net ./dev build; umount build"
long_step "read-only checkout" guest \
    "cp -r 'lib prof' fixed && chmod -R a-w fixed && /tmp/says 'copy it to a folder of your own' fixed/dev demo"
step "demo as a user without sudo, without profdump's libraries" guest "cd 'lib prof' && ./dev demo &&
    build/bin/profdump --version | grep '^without libzstd' &&
    /tmp/says libzstd build/bin/profdump --chrome out.json.zst demo.prof &&
    /tmp/says zlib build/bin/profdump --chrome out.json.gz demo.prof &&
    /tmp/says zlib build/bin/profdump -o out.pb.gz demo.prof &&
    /tmp/says SQLite build/bin/profdump -o out.sqlite demo.prof"
complete="build/bin/profdump --version && ! build/bin/profdump --version | grep '^without'"
long_step "demo as root" root "cd libprof && ./dev demo && $complete"
step "packages" root "cd libprof && ./dev package && apt-get install -y ./build-package/*.deb && cd &&
    profrun --sim -o packages.prof -- '/home/guest/lib prof/build/examples/demo_ranges' && profdump check packages.prof &&
    apt-get remove -y libprof0 libprofdump0 && [ ! -e /usr/bin/profrun ]"
long_step "test as root" root "cd libprof && ./dev test"
long_step "demo as the user in the moved folder, with profdump's libraries" guest \
    "mv 'lib prof' 'my lib prof' && cd 'my lib prof' && ./dev demo && $complete"

rm -rf "$root"
grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" || true
say "passed ($((SECONDS - begin)) s)"
