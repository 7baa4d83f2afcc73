#!/usr/bin/env bash
# Whatever the system refuses, the program's output and status are its own, and at most one line is
# said.
. "$(dirname "$0")/common.sh"

compile steady

# steady WHAT [NAME=VALUE...] [LIMIT OPTION...] -- MODE [N]: runs below ulimit, in ./WHAT, with
# PROF_OUTPUT=run.prof. What it says is left in WHAT.stdout and WHAT.stderr: outside, where no disk is full.
steady() {
    local what=$1 settings=() limits=()
    shift
    while [[ $1 != -- ]]; do
        if [[ $1 == *=* ]]; then settings+=("$1"); else limits+=("$1"); fi
        shift
    done
    shift
    mkdir -p "$what" && cd "$what"
    local status=0
    (
        ((${#limits[@]} == 0)) || ulimit "${limits[@]}"
        exec env LD_PRELOAD="$lib" PROF_OUTPUT=run.prof "${settings[@]}" ../steady "$@"
    ) >"$here/$what.stdout" 2>"$here/$what.stderr" || status=$?
    cd ..
    same "status of $what" 5 $status
    same "output of $what" output "$(cat "$what.stdout")"
    (($(wc -l <"$what.stderr") <= 1)) || fail "$what says too much: $(cat "$what.stderr")"
}

# says WHAT TEXT: the one line of WHAT has the text in it.
says() {
    grep -q -- "$2" "$1.stderr" || fail "$1 does not say '$2': $(cat "$1.stderr")"
}

recorded_all='count["steady"] == 100000 and not any(raw.loss)'

steady undisturbed -- plain
expect undisturbed/run.prof "$recorded_all" 'process["closed"]'

# No SIGXFSZ: below 1 MiB there is no file; above it the file ends at the limit.
steady small_file -S -f 100 -- plain
says small_file 'cannot record'
[[ ! -e small_file/run.prof ]] || fail "a useless file is left"
steady file_limit -S -f 3000 -- plain 1000000
says file_limit 'cannot grow'
expect file_limit/run.prof 'size <= 3000 * 1024' 'size > 2900 * 1024' 'loss["io"] > 0' 'process["closed"]' \
    '2 * count["steady"] - loss["unclosed"] + loss["unopened"] + loss["io"] == 2000000'

# What did not fit is tried again.
steady relieved -- relieved 1000000
says relieved 'cannot grow'
expect relieved/run.prof 'count["after"] >= 1001' 'process["closed"]' 'loss["io"] == loss["lost_host"] > 0' \
    'count["steady"] >= 500000'

steady few_descriptors -- descriptors
expect few_descriptors/run.prof "$recorded_all"
steady low_descriptors -n 64 -- plain
expect low_descriptors/run.prof "$recorded_all"

# The program needs its address space more than we do.
steady no_address_space -v 420000 -- memory
says no_address_space 'cannot record to run.prof: Cannot allocate memory'
steady address_space -v 900000 -- memory
expect address_space/run.prof "$recorded_all"

if ((EUID == 0)) && command -v setpriv >/dev/null; then
    chmod 755 "$here"
    install -m 755 "$lib" libprof.so # the build may lie in a folder that only root may enter
    mkdir -m 777 no_threads
    cd no_threads
    status=0
    (
        ulimit -u 1
        exec setpriv --reuid=54321 --clear-groups env LD_PRELOAD=../libprof.so PROF_OUTPUT=run.prof ../steady plain
    ) >stdout.txt 2>stderr.txt || status=$?
    cd ..
    if [[ $(cat no_threads/stderr.txt) != *"cannot start the writer thread"* ]]; then
        fail "no_threads: $status $(cat no_threads/stderr.txt)"
    fi
    same "status without threads" 5 $status
    expect no_threads/run.prof "$recorded_all" 'process["closed"]'
else
    echo "note: not root, without RLIMIT_NPROC"
fi

steady missing_directory PROF_OUTPUT=no/such/run.prof -- plain
says missing_directory 'No such file'
mkdir -p directory/run.prof
steady directory -- plain
if ((EUID == 0)); then
    mkdir device && mknod device/run.prof c 1 7
    steady device -- plain
    [[ -c device/run.prof ]] || fail "a device was replaced"
fi
mkdir -p read_only && chmod 555 read_only
if ((EUID == 0)); then
    command -v setpriv >/dev/null &&
        setpriv --reuid=54321 --clear-groups env LD_PRELOAD=./libprof.so PROF_OUTPUT="$here/read_only/run.prof" \
            ./steady plain >stdout.txt 2>stderr.txt || same "status in a read-only directory" 5 $?
    grep -q 'Permission denied' stderr.txt || fail "read-only: $(cat stderr.txt)"
fi
steady long_name PROF_OUTPUT="$(printf 'x%.0s' {1..300})" -- plain
says long_name 'cannot record'

# A full disk ends the trace, not the program.
mkdir full
if ((EUID == 0)) && mount -t tmpfs -o size=3m none full 2>/dev/null; then
    trap 'umount "$here/full"; leave' EXIT
    steady full -- plain 1000000
    says full 'cannot grow'
    expect full/run.prof 'loss["io"] > 0' 'size > 2900 * 1024' \
        '2 * count["steady"] - loss["unclosed"] + loss["unopened"] + loss["io"] == 2000000'
    umount full
    mount -t tmpfs -o size=64k none full
    steady full -- plain
    says full 'cannot record'
    umount full
    trap leave EXIT
else
    echo "note: no tmpfs can be mounted here"
fi

# Programs that close or replace descriptors they do not own lose neither files nor events.
steady closing -- closing 1000000
expect closing/run.prof 'count["steady"] == 1000000 and not any(raw.loss)' 'process["closed"]'
steady replacing -- replacing 1000000
expect replacing/run.prof 'count["steady"] == 1000000 and not any(raw.loss)' 'process["closed"]'
steady hunting PROF_MAX_MB=65536 -- hunting 4000000
expect hunting/run.prof "count['steady'] == $(cat hunting.stderr) and not any(raw.loss)" 'process["closed"]'
rm hunting/run.prof

steady storm -- storm
expect storm/run.prof "$recorded_all"
steady moving -- moving
expect moving/run.prof "$recorded_all"
steady titling -- titling
expect titling/run.prof "$recorded_all"
if ((EUID == 0)); then
    mkdir -p "rooting$here/rooting"
    steady rooting -- rooting
    expect "rooting$here/rooting/run.prof" "$recorded_all"
fi

# Also what no file could be made for is counted, for the program to ask.
steady asking PROF_OUTPUT=no/such/run.prof PROF_LOG=0 -- speaking 1000
same "losses without a file" "lost 2000" "$(cat asking.stderr)"
