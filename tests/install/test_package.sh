#!/usr/bin/env bash
# The Debian packages hold what is installed, each file once, and work where they are unpacked; lintian finds no fault.
# long: lintian reads every file of the packages
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $1"
    exit 1
}
skip() {
    echo "SKIPPED: $1"
    exit 77
}

for program in dpkg-deb dpkg-shlibdeps file gzip; do
    command -v $program >/dev/null || skip "$program is missing"
done
[ -z "$SANITIZE" ] || skip "nobody packs a sanitizer build"
"$(dirname "$CMAKE")/cpack" --config "$BUILD_DIR/CPackConfig.cmake" -B "$work/out" \
    -D "CPACK_PACKAGE_CONTACT=libprof's test <test@debian.org>" >cpack.log 2>&1 || fail "cpack: $(cat cpack.log)"
! ls "$BUILD_DIR"/install_manifest_*.txt 2>/dev/null || fail "packing counts as installing"

version=$(cat "$SOURCE_DIR/VERSION")
for name in libprof0 libprofdump0 libprof-dev libprof-tools; do
    package=$(find out -maxdepth 1 -name "${name}_${version}_*.deb")
    [ -n "$package" ] || fail "there is no $name of version $version"
    dpkg-deb -c "$package" | awk '$1 !~ /^d/ { print $6 }' >>packed.txt
    dpkg-deb -x "$package" root
    dpkg-deb -e "$package" control
    [ ! -e control/postinst ] || fail "$name has a script"
    [ -s "root/usr/share/doc/$name/copyright" ] || fail "$name has no copyright"
done
[ -z "$(sort packed.txt | uniq -d)" ] || fail "in two packages: $(sort packed.txt | uniq -d)"

# Everything that is installed is in a package; manual pages are compressed there.
. "$SOURCE_DIR/tests/install/install_common.sh"
install_into "$work/installed"
(cd installed && find . ! -type d ! -name LICENSE | sed -e 's|^\.|./usr|' -e 's|/man[13]/.*|&.gz|' | sort) >installed.txt
grep -v '^./usr/share/doc/' packed.txt | sort | diff installed.txt - || fail "installed (<) and packed (>) differ"

# They work.
export LD_LIBRARY_PATH=$(dirname "$(find "$work/root" -name libprof.so.0)")
root/usr/bin/profrun --sim -q -o demo.prof -- "$EXAMPLES_DIR/demo_ranges" >run.txt 2>&1 || fail "profrun: $(cat run.txt)"
root/usr/bin/profdump check demo.prof >check.txt 2>&1 || fail "profdump: $(cat check.txt)"
if command -v pkg-config >/dev/null; then
    printf '%s\n' '#include <prof/prof.h>' 'int main(void) { return !prof_version(); }' >linked.c
    export PKG_CONFIG_PATH=$LD_LIBRARY_PATH/pkgconfig
    "$CC" linked.c $(pkg-config --cflags --libs prof) -o linked && ./linked || fail "a program is not linked by pkg-config"
fi

command -v lintian >/dev/null || { echo "note: lintian is missing, the packages were not checked"; exit 0; }
# A build for /usr/local has no directory for each architecture.
lintian --no-cfg --allow-root --fail-on error,warning --suppress-tags pkg-config-unavailable-for-cross-compilation out/*.deb >lintian.txt 2>&1 || fail "lintian: $(cat lintian.txt)"
echo "all passed"
