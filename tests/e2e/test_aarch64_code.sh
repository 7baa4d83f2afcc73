#!/usr/bin/env bash
# The machine code of libprof.so on aarch64: memory orders that an emulator would not miss, what older processors lack, and how many
# instructions a range takes.
. "$(dirname "$0")/common.sh"

[[ $(uname -m) == aarch64 ]] || skip "of aarch64 only"
command -v objdump >/dev/null || skip "no objdump (Debian: binutils)"
library=$PROF_LIB/libprof.so
objdump -d --no-show-raw-insn "$library" >code.txt

# function NAME: its instructions, one a line.
function_code() { awk -v start="<$1>:" '$2 == start { inside = 1; next } /^$/ { inside = 0 } inside' code.txt | cut -f 2-; }

# hot NAME: of these, those on the way to the first return; jumps to slow paths are not taken, and stand where none comes by.
hot() { function_code "$1" | awk '/^b\t/ || /^nop/ { next } { print } /^ret/ { exit }'; }

# ---- how many instructions ----

# A pair has 53 on x86-64 (gcc 12). At most 1.3 times that; the sum is of this compiler, so others may differ.
pair=$(($(hot prof_range_push_site | wc -l) + $(hot prof_range_pop | wc -l)))
((pair > 20)) || fail "the functions were not found: $pair instructions"
((pair <= 53 * 13 / 10)) || ! gcc --version | found ' 12\.' || fail "a range has $pair instructions:"$'\n'"$(hot prof_range_push_site; hot prof_range_pop)"

# ---- memory order ----

# QEMU runs aarch64 with the memory order of x86-64, which is stronger: what is missing would not show there.
for writes in prof_range_push_site prof_range_pop prof_range_push thread_commit; do
    function_code "$writes" | found '^stlr' || fail "$writes does not store its header word by stlr"
done
for reads in copies_kind chunks_read_announced; do
    function_code "$reads" | found '^ldap\?r' || function_code "$reads" | found '^ldar' || fail "$reads does not load by ldar"
done

# ---- any ARMv8.0 processor ----

# Atomic instructions of 8.1 stand only in the compiler's functions that look whether the processor has them.
outside=$(awk '/^[0-9a-f]+ </ { name = $2 } /\t(cas|swp|ldadd|ldset|ldclr|ldeor|stadd)[a-z]*\t/ && name !~ /<__aarch64_/ { print name, $0 }' code.txt)
[[ -z $outside ]] || fail "not of ARMv8.0:"$'\n'"$outside"
grep -q '<__aarch64_ldadd4_acq_rel>' code.txt || fail "no run-time choice of atomic instructions"

# ---- landing pads and signed return addresses ----

readelf -n "$library" | found 'BTI, PAC' || fail "no BTI and PAC in the property note: $(readelf -n "$library")"
readelf -lW "$library" | found GNU_PROPERTY || fail "no PT_GNU_PROPERTY"
# Every exported function, and what the loader calls by an array, begins with a landing pad.
nm -D --defined-only "$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' >exported.txt
awk 'NR == FNR { exported["<" $1 ">:"] = $1; next }
    /^[0-9a-f]+ </ { name = $2; next }
    name in exported { if ($2 !~ /^(bti|paciasp|hint)/) print exported[name]; delete exported[name] }' exported.txt code.txt >without.txt
[[ ! -s without.txt ]] || fail "without a landing pad: $(tr '\n' ' ' <without.txt)"
readelf -dW "$library" | grep -E '\((INIT|FINI)\)' && fail "start files without landing pads are linked"

# ---- the loader ----

readelf -rW "$library" | found 'R_AARCH64_TLS_TPREL' || fail "thread-local storage is not initial-exec"
! readelf -rW "$library" | grep -q TLSDESC || fail "thread-local storage is looked up by calls"
readelf -lW "$library" | awk '$1 == "LOAD" && $NF != "0x10000" { bad = 1 } END { exit bad }' ||
    fail "segments are not aligned for pages of 64 KiB: $(readelf -lW "$library")"
