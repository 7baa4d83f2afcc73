# namespace.sh - runs commands in namespaces where programs of aarch64 run: sourced by what needs that.
# shellcheck shell=bash

ARM_HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export ARM_QEMU=/usr/bin/qemu-aarch64-static

# arm_namespace ROOT COMMAND...: runs the command with mounts, processes and a register of emulators of its own, and with what
# a root file system needs mounted in ROOT ("-": none). enter.sh goes inside; the files of this checkout are there, too.
# A signal that ends the calling shell ends all processes of the namespace.
arm_namespace() {
    local fifo pid status=0
    fifo=$(mktemp -d)
    mkfifo "$fifo/made" "$fifo/mapped"
    {
        # setpriv: the kernel forgets --kill-child when the new ids give the process its capabilities
        # shellcheck disable=SC2016
        unshare --user --mount --pid --fork --kill-child -- bash -c '
            echo >&3 && read -r _ <&4 && exec 3>&- 4>&- && mount -t proc proc /proc &&
                exec setpriv --pdeathsig KILL bash "$@"
            ' namespace "$ARM_HERE/inside.sh" "$@" <&0 &
        pid=$!
        trap 'kill -KILL "$pid"; exit 143' TERM INT HUP # unshare(1) ignores them
        rm -r "$fifo"
        # all ids that there are here, which unshare(1) maps only by newuidmap(1) and what that is allowed
        if ! { read -r -t 30 _ <&3 && awk '{ print $1, $1, $3 }' /proc/self/uid_map >"/proc/$pid/uid_map" &&
            awk '{ print $1, $1, $3 }' /proc/self/gid_map >"/proc/$pid/gid_map" && echo >&4; }; then
            kill -KILL "$pid"
        fi
    } 3<>"$fifo/made" 4<>"$fifo/mapped" # opening them for both does not wait
    wait "$pid" || status=$?
    trap - TERM INT HUP
    return "$status"
}

# arm_limited SECONDS ROOT COMMAND...: the same, with a limit: it returns 124 after so many seconds.
arm_limited() {
    # shellcheck disable=SC2016
    timeout --foreground "$1" bash -c '. "$1" && arm_namespace "${@:2}"' namespace "$ARM_HERE/namespace.sh" "${@:2}"
}

# Whether that works here.
arm_can_run() {
    [ -x "$ARM_QEMU" ] && arm_limited 60 - true
}
