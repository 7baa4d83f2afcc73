# squid, stunnel and socat: a cache with workers and helpers, encryption, processes for each connection
# packages: squid stunnel4 socat nginx-light apache2-utils curl openssl
# commands: squid stunnel socat nginx ab curl openssl

version() { echo "squid $(squid -v | head -n 1 | grep -oE '[0-9.]+$'), $(stunnel -version 2>&1 | grep -oE 'stunnel [0-9.]+' | head -n 1), $(socat -V | sed -n 2p | cut -d' ' -f1-3)"; }

prepare() {
    mkdir www
    seq 4000 >www/long
    printf '#!/bin/sh\nwhile read -r line; do echo ERR; done\n' >helper
    chmod 755 helper
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$GUEST_DATA/key" -out "$GUEST_DATA/cert" -subj /CN=guest -days 30000 2>/dev/null
    chmod 644 "$GUEST_DATA/key"
}

workload() {
    local port back server backend number
    port=$(free_port) back=$(free_port)
    chmod 755 .. . www
    cat >"$GUEST_DATA/nginx.conf" <<CONF
worker_processes 1;
daemon off;
pid $GUEST_DATA/nginx.pid;
$([ "$(id -u)" -ne 0 ] || echo "user nobody nogroup;")
events { worker_connections 256; }
http {
    access_log off;
    client_body_temp_path $GUEST_DATA/body; proxy_temp_path $GUEST_DATA/proxy; fastcgi_temp_path $GUEST_DATA/fastcgi;
    uwsgi_temp_path $GUEST_DATA/uwsgi; scgi_temp_path $GUEST_DATA/scgi;
    server { listen 127.0.0.1:$back; root $PWD/www; location /long { expires 1h; } }
}
CONF
    env -u LD_PRELOAD nginx -c "$GUEST_DATA/nginx.conf" -e "$GUEST_DATA/error.log" &
    backend=$!
    mkdir -m 777 "$GUEST_DATA/squid"
    cat >"$GUEST_DATA/squid.conf" <<CONF
http_port 127.0.0.1:$port
http_access allow all
pid_filename $GUEST_DATA/squid/pid
cache_log $GUEST_DATA/squid/log
access_log stdio:$GUEST_DATA/squid/access
cache_dir ufs $GUEST_DATA/squid/cache 20 4 4
coredump_dir $GUEST_DATA/squid
cache_mem 8 MB
shutdown_lifetime 1 seconds
visible_hostname guest
pinger_enable off
netdb_filename none
url_rewrite_program $PWD/helper
url_rewrite_children 3 startup=2
CONF
    chmod 644 "$GUEST_DATA/squid.conf"
    as_user squid -z -N -f "$GUEST_DATA/squid.conf" >/dev/null 2>&1
    echo "made $?"
    as_user squid --foreground -f "$GUEST_DATA/squid.conf" >/dev/null 2>&1 &
    server=$!
    wait_for_port "$port"
    for number in 1 2 3; do
        curl -s -x "http://127.0.0.1:$port" "http://127.0.0.1:$back/long" | sha256sum
    done
    ab -q -n 400 -c 6 -s 120 -X "127.0.0.1:$port" "http://127.0.0.1:$back/long" 2>&1 | grep -E 'Document Length|Complete|Failed|Non-2xx'
    as_user squid -k reconfigure -f "$GUEST_DATA/squid.conf"
    echo "reconfigured $?"
    until [ "$(grep -c 'Accepting HTTP' "$GUEST_DATA/squid/log")" -ge 2 ]; do sleep 0.1; done
    curl -s -o /dev/null -w '%{http_code}\n' -x "http://127.0.0.1:$port" "http://127.0.0.1:$back/nothing"
    as_user squid -k shutdown -f "$GUEST_DATA/squid.conf"
    wait "$server"
    echo "squid ended with $?"
    port=$(free_port)
    cat >"$GUEST_DATA/stunnel.conf" <<CONF
foreground = yes
pid =
[one]
accept = 127.0.0.1:$port
connect = 127.0.0.1:$back
cert = $GUEST_DATA/cert
key = $GUEST_DATA/key
CONF
    stunnel "$GUEST_DATA/stunnel.conf" 2>"$GUEST_DATA/stunnel.log" &
    server=$!
    wait_for_port "$port"
    for number in 1 2 3; do
        curl -s -k "https://127.0.0.1:$port/long" | sha256sum
    done
    ab -q -n 100 -c 6 -s 120 "https://127.0.0.1:$port/long" 2>&1 | grep -E 'Complete|Failed|Non-2xx'
    kill "$server"
    wait "$server"
    echo "stunnel ended with $?"
    port=$(free_port)
    socat "TCP-LISTEN:$port,bind=127.0.0.1,fork,reuseaddr" 'EXEC:tr a-z A-Z,nofork' &
    server=$!
    wait_for_port "$port"
    for number in 1 2 3; do
        echo "line $number" | socat -t 5 - "TCP:127.0.0.1:$port"
    done
    kill "$server"
    wait "$server"
    echo "socat ended with $?"
    socat -u SYSTEM:"tty <&1",pty,setsid,ctty - </dev/null 2>/dev/null | grep -c /dev/pts
    kill -QUIT "$backend"
    wait "$backend"
    grep -cE 'FATAL|assertion|Segment' "$GUEST_DATA/squid/log"
}
