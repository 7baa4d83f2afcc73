# named, unbound, dnsmasq, mosquitto and lighttpd: other users, capabilities, threads, signals, forks into the background
# packages: bind9 bind9-dnsutils unbound dnsmasq-base mosquitto mosquitto-clients lighttpd curl apache2-utils
# commands: named dig unbound dnsmasq mosquitto mosquitto_pub lighttpd curl ab
# needs: root

version() { echo "$(named -v | cut -d' ' -f1,2), unbound $(unbound -V | grep -oE 'Version [0-9.]+' | cut -d' ' -f2), $(dnsmasq --version | head -n 1 | cut -d' ' -f1-3), $(lighttpd -v | cut -d' ' -f1)"; }

prepare() {
    mkdir www
    seq 3000 >www/long
}

gone() { while kill -0 "$1" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$1/status"; do sleep 0.1; done; }
ask() { dig +short +tries=20 +time=3 -p "$1" "@127.0.0.1" "${@:2}"; }

workload() {
    local port server number
    chmod 755 .. . www "$GUEST_DATA"
    port=$(free_port)
    mkdir -m 777 "$GUEST_DATA/named"
    cat >"$GUEST_DATA/named/conf" <<CONF
options { directory "$GUEST_DATA/named"; listen-on port $port { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; pid-file "$GUEST_DATA/named/pid";
    dnssec-validation no; session-keyfile "$GUEST_DATA/named/session"; };
controls { };
zone "guest" { type master; file "$GUEST_DATA/named/zone"; };
CONF
    # shellcheck disable=SC2016
    printf '$TTL 60\n@ SOA a b 1 60 60 60 60\n@ NS a\na A 192.0.2.1\n%s' "$(for number in {1..50}; do echo "n$number A 192.0.2.$number"; done)" >"$GUEST_DATA/named/zone"
    echo >>"$GUEST_DATA/named/zone"
    named -f -n 2 -u nobody -c "$GUEST_DATA/named/conf" -L "$GUEST_DATA/named/log" &
    server=$!
    wait_for_port "$port"
    for number in 1 7 50; do ask "$port" "n$number.guest"; done
    grep -E '^(Uid|CapEff)' "/proc/$server/status"
    kill -HUP "$server"
    ask "$port" a.guest
    kill "$server"
    wait "$server"
    echo "named ended with $?"
    port=$(free_port)
    cat >"$GUEST_DATA/unbound.conf" <<CONF
server:
    interface: 127.0.0.1
    port: $port
    username: nobody
    chroot: "$GUEST_DATA"
    directory: "$GUEST_DATA"
    pidfile: "$GUEST_DATA/unbound.pid"
    logfile: ""
    use-syslog: no
    num-threads: 3
    local-zone: "guest." static
    local-data: "a.guest. A 192.0.2.9"
    module-config: "iterator"
CONF
    chmod 777 "$GUEST_DATA"
    unbound -d -c "$GUEST_DATA/unbound.conf" 2>"$GUEST_DATA/unbound.log" &
    server=$!
    wait_for_port "$port"
    for number in 1 2 3; do ask "$port" a.guest; done
    readlink "/proc/$server/root" | sed 's/.*data/data/'
    kill -HUP "$server"
    ask "$port" a.guest
    kill "$server"
    wait "$server"
    echo "unbound ended with $?"
    port=$(free_port)
    dnsmasq --port="$port" --listen-address=127.0.0.1 --bind-interfaces --no-resolv --no-hosts --conf-file=/dev/null --user=nobody \
        --address=/guest/192.0.2.3 --pid-file="$GUEST_DATA/dnsmasq.pid" --log-facility="$GUEST_DATA/dnsmasq.log"
    echo "dnsmasq in the background $?"
    until [ -s "$GUEST_DATA/dnsmasq.pid" ]; do sleep 0.1; done
    for number in 1 2 3; do ask "$port" "any$number.guest"; done
    ask "$port" +tcp any.guest
    server=$(cat "$GUEST_DATA/dnsmasq.pid")
    grep -E '^(Uid|CapEff)' "/proc/$server/status"
    kill "$server"
    gone "$server"
    port=$(free_port)
    printf 'listener %s 127.0.0.1\nallow_anonymous true\nuser nobody\npid_file %s\n' "$port" "$GUEST_DATA/mosquitto.pid" >"$GUEST_DATA/mosquitto.conf"
    mosquitto -d -c "$GUEST_DATA/mosquitto.conf" 2>/dev/null
    wait_for_port "$port"
    mosquitto_sub -h 127.0.0.1 -p "$port" -t guest/# -C 20 -q 1 >"$GUEST_DATA/heard" &
    server=$!
    until mosquitto_pub -h 127.0.0.1 -p "$port" -t guest/x -m first -q 1 && sleep 0.1 && [ -s "$GUEST_DATA/heard" ]; do sleep 0.1; done
    for number in {1..25}; do mosquitto_pub -h 127.0.0.1 -p "$port" -t guest/x -m "$number" -q 1 || break; done
    wait "$server"
    echo "heard $? $(wc -l <"$GUEST_DATA/heard")"
    server=$(cat "$GUEST_DATA/mosquitto.pid") # it removes the file when it ends
    kill "$server"
    gone "$server"
    port=$(free_port)
    mkdir -m 777 "$GUEST_DATA/l"
    cat >"$GUEST_DATA/lighttpd.conf" <<CONF
server.document-root = "$PWD/www"
server.port = $port
server.bind = "127.0.0.1"
server.username = "nobody"
server.groupname = "nogroup"
server.max-worker = 2
server.pid-file = "$GUEST_DATA/lighttpd.pid"
server.errorlog = "$GUEST_DATA/l/log"
CONF
    lighttpd -D -f "$GUEST_DATA/lighttpd.conf" &
    server=$!
    wait_for_port "$port"
    ab -q -n 600 -c 6 -s 120 "http://127.0.0.1:$port/long" 2>&1 | grep -E 'Document Length|Complete|Failed|Non-2xx'
    curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/nothing"
    kill -INT "$server"
    wait "$server"
    echo "lighttpd ended with $?"
}
