# nginx: workers, requests of ab, a reload, a graceful end
# packages: nginx-light apache2-utils
# commands: nginx ab

version() { nginx -v 2>&1 | cut -d' ' -f3; }

prepare() {
    mkdir www
    seq 20000 >www/long
    echo short >www/index.html
}

workload() {
    local port server
    port=$(free_port)
    cat >"$GUEST_DATA/nginx.conf" <<CONF
worker_processes 3;
daemon off;
pid $GUEST_DATA/pid;
error_log $GUEST_DATA/error.log;
$([ "$(id -u)" -ne 0 ] || echo "user nobody nogroup;")
events { worker_connections 256; }
http {
    access_log off;
    client_body_temp_path $GUEST_DATA/body; proxy_temp_path $GUEST_DATA/proxy; fastcgi_temp_path $GUEST_DATA/fastcgi;
    uwsgi_temp_path $GUEST_DATA/uwsgi; scgi_temp_path $GUEST_DATA/scgi;
    sendfile on;
    gzip on;
    server { listen 127.0.0.1:$port; root $PWD/www; location /again/ { proxy_pass http://127.0.0.1:$port/; } }
}
CONF
    chmod 755 .. . www
    nginx -c "$GUEST_DATA/nginx.conf" -e "$GUEST_DATA/error.log" &
    server=$!
    wait_for_port "$port"
    for path in index.html long again/long nothing; do
        ab -q -n 1500 -c 12 -s 120 "http://127.0.0.1:$port/$path" 2>&1 |
            grep -E 'Document (Path|Length)|Complete|Failed|Non-2xx|HTML transferred'
    done
    kill -HUP "$server"
    sleep 1
    ab -q -k -n 1500 -c 12 -s 120 "http://127.0.0.1:$port/long" 2>&1 | grep -E 'Complete|Failed|Non-2xx'
    kill -QUIT "$server"
    wait "$server"
    echo "ended with $?"
    grep -E 'signal 1?[0-9]+ ?\(|alert|emerg' "$GUEST_DATA/error.log" | sed 's/^.*\] //' | sort | uniq -c
}
