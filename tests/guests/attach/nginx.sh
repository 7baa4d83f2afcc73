# nginx
# packages: nginx-light
# commands: nginx curl
# variants: worker master

version() { nginx -v 2>&1 | cut -d' ' -f3; }

ask() {
    local i
    for i in 1 2 3 4; do
        curl -s "http://127.0.0.1:$port/file" | sha256sum &
    done
    wait
}

workload() {
    port=$(free_port)
    mkdir "$GUEST_DATA/logs" "$GUEST_DATA/www"
    head -c 3000000 /dev/zero >"$GUEST_DATA/www/file"
    cat >"$GUEST_DATA/nginx.conf" <<CONFIGURATION
daemon off;
worker_processes 1;
pid $GUEST_DATA/nginx.pid;
error_log $GUEST_DATA/logs/error.log;
user root;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path $GUEST_DATA/body; proxy_temp_path $GUEST_DATA/proxy; fastcgi_temp_path $GUEST_DATA/fastcgi;
    uwsgi_temp_path $GUEST_DATA/uwsgi; scgi_temp_path $GUEST_DATA/scgi;
    server { listen 127.0.0.1:$port; root $GUEST_DATA/www; }
}
CONFIGURATION
    nginx -p "$GUEST_DATA" -c "$GUEST_DATA/nginx.conf" &
    server=$!
    wait_for_port "$port"
    if [ "$VARIANT" = master ]; then target "$server"; else target "$(pgrep -P "$server" | head -n 1)"; fi
    rounds ask
    kill -QUIT "$server"
    wait "$server"
    echo "ended with $?"
    grep -E 'signal 1?[0-9]+ ?\(|alert|emerg' "$GUEST_DATA/logs/error.log" | sed 's/^.*\] //'
}
