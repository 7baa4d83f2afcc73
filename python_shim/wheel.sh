#!/usr/bin/env bash
# wheel.sh DIRECTORY [aarch64] - builds the wheel into a directory, in a minimal Debian 11; for aarch64, by a cross build.
#
# A wheel runs where glibc has all functions that it was linked with. Debian 11 has glibc 2.31; of that, the wheel needs
# nothing newer than 2.28 (manylinux_2_28), since it is linked with the older versions of five mathematical functions.
# Debian 11's SQLite is too old, so that of Debian 12 is built first, from Debian's sources. Needs root and mmdebstrap.
# The wheel contains an observer for each release of PyTorch that observers.py lists. LIBPROF_OBSERVERS overrides the list;
# an empty one means none. The cross build makes none: they are compiled where they are used.
# Exits with status 77 where such a root file system cannot be made.
set -euo pipefail
suite=bullseye
machine=${2:-$(uname -m)}
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

. "$source_dir/tests/bare/root.sh"
packages=gcc,g++,libc6-dev,make,python3-venv,ca-certificates,dpkg-dev,tcl,xz-utils
libraries=(zlib1g-dev libisal-dev libzstd-dev libdw-dev)
architectures=$(dpkg --print-architecture) cross=
if [ "$machine" != "$(uname -m)" ]; then
    [ "$machine" = aarch64 ] || { echo "wheel.sh: no cross build for $machine" >&2 && exit 2; }
    . "$source_dir/tests/arm/namespace.sh"
    arm_can_run || exit 77
    cross=aarch64-linux-gnu architectures+=,arm64 LIBPROF_OBSERVERS=
    packages+=,gcc-aarch64-linux-gnu,libc6-dev:arm64
    libraries=("${libraries[@]/%/:arm64}")
fi
packages+=$(printf ',%s' "${libraries[@]}")
debian_root "$suite" "$work/root" --variant=minbase --architectures="$architectures" --include="$packages" || exit 77
mapfile -t variables < <(network_variables)
variables+=("LIBPROF_OBSERVERS=${LIBPROF_OBSERVERS-all}" "CROSS=$cross")
mkdir "$work/root/src"
git -C "$source_dir" ls-files -z -co --exclude-standard | tar -C "$source_dir" -c --null -T - | tar -x -C "$work/root/src"
cat >"$work/root/build.sh" <<'BUILD'
set -e
libraries=/usr/local/lib${CROSS:+/$CROSS}
version=GLIBC_2.2.5
if [ -n "$CROSS" ]; then
    version=GLIBC_2.17
    export LIBPROF_CMAKE_ARGS="--toolchain /src/libprof/cmake/aarch64.cmake"
    export LIBPROF_LDD="/lib/ld-linux-aarch64.so.1 --library-path $libraries --list" # ldconfig leaves those out
fi
for function in exp exp2 log log2 pow; do
    printf '__asm__(".symver %s,%s@%s");\n' $function $function $version
done >/old_math.h
export CFLAGS='-O2 -include /old_math.h'
mkdir /sqlite
cd /sqlite
echo "deb-src $1 bookworm main" >/etc/apt/sources.list.d/sqlite.list
apt-get update -q
apt-get source -q --download-only sqlite3
tar -x --strip-components=1 -f sqlite3_*.orig.tar.*
./configure --disable-tcl --disable-static --disable-readline ${CROSS:+--host=$CROSS} --libdir=$libraries
make -j "$(nproc)" lib_install
install -m 644 sqlite3.h /usr/local/include
${CROSS:+$CROSS-}strip $libraries/libsqlite3.so.0
ldconfig

cd /src
python3 -m venv /venv
pip install -q -U pip 'setuptools>=77' cmake # Debian 11 has older ones
[ -z "$CROSS" ] || export _PYTHON_HOST_PLATFORM=linux-aarch64
pip wheel --no-deps --no-build-isolation -w /dist ./python_shim
BUILD
within=(unshare --mount --pid --fork --kill-child --)
[ -z "$cross" ] || within=(arm_namespace -)
"${within[@]}" sh -c '
    root=$1 mirror=$2
    shift 2
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
        exec chroot "$root" env -i PATH=/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" bash /build.sh "$mirror"
    ' wheel "$work/root" "$(debian_mirror)" "${variables[@]}"
cp "$work"/root/dist/*.whl "$out/"
