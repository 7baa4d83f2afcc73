#!/usr/bin/env bash
# An ordinary user who locks a program's memory may do so while it is recorded, as without libprof.
. "$(dirname "$0")/common.sh"

(($(id -u) == 0)) || skip "changing users takes root"
compile mlockall
chmod 755 . && mkdir -m 777 out
cp "$lib" libprof.so && lib=$here/libprof.so # the user may not be able to read the build's folder

# Without the capability that lifts the limit, which is Debian's.
user=(setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all)
ulimit -l 8192
[[ $("${user[@]}" ./mlockall 2>&1) == "locked: yes" ]] || skip "no locking here"
for flags in 1 5; do
    same "recorded, flags $flags" "locked: yes" "$(record out/$flags.prof "${user[@]}" ./mlockall $flags 2>&1)"
    expect out/$flags.prof 'count["locking"] == 1' 'process["closed"]' 'not any(raw.loss)'
done

# While nothing is recorded, memory of the program's own decides, to some pages: `most` KiB can be locked without libprof.
locks() { [[ $("$@" 2>&1) == "locked: yes" ]]; }
most=0
for ((step = 4096; step >= 4; step /= 2)); do
    if locks "${user[@]}" ./mlockall 1 $((most + step)); then most=$((most + step)); fi
done
idle() { PROF_START=api record out/none.prof "${user[@]}" ./mlockall 1 "$@"; }
locks idle $((most - 100)) || fail "a process that records nothing may lock less than without libprof, which is $most KiB"
for what in "" none; do
    ! locks idle $((most + 100)) $what || fail "a process that records nothing may lock more than without libprof: $most KiB, $what"
done
[[ ! -e out/none.prof ]] || fail "there is a file"

# What exceeds the limit is refused, as it is without libprof.
ulimit -l 64
same "beyond the limit" "mlockall: Cannot allocate memory" "$(record out/refused.prof "${user[@]}" ./mlockall 2>&1)"
expect out/refused.prof 'count["locking"] == 1' 'process["closed"]'
