# haproxy: a master, workers with threads, requests, a reload that executes itself and passes sockets on
# packages: haproxy nginx-light apache2-utils socat curl
# commands: haproxy nginx ab socat curl

version() { haproxy -v | head -n 1 | cut -d' ' -f1-3; }

prepare() {
    mkdir www
    seq 5000 >www/long
}

workload() {
    local port back tcp server backend
    port=$(free_port) back=$(free_port) tcp=$(free_port)
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
    server { listen 127.0.0.1:$back; root $PWD/www; }
}
CONF
    env -u LD_PRELOAD nginx -c "$GUEST_DATA/nginx.conf" -e "$GUEST_DATA/error.log" &
    backend=$!
    cat >"$GUEST_DATA/haproxy.cfg" <<CONF
global
    nbthread 3
    stats socket $GUEST_DATA/sock mode 600 level admin expose-fd listeners
    external-check
    insecure-fork-wanted
defaults
    mode http
    timeout connect 60s
    timeout client 60s
    timeout server 60s
frontend f
    bind 127.0.0.1:$port
    http-request return status 418 if { path /teapot }
    default_backend b
backend b
    server one 127.0.0.1:$back check inter 100ms
frontend t
    mode tcp
    bind 127.0.0.1:$tcp
    default_backend u
backend u
    mode tcp
    server one 127.0.0.1:$back
CONF
    haproxy -W -f "$GUEST_DATA/haproxy.cfg" -p "$GUEST_DATA/pid" >"$GUEST_DATA/log" 2>&1 &
    server=$!
    wait_for_port "$port"
    ab -q -n 1000 -c 10 -s 120 "http://127.0.0.1:$port/long" 2>&1 | grep -E 'Document Length|Complete|Failed|Non-2xx'
    ab -q -n 600 -c 10 -s 120 "http://127.0.0.1:$tcp/long" 2>&1 | grep -E 'Complete|Failed|Non-2xx'
    curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/teapot"
    echo 'show info' | socat - "UNIX-CONNECT:$GUEST_DATA/sock" | grep -E '^(Nbthread|Process_num|Stopping)'
    kill -USR2 "$server"
    until [ "$(grep -c 'Loading success' "$GUEST_DATA/log")" -ge 2 ]; do sleep 0.1; done
    ab -q -n 1000 -c 10 -s 120 "http://127.0.0.1:$port/long" 2>&1 | grep -E 'Complete|Failed|Non-2xx'
    kill -USR1 "$server"
    wait "$server"
    echo "ended with $?"
    kill -QUIT "$backend"
    wait "$backend"
    grep -oE 'exited with code [0-9]+ \(.*\)' "$GUEST_DATA/log" | sort | uniq -c
}
