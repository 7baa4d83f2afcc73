#!/usr/bin/env bash
# wheel.sh DIRECTORY - builds the wheel into a directory, in a minimal Debian 11.
#
# A wheel runs where glibc has all functions that it was linked with. Debian 11 has glibc 2.31; of that, the wheel needs
# nothing newer than 2.28 (manylinux_2_28), since it is linked with the older versions of five mathematical functions.
# Debian 11's SQLite is too old, so that of Debian 12 is built first, from Debian's sources. Needs root and mmdebstrap.
# The wheel contains an observer for each release of PyTorch that observers.py lists. LIBPROF_OBSERVERS overrides the list;
# an empty one means none.
# Exits with status 77 where such a root file system cannot be made.
set -euo pipefail
suite=bullseye
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)
packages=gcc,g++,libc6-dev,make,python3-venv,zlib1g-dev,libisal-dev,libzstd-dev,libdw-dev,ca-certificates,dpkg-dev,tcl,xz-utils
mmdebstrap --variant=minbase --include="$packages" "$suite" "$work/root" "$mirror" || exit 77

# Name resolution and certificates of this machine; of its environment, only how to reach the network.
cp -L /etc/resolv.conf /etc/hosts "$work/root/etc/"
cp -L /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/certs/"
mapfile -t variables < <(env | grep -E '^(https?_proxy|no_proxy|SSL_CERT_FILE|PIP_CERT|PIP_INDEX_URL)=')
variables+=("LIBPROF_OBSERVERS=${LIBPROF_OBSERVERS-all}")
mkdir "$work/root/src"
git -C "$source_dir" ls-files -z -co --exclude-standard | tar -C "$source_dir" -c --null -T - | tar -x -C "$work/root/src"
cat >"$work/root/build.sh" <<'BUILD'
set -e
printf '__asm__(".symver %s,%s@GLIBC_2.2.5");\n' exp exp exp2 exp2 log log log2 log2 pow pow >/old_math.h
export CFLAGS='-O2 -include /old_math.h'
mkdir /sqlite
cd /sqlite
echo "deb-src $1 bookworm main" >/etc/apt/sources.list.d/sqlite.list
apt-get update -q
apt-get source -q --download-only sqlite3
tar -x --strip-components=1 -f sqlite3_*.orig.tar.*
./configure --disable-tcl --disable-static --disable-readline
make -j "$(nproc)" lib_install
install -m 644 sqlite3.h /usr/local/include
strip /usr/local/lib/libsqlite3.so.0
ldconfig

cd /src
python3 -m venv /venv
pip install -q -U pip 'setuptools>=77' cmake # Debian 11 has older ones
pip wheel --no-deps --no-build-isolation -w /dist ./python_shim
BUILD
unshare --mount --pid --fork --kill-child -- sh -c '
    root=$1 mirror=$2
    shift 2
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
        exec chroot "$root" env -i PATH=/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" bash /build.sh "$mirror"
    ' wheel "$work/root" "$mirror" "${variables[@]}"
cp "$work"/root/dist/*.whl "$out/"
