#!/usr/bin/env bash
# Programs that were built for an earlier version keep working, and recordings stay readable: all that abi.txt lists is
# there, and the recordings in tests/data, one of each format, have the numbers they had. docs/compatibility.md states the rules.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
tests=$SOURCE_DIR/tests

fail() {
    echo "FAILED: $1"
    exit 1
}

# kept LIST FACTS: whether each line of the list is among the facts; prints those that are not.
kept() { ! LC_ALL=C comm -23 <(grep -v '^#' "$1" | LC_ALL=C sort) <(LC_ALL=C sort "$2") | grep .; }

"$CC" -std=gnu17 -I"$SOURCE_DIR/libprof/include" "$tests/install/abi_structs.c" -o structs
{
    ./structs
    for library in libprof.so.0 libprofdump.so.0; do
        nm -D --defined-only "$LIB_DIR/$library" | sed -nE "s/.* [TWi] (prof_[a-z_]+)(@.*)?$/$library exports \1/p"
    done
} >facts.txt
kept "$tests/install/abi.txt" facts.txt >lost.txt || fail "these are gone or changed, which breaks programs: $(cat lost.txt)"
LC_ALL=C comm -13 <(grep -v '^#' "$tests/install/abi.txt" | LC_ALL=C sort) <(LC_ALL=C sort facts.txt) >new.txt
[ ! -s new.txt ] || fail "new in the interface, add to tests/install/abi.txt: $(cat new.txt)"

# A function that disappears and a field that moves are seen.
grep -v prof_range_push_int facts.txt >fewer.txt
! kept "$tests/install/abi.txt" fewer.txt >lost.txt || fail "a function that is gone is not noticed"
sed 's/^prof_options.ring at .*/prof_options.ring at 16/' facts.txt >moved.txt
! kept "$tests/install/abi.txt" moved.txt >lost.txt || fail "a field that moved is not noticed"

# The sanitizers' programs need not have zlib.
for recording in format1 format2 aarch64; do # the last one is from another processor architecture, too
    gzip -dc "$tests/data/$recording.prof.gz" >old.prof
    "$BIN_DIR/profdump" check old.prof >check.txt || fail "$recording is not valid: $(cat check.txt)"
    "$BIN_DIR/profdump" --format tsv --rows -1 old.prof >table.tsv
    diff "$tests/data/$recording.tsv" table.tsv || fail "$recording has other numbers (before <, now >)"
done
