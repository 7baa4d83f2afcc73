#!/usr/bin/env bash
# A full disk is no signal to the program, even where a block that was reserved must be allocated anew to be written: on file
# systems that copy on write, and after a snapshot or a copy that shares blocks. What is not in the file is counted.
. "$(dirname "$0")/common.sh"

[[ $(id -u) == 0 ]] || skip "only root mounts file systems"
export PATH=$PATH:/sbin:/usr/sbin
compile commanded
trap '' PIPE # of a program that has ended
mkdir lower

mounted=()
unmount_all() {
    local i
    exec 3>&- 4<&- # ends a program that a failed test left
    for ((i = ${#mounted[@]} - 1; i >= 0; i--)); do umount "${mounted[i]}" 2>/dev/null || umount -l "${mounted[i]}"; done
    mounted=()
}
trap 'status=$?; unmount_all; (exit $status); leave' EXIT

# mount_at DIRECTORY ARGUMENT...
mount_at() {
    mkdir -p "$1"
    mount "${@:2}" "$1" 2>>mount.txt || return 1
    mounted+=("$here/$1")
}

# make_fs TYPE DIRECTORY: a small one of that type.
make_fs() {
    local make=(-q)
    case $1 in
    btrfs | xfs) make+=(-f) ;;
    ext4) make+=(-F) ;;
    esac
    command -v "mkfs.$1" >/dev/null || return 1
    truncate -s 320M "$2.image"
    "mkfs.$1" "${make[@]}" "$2.image" >mkfs.txt 2>&1 && mount_at "$2" -o loop "$2.image"
}

fill() {
    dd if=/dev/zero of="$1/fill" bs=1M 2>/dev/null || true
    dd if=/dev/zero of="$1/fill2" bs=4k 2>/dev/null || true
    sync -f "$1" # what is mapped is written back, so a store into it needs a block
}

# mark N: the program records so many.
mark() {
    echo "$1" >&3 && read -r marks <&4 || fail "the program has ended: $(status_of wait "$pid")"
}

# program FILE: begins to record into it.
program() {
    rm -f to from
    mkfifo to from
    LD_PRELOAD=$lib PROF_OUTPUT=$1 ./commanded <to >from 2>stderr.txt &
    pid=$!
    exec 3>to 4<from
}

# program_ends WHAT: and how.
program_ends() {
    local status=0
    exec 3>&-
    wait "$pid" || status=$?
    exec 4<&-
    same "$1: status of the program" 0 "$status"
}

copied="raw.flags & 8"
all='count["mark"] + sum(raw.loss) == '

fail_on_loss() { "$PROF_BIN/profdump" --fail-on-loss "$1" >table.txt; }

# fills_up WHAT DIRECTORY [CONDITION]: while the program records into it.
fills_up() {
    program "$2/full.prof"
    mark 100000
    fill "$2"
    mark 2000000
    program_ends "$1: full"
    expect "$2/full.prof" "$all$marks" 'count["mark"] >= 100000' 'sum(raw.loss) > 0' 'process["closed"]' "${3:-$copied}"
    rm "$2"/fill*
    same "$1: status of --fail-on-loss" 3 "$(status_of fail_on_loss "$2/full.prof")"
    rm "$2/full.prof"
}

# shared WHAT DIRECTORY COMMAND...: the same after the command, which makes other files use the trace's blocks.
shared() {
    local what=$1 directory=$2
    program "$directory/shared.prof"
    mark 100000
    await "a copy of the trace" has_marks "$directory/shared.prof"
    "${@:3}"
    fill "$directory"
    mark 2000000
    program_ends "$what"
    if "$PROF_BIN/profdump" --json "$directory/shared.prof" | found '"closed": true'; then
        expect "$directory/shared.prof" "$all$marks" 'sum(raw.loss) > 0'
    else # there was no room for the header either
        same "$what: status of --fail-on-loss" 3 "$(status_of fail_on_loss "$directory/shared.prof")"
    fi
    rm -f "$directory"/fill* "$directory/shared.prof"
}
has_marks() { (($(count_of mark "$1") == 100000)); }

tested=()
if make_fs btrfs b; then
    tested+=(btrfs)
    fills_up btrfs b
    btrfs -q subvolume create b/volume
    shared "btrfs, after a snapshot" b/volume btrfs -q subvolume snapshot b/volume b/snapshot
    btrfs -q subvolume delete b/volume b/snapshot
    mkdir b/upper b/work
    if mount_at over -t overlay -o lowerdir="$here/lower,upperdir=$here/b/upper,workdir=$here/b/work" overlay; then
        tested+=("overlay on btrfs")
        fills_up "overlay on btrfs" over
    fi
fi
if make_fs xfs x; then
    tested+=(xfs)
    fills_up xfs x 'True'
    shared "xfs, after a copy that shares blocks" x cp --reflink=always x/shared.prof x/copy
fi
if make_fs f2fs f; then
    tested+=(f2fs)
    fills_up f2fs f
fi
((${#tested[@]})) || skip "neither btrfs nor xfs nor f2fs can be made and mounted here"
echo "tested: ${tested[*]}"

# Elsewhere the file stays the buffer.
if make_fs ext4 e; then
    fills_up ext4 e "not $copied"
    mkdir e/upper e/work
    if mount_at plain -t overlay -o lowerdir="$here/lower,upperdir=$here/e/upper,workdir=$here/e/work" overlay; then
        fills_up "overlay on ext4" plain "not $copied"
    fi
fi
