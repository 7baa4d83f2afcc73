#!/usr/bin/env bash
# The oldest CMake that the project allows and a current one configure the release preset without a warning.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$SOURCE_DIR/tests/e2e/packages_common.sh"

fail() {
    echo "FAILED: $1"
    exit 1
}

oldest=$(sed -n 's/^cmake_minimum_required(VERSION \([0-9.]*\)).*/\1/p' "$SOURCE_DIR/CMakeLists.txt")
grep -q "CMake $oldest\b" "$SOURCE_DIR/README.md" || fail "README names another CMake than $oldest"

# configures_with VERSION: with the newest package of that version.
configures_with() {
    local cmake
    fetch "cmake_$1" "cmake==$1.*" || { echo "SKIPPED: CMake $1 could not be fetched: $(tail -n 1 fetch.txt)"; exit 77; }
    cmake=$packages/cmake_$1/cmake/data/bin/cmake
    (cd "$SOURCE_DIR" && "$cmake" --preset release -B "$OLDPWD/build-$1" -Wdeprecated) >"$1.txt" 2>&1 ||
        fail "CMake $1: $(cat "$1.txt")"
    ! grep -A 5 'CMake.*Warning' "$1.txt" || fail "CMake $1 warns"
}

configures_with "$oldest"
configures_with 4
echo "all passed"
