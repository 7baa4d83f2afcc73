#!/usr/bin/env bash
# cross.sh COMMAND... - runs a command in a minimal Debian 12 of this machine's architecture that builds for arm64: with the cross
# compiler and arm64's libraries, which its package manager knows. Programs of arm64 run there, too. The root file system is
# build-arm/cross, made at the first call. Needs root. Exits with status 77 where it cannot be made.
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$source_dir/tests/arm
root=$source_dir/build-arm/cross
packages=gcc-aarch64-linux-gnu,cmake,ninja-build,dpkg-dev,file
packages+=$(printf ',%s:arm64' libc6-dev zlib1g-dev libisal-dev libzstd-dev libsqlite3-dev libdw-dev)

. "$source_dir/tests/bare/root.sh"
. "$here/namespace.sh"
arm_can_run || exit 77
if [ "$(cat "$root.packages" 2>/dev/null)" != "$packages" ]; then
    rm -f "$root.packages"
    mkdir -p "${root%/*}"
    debian_root bookworm "$root" --variant=minbase --architectures="$(dpkg --print-architecture),arm64" --include="$packages" >&2 || exit 77
    echo "$packages" >"$root.packages"
fi
arm_namespace "$root" "$here/enter.sh" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 CMAKE_GENERATOR=Ninja \
    DEB_HOST_ARCH=arm64 "$@"
