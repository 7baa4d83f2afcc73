#!/bin/busybox sh
# shellcheck shell=dash
# system_init.sh - the first process of the virtual machine: mounts the root, runs the tests in it and turns the machine off.
PATH=/bin
/bin/busybox --install /bin
mkdir -p /proc /sys /root /lower/root /lower/checkout /over
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
over root /root && over checkout "/root$checkout" || echo "RESULT 1"
mount -t proc proc /root/proc
mount -t sysfs sysfs /root/sys
mount -t devtmpfs devtmpfs /root/dev
mkdir -p /root/dev/shm /root/dev/pts
mount -t tmpfs tmpfs /root/dev/shm
mount -t devpts devpts /root/dev/pts
mount -t tmpfs -o mode=1777 tmpfs /root/tmp
ln -s /proc/self/fd /root/dev/fd
ln -s /proc/self/fd/0 /root/dev/stdin
ln -s /proc/self/fd/1 /root/dev/stdout
ln -s /proc/self/fd/2 /root/dev/stderr
ifconfig lo 127.0.0.1
echo "kernel $(uname -r), $(nproc) processors, pages of $(chroot /root /usr/bin/getconf PAGESIZE) bytes"
chroot /root env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    bash "$checkout/build-arm/system_tests.sh" 2>&1
echo "the end"
poweroff -f
