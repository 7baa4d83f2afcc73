#!/usr/bin/env bash
# Every format, by profdump and by the library: the old file stays until the new one is complete, whatever goes wrong, and a
# recording is never replaced.
. "$(dirname "$0")/common.sh"

umask 022
input=traces/blocks.prof
ways=(profdump library)

# by WAY FORMAT OUT INPUT...
by() {
    local way=$1 format=$2
    shift 2
    if [[ $way == profdump ]]; then
        "$BIN_DIR/profdump" --to "$format" -o "$@"
    else
        "$test/ask_trace" export "$format" "$@"
    fi
}

# The formats that this build writes.
known=()
for format in "${formats[@]}" arrow; do
    mkdir "reference.$format"
    if by profdump $format "reference.$format/out" $input 2>err.txt; then
        known+=($format)
    else
        grep -q "not supported\|built without" err.txt || fail "$format: $(cat err.txt)"
    fi
done
[[ ${#known[@]} -ge 8 ]] || fail "only these are written: ${known[*]}"

# each FUNCTION: with a way, a format, and ./out which is not there
each() {
    for way in "${ways[@]}"; do
        for format in "${known[@]}"; do
            rm -rf out
            "$1" $way $format || fail "$1: $format by $way: $(cat err.txt 2>/dev/null)"
        done
    done
}

is_complete() { cmp "$1" "reference.$format/out"; }

# refused STATUS PART COMMAND...: the command exits with STATUS and prints one sentence with PART and the file's name.
refused() {
    local wanted=$1 part=$2 status=0
    shift 2
    said=$("$@" 2>&1 </dev/null) || status=$?
    said=$(grep -v "^Try 'profdump .*--help'" <<<"$said")
    [[ $status == "$wanted" && $said == *"$part"* && $said == *out* && $(wc -l <<<"$said") == 1 ]] && return
    echo "status $status: $said"
    return 1
}

replaces() {
    echo "what is there is older, and longer than nothing" >out
    chmod 640 out
    by "$@" out $input 2>err.txt && is_complete out && [[ $(stat -c %a out) == 640 ]]
}
each replaces

makes() { by "$@" out $input 2>err.txt && is_complete out && [[ $(stat -c %a out) == 644 ]]; }
each makes

follows_links() {
    rm -rf elsewhere && mkdir elsewhere
    ln -s elsewhere/file out
    by "$@" out $input 2>err.txt && [[ $(readlink out) == elsewhere/file && $(ls -A elsewhere) == file ]]
}
each follows_links

keeps_recordings() {
    cp traces/cpu.prof kept
    ln -sf kept out
    refused 2 "would overwrite a recording; name another file" by "$@" out $input &&
        refused 2 "would overwrite a recording; name another file" by "$@" out out && cmp kept traces/cpu.prof
}
each keeps_recordings

"$BIN_DIR/profdump" --chrome trace.json traces/demo.prof
keeps_inputs() {
    cp trace.json kept
    ln -f kept out
    refused 2 "would overwrite an input; name another file" by "$@" out kept && cmp kept trace.json
}
each keeps_inputs

# A file-size limit and a full disk; without formats that make no file.
beyond_the_limit() {
    [[ $2 != folded ]] || return 0 # it is empty of this input
    echo old >out
    (
        ulimit -f 0
        refused 1 "ulimit -f" by "$@" out $input
    ) && [[ $(cat out) == old ]]
}
each beyond_the_limit
leftovers

no_folder() { refused 1 "make the folder first: mkdir -p no/such" by "$@" no/such/out $input; }
each no_folder

full=$here/full
mkdir full
if ((EUID == 0)) && mount -t tmpfs -o size=4k none full 2>/dev/null; then
    full_disk() {
        [[ $2 != folded ]] || return 0
        rm -f full/out && echo old >full/out
        refused 1 "make room" by "$@" full/out $input && [[ $(cat full/out) == old && $(ls -A full) == out ]]
    }
    each full_disk
    umount full
else
    echo "note: without a full disk"
fi

# In a directory that allows no new file, a writable file is written, and anything else is refused.
chmod 755 "$here" && mkdir theirs
somebody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if ((EUID == 0)) && "${somebody[@]}" test -x "$BIN_DIR/profdump" -a -x "$test/ask_trace" 2>/dev/null; then
    as_somebody() {
        if [[ $1 == profdump ]]; then
            "${somebody[@]}" "$BIN_DIR/profdump" --to "$2" -o "${@:3}"
        else
            "${somebody[@]}" "$test/ask_trace" export "${@:2}"
        fi
    }
    chmod -R a+rX traces
    not_beside() {
        head -c 1000000 /dev/zero >theirs/out && chmod 666 theirs/out
        as_somebody "$@" theirs/out $input 2>err.txt && is_complete theirs/out || return
        chmod 444 theirs/out
        refused 1 "name a file in a folder that you may write to" as_somebody "$@" theirs/out $input &&
            is_complete theirs/out && rm theirs/out &&
            refused 1 "name a file in a folder that you may write to" as_somebody "$@" theirs/out $input
    }
    each not_beside
else
    echo "note: not as another user"
fi
leftovers

# A signal ends profdump at the last moment.
cat >at_rename.c <<'CODE'
#include <signal.h>
#include <stdlib.h>
int rename(const char *from, const char *to)
{
    (void)from, (void)to;
    raise(atoi(getenv("SIGNAL")));
    _Exit(9);
}
CODE
"$CC" -shared -fPIC -o at_rename.so at_rename.c
ended_by() {
    for number in 1 2 15; do
        local status=0
        echo old >out
        LD_PRELOAD=$here/at_rename.so ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 SIGNAL=$number \
            "$BIN_DIR/profdump" --to "$2" -o out $input 2>err.txt || status=$?
        [[ $status == $((128 + number)) && $(cat out) == old ]] || return
    done
}
ways=(profdump)
each ended_by
leftovers
