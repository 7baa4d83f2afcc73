#!/bin/busybox sh
# shellcheck shell=dash
# system_init.sh - the first process of the virtual machine: mounts the root, runs the tests in it and turns the machine off.
PATH=/bin
/bin/busybox --install /bin
mkdir -p /proc /sys /debian /lower/root /lower/checkout /over
mount -t proc proc /proc
mount -t sysfs sysfs /sys
while read -r module; do
    insmod "/modules/$module" || echo "cannot load $module"
done </modules/order
checkout=$(sed 's/.*checkout=\([^ ]*\).*/\1/' /proc/cmdline)

mount -t tmpfs tmpfs /over
# over MOUNT_TAG PLACE
over() {
    mkdir -p "/over/$1/upper" "/over/$1/work" "$2"
    mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose,msize=524288,ro "$1" "/lower/$1" &&
        mount -t overlay -o "lowerdir=/lower/$1,upperdir=/over/$1/upper,workdir=/over/$1/work" overlay "$2"
}
over root /debian && over checkout "/debian$checkout" || echo "RESULT 1"
mount -t proc proc /debian/proc
mount -t sysfs sysfs /debian/sys
mount -t devtmpfs devtmpfs /debian/dev
mkdir -p /debian/dev/shm /debian/dev/pts
mount -t tmpfs tmpfs /debian/dev/shm
mount -t devpts devpts /debian/dev/pts
mount -t tmpfs -o mode=1777 tmpfs /debian/tmp
ln -s /proc/self/fd /debian/dev/fd
ln -s /proc/self/fd/0 /debian/dev/stdin
ln -s /proc/self/fd/1 /debian/dev/stdout
ln -s /proc/self/fd/2 /debian/dev/stderr
ifconfig lo 127.0.0.1
echo "kernel $(uname -r), $(nproc) processors, pages of $(chroot /debian /usr/bin/getconf PAGESIZE) bytes"
chroot /debian env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    bash "$checkout/build-arm/system_tests.sh" 2>&1
echo "the end"
poweroff -f
