# gawk and busybox: coprocesses, pipes, the network, a shell and tools in one program
# packages: gawk busybox
# commands: gawk busybox

version() { echo "$(gawk --version | head -n 1 | cut -d, -f1), $(busybox | head -n 1 | cut -d' ' -f1,2)"; }

workload() {
    local port server
    gawk 'BEGIN {
        command = "sort -n"
        for (i = 500; i; i--) print i |& command
        close(command, "to")
        while ((command |& getline line) > 0) n++
        print n, close(command)
        while (("seq 1000" | getline line) > 0) total += line
        print total, close("seq 1000"), system("exit 3")
        PROCINFO["exec cat 2>/dev/null", "pty"] = 1
        print "through a terminal" |& "exec cat 2>/dev/null"; "exec cat 2>/dev/null" |& getline line; print line; close("exec cat 2>/dev/null")
        for (i = 0; i < 200000; i++) words[i % 1009] = words[i % 1009] + i
        n = asorti(words, sorted); print n, sorted[1], words[7]
        print strftime("%Y", 0, 1)
        exit 5
    }'
    echo "status $?"
    port=$(free_port)
    gawk -v port="$port" 'BEGIN { s = "/inet/tcp/" port "/0/0"; s |& getline line; print toupper(line) |& s; close(s) }' &
    server=$!
    python3 - "$port" <<'PYTHON'
import socket, sys, time
while True:
    try:
        peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        break
    except OSError:
        time.sleep(0.05)
peer.sendall(b"a line\n")
print(peer.makefile().read().strip())
PYTHON
    wait "$server"
    echo "status $?"
    seq 3000 >numbers
    busybox sh -c 'busybox tar czf all.tgz numbers; busybox gunzip -c all.tgz | busybox tar tf -; busybox md5sum numbers
        for n in 1 2 3 4 5; do (exit $n) & wait $!; echo "status $?"; done
        busybox awk "{ n += \$1 } END { print n }" numbers; busybox sort -rn numbers | busybox head -n 1
        busybox timeout 0.2 busybox sleep 60; echo "timeout $?"; trap "echo trapped" USR1; kill -USR1 $$
        busybox find . -type f | busybox sort | busybox xargs -n 1 echo; busybox seq 20 | busybox xargs -P 4 -n 5 echo | busybox wc -l
        exit 7'
    echo "status $?"
    rm -f all.tgz
    port=$(free_port)
    mkdir www && echo "a page" >www/index.html
    busybox httpd -f -p "127.0.0.1:$port" -h www &
    server=$!
    wait_for_port "$port"
    busybox wget -q -O - "http://127.0.0.1:$port/"
    kill "$server"
    wait "$server"
    echo "status $?"
}
