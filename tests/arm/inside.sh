#!/usr/bin/env bash
# inside.sh ROOT COMMAND... - in fresh namespaces: has the kernel run programs of aarch64 by QEMU, mounts what ROOT needs, and
# runs the command. ROOT may be "-": none.
set -euo pipefail
export ARM_ROOT=$1
shift
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# F: the kernel opens the emulator now, so it need not be in the root. P, O, C: argv[0], the open file and set-uid as without it.
register() {
    local elf='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc &&
        printf ':qemu-aarch64:M::%s:%s:%s:OCPF' "$elf" "$mask" "$ARM_QEMU" >/proc/sys/fs/binfmt_misc/register
}

register || grep -q '^flags:.*F' /proc/sys/fs/binfmt_misc/qemu-aarch64
if [ "$ARM_ROOT" != - ]; then
    mount -t proc proc "$ARM_ROOT/proc"
    mount --rbind /dev "$ARM_ROOT/dev"
    mount --rbind /sys "$ARM_ROOT/sys"
    mount -t tmpfs -o mode=1777 tmpfs "$ARM_ROOT/tmp"
    # the emulated processor's counter is as good as a real one's: 62.5 MHz, never stops; libprof takes it where the kernel does
    echo arch_sys_counter >"$ARM_ROOT/run/clocksource"
    mount --bind "$ARM_ROOT/run/clocksource" "$ARM_ROOT/sys/devices/system/clocksource/clocksource0/current_clocksource"
    mkdir -p "$ARM_ROOT$source_dir"
    mount --bind "$source_dir" "$ARM_ROOT$source_dir"
fi
exec "$@"
