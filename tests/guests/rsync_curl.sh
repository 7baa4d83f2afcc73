# rsync and curl: a daemon, a pipe to itself, changes, parallel downloads
# packages: rsync curl busybox
# commands: rsync curl busybox

version() { echo "rsync $(rsync --version | awk 'NR == 1 { print $3 }'), $(curl --version | head -n 1 | cut -d' ' -f1,2)"; }

prepare() {
    mkdir source
    for n in {1..80}; do seq "$n" $((n * 60)) >"source/file$n"; done
    ln -s file1 source/link
    ln source/file2 source/hard
}

workload() {
    local port server number
    rsync -aHi --no-motd source/ copy/ | LC_ALL=C sort | sha256sum
    echo "statuses ${PIPESTATUS[*]}"
    echo changed >>source/file7
    rm source/file9
    rsync -aH --delete --out-format='%i %n' --no-times -c source/ copy/
    echo "status $?"
    rsync -a --rsh='sh -c' -e "$PWD/shell" source/ "host:$PWD/over" 2>/dev/null
    echo "status $?"
    printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >shell && chmod 755 shell
    rsync -a -z -e "$PWD/shell" source/ "host:$PWD/over"
    echo "status $?"
    diff -r source over && echo same
    port=$(free_port)
    printf 'use chroot = no\nmax connections = 9\nlock file = %s\nuid = 0\ngid = 0\n[m]\npath = %s\nread only = no\n' "$GUEST_DATA/lock" "$PWD/source" >"$GUEST_DATA/conf"
    rsync --daemon --no-detach --address=127.0.0.1 --port="$port" --config="$GUEST_DATA/conf" --log-file="$GUEST_DATA/log" &
    server=$!
    wait_for_port "$port"
    for number in 1 2 3; do
        rsync -a "rsync://127.0.0.1:$port/m/" "daemon$number/" &
    done
    wait %2 %3 %4
    echo "status $?"
    rsync -a --delete daemon1/file1 "rsync://127.0.0.1:$port/m/back"
    echo "status $?"
    rsync "rsync://127.0.0.1:$port/nothing/" 2>/dev/null
    echo "status $?"
    kill "$server"
    wait "$server"
    echo "ended with $?"
    port=$(free_port)
    busybox httpd -f -p "127.0.0.1:$port" -h source &
    server=$!
    wait_for_port "$port"
    curl -s --parallel --parallel-max 8 "http://127.0.0.1:$port/file[1-6]" -o 'got#1' 2>/dev/null
    echo "status $?"
    curl -s "http://localhost:$port/file8" | sha256sum
    curl -s -f "http://127.0.0.1:$port/nothing"
    echo "status $?"
    curl -s --max-time 1 --connect-timeout 1 "http://name.invalid/"
    echo "status $?"
    kill "$server"
    wait "$server"
    find . -type f -newer nothing 2>/dev/null
    rm -rf over daemon*
}
