# namespace.sh - runs commands in namespaces where programs of aarch64 run: sourced by what needs that.
# shellcheck shell=bash

ARM_HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ARM_QEMU=/usr/bin/qemu-aarch64-static

# arm_namespace ROOT COMMAND...: runs the command with mounts, processes and a register of emulators of its own, and with what
# a root file system needs mounted in ROOT ("-": none). enter.sh goes inside; the files of this checkout are there, too.
arm_namespace() {
    local fifo pid status=0
    fifo=$(mktemp -d)
    mkfifo "$fifo/made" "$fifo/mapped"
    # shellcheck disable=SC2016
    unshare --user --mount --pid --fork --kill-child -- bash -c '
        echo >"$1/made" && read -r _ <"$1/mapped" && shift && mount -t proc proc /proc && exec bash "$@"
        ' namespace "$fifo" "$ARM_HERE/inside.sh" "$@" <&0 &
    pid=$!
    # the whole range of ids, which unshare(1) maps only by newuidmap(1) and what that is allowed
    read -r _ <"$fifo/made" && echo "0 0 65536" >"/proc/$pid/uid_map" && echo "0 0 65536" >"/proc/$pid/gid_map" &&
        echo >"$fifo/mapped"
    rm -r "$fifo"
    wait "$pid" || status=$?
    return "$status"
}

# Whether that works here.
arm_can_run() {
    [ -x "$ARM_QEMU" ] && timeout 60 unshare --user true && arm_namespace - true
}
