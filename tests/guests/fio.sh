# fio: reads and writes by every engine, in processes and in threads, verified
# packages: fio
# commands: fio
# ignore: .*\.dat .*\.state

version() { fio --version; }

workload() {
    local engine kind
    for engine in sync psync pvsync2 libaio io_uring posixaio mmap splice sync:thread psync:thread mmap:thread io_uring:thread; do
        kind=
        case $engine in *:thread) kind=--thread ;; esac
        # shellcheck disable=SC2086
        fio --name=guest --ioengine="${engine%:thread}" $kind --rw=randrw --size=2m --bs=8k --numjobs=3 --iodepth=8 --randseed=7 \
            --filename_format='$jobnum.dat' --directory="$PWD" --verify=crc32c --verify_fatal=1 --group_reporting --minimal \
            >"$GUEST_DATA/out" 2>"$GUEST_DATA/err"
        echo "$engine $? $(grep '^3;' "$GUEST_DATA/out" | cut -d';' -f3,5,6)"
        grep -vE '^$|multiple writers' "$GUEST_DATA/err" | head -n 3
        rm -f ./*.dat
    done
    timeout -s INT 1 fio --name=guest --ioengine=psync --rw=write --size=1m --time_based --runtime=60 --filename=a.dat >"$GUEST_DATA/out" 2>&1
    echo "interrupted $?"
    grep -c 'fio: terminating on signal 2' "$GUEST_DATA/out"
    rm -f ./*.dat
}
