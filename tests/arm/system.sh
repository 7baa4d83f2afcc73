# system.sh - runs tests in a virtual machine with Debian's arm64 kernel: sourced by run.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets them

# The kernel boots into a small file system of its own (system_init.sh), which mounts the root and this checkout from here,
# read-only (9p), with a file system in memory over them. There is no network. The serial line is the only output.

kernel=$work/kernel
modules='virtio_pci 9pnet_virtio 9p overlay'

# The kernel, busybox and the modules needed.
make_kernel() {
    local unpacked=$work/kernel.part release module
    debian_root "$suite" "$unpacked" --variant=extract --architectures=arm64 --skip=check/qemu \
        --include=linux-image-arm64,busybox-static || return
    release=$(basename "$unpacked"/lib/modules/*)
    "$ARM_QEMU" -L "$unpacked" -0 depmod "$unpacked/bin/kmod" -b "$unpacked" "$release" || return
    rm -rf "$kernel" && mkdir -p "$kernel/initial/bin" "$kernel/initial/modules" &&
        cp "$unpacked/bin/busybox" "$kernel/initial/bin/" || return
    # in the order in which they are loaded: what a module needs stands behind it in modules.dep, the first needed last
    for module in $modules; do
        grep "/$module\.ko" "$unpacked/lib/modules/$release/modules.dep"
    done | tr -d : | awk '{ for (i = NF; i > 0; i--) if (!seen[$i]++) print $i }' | while read -r module; do
        cp "$unpacked/lib/modules/$release/$module" "$kernel/initial/modules/" && basename "$module"
    done >"$kernel/initial/modules/order"
    cp "$unpacked/boot/vmlinuz-$release" "$kernel/vmlinuz" && rm -rf --one-file-system "$unpacked"
}

# A shell script that runs the tests that match PATTERN: it prints "TEST name" and "RESULT status".
write_system_tests() { # PATTERN
    (cd "$work" && arm_namespace "$root" ctest --show-only=json-v1 -R "$1") | python3 -c '
import json, shlex, sys
tests = json.load(sys.stdin)["tests"] or sys.exit("no test has such a name")
for test in tests:
    command = test["command"][1:]  # without enter.sh
    of = {one["name"]: one["value"] for one in test.get("properties", [])}
    folder = shlex.quote(of["WORKING_DIRECTORY"])
    environment = " ".join(shlex.quote(one) for one in of.get("ENVIRONMENT", []))
    limit = of.get("TIMEOUT", 600)
    print("echo TEST", shlex.quote(test["name"]))
    print(f"(mkdir -p {folder} && cd {folder} && env {environment} timeout {limit:.0f} {shlex.join(command)} </dev/null)")
    print("echo RESULT $?")' >"$work/system_tests.sh"
}

# system_tests PATTERN: runs them. What they print is in $work/system.log. Fails if the virtual machine did not get to the end.
system_tests() {
    rm -f "$work/system.log"
    [ -e "$kernel/vmlinuz" ] || make_kernel || return
    write_system_tests "$1" && cp "$here/system_init.sh" "$kernel/initial/init" &&
        (cd "$kernel/initial" && find . | cpio -o -H newc --quiet | gzip -1) >"$kernel/initial.gz" || return
    # pauth-impdef: signing return addresses by the processor's own algorithm takes most of the time otherwise
    timeout --foreground 7200 qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -smp 2 -m 3072 -nic none \
        -accel tcg,thread=multi -nographic -monitor none -serial "file:$work/system.log" -no-reboot \
        -kernel "$kernel/vmlinuz" -initrd "$kernel/initial.gz" -append "quiet panic=-1 checkout=$source_dir" \
        -virtfs "local,path=$root,mount_tag=root,security_model=none,readonly=on,multidevs=remap" \
        -virtfs "local,path=$source_dir,mount_tag=checkout,security_model=none,readonly=on,multidevs=remap" </dev/null &&
        grep -q '^the end' "$work/system.log"
}

# A line for each: passed, skipped or failed, and its name.
system_results() {
    [ ! -e "$work/system.log" ] || tr -d '\r' <"$work/system.log" | awk '
        /^TEST / { name = substr($0, 6); skipped = 0 }
        /^\[  SKIPPED \]/ { skipped = 1 } # GoogleTest, which ends with status 0
        /^RESULT / { print ($2 == 77 || ($2 == 0 && skipped) ? "skipped" : $2 == 0 ? "passed" : "failed"), name; name = "" }
        END { if (name) print "failed", name }'
}
