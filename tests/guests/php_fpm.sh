# php-fpm: requests to three workers, a worker killed, a reload by SIGUSR2, which executes itself, a graceful end
# packages: php-fpm php-cli nginx-light apache2-utils curl
# commands: php nginx ab curl

fpm=$(echo /usr/sbin/php-fpm* | cut -d" " -f1)

version() { "$fpm" --version | head -n 1 | cut -d' ' -f1,2; }

prepare() {
    mkdir www
    echo '<?php header("X: y"); echo "answer ", array_sum(range(1, 2000)), "\n"; file_put_contents("php://stderr", "");' >www/a.php
    echo '<?php echo "before"; flush(); posix_kill(getmypid(), SIGKILL);' >www/killed.php
    echo '<?php echo shell_exec("echo from a shell"), strlen(file_get_contents("php://input")), "\n";' >www/shell.php
}

workload() {
    local port server php
    port=$(free_port)
    chmod 755 .. . www
    cat >"$GUEST_DATA/fpm.conf" <<CONF
[global]
daemonize = no
error_log = $GUEST_DATA/fpm.log
pid = $GUEST_DATA/fpm.pid
emergency_restart_threshold = 0
[www]
listen = $GUEST_DATA/fpm.sock
listen.mode = 0666
$([ "$(id -u)" -ne 0 ] || printf 'user = nobody\ngroup = nogroup\n')
pm = static
pm.max_children = 3
pm.max_requests = 400
CONF
    cat >"$GUEST_DATA/nginx.conf" <<CONF
worker_processes 1;
daemon off;
pid $GUEST_DATA/pid;
$([ "$(id -u)" -ne 0 ] || echo "user nobody nogroup;")
events { worker_connections 256; }
http {
    access_log off;
    client_body_temp_path $GUEST_DATA/body; proxy_temp_path $GUEST_DATA/proxy; fastcgi_temp_path $GUEST_DATA/fastcgi;
    uwsgi_temp_path $GUEST_DATA/uwsgi; scgi_temp_path $GUEST_DATA/scgi;
    server { listen 127.0.0.1:$port; location / { include /etc/nginx/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $PWD/www\$fastcgi_script_name; fastcgi_pass unix:$GUEST_DATA/fpm.sock; } }
}
CONF
    env -u LD_PRELOAD nginx -c "$GUEST_DATA/nginx.conf" -e "$GUEST_DATA/error.log" &
    server=$!
    wait_for_port "$port"
    "$fpm" -n -d extension=posix -y "$GUEST_DATA/fpm.conf" 2>/dev/null &
    php=$!
    until [ -S "$GUEST_DATA/fpm.sock" ]; do sleep 0.1; done
    ab -q -n 1000 -c 6 -s 120 "http://127.0.0.1:$port/a.php" 2>&1 | grep -E 'Document Length|Complete|Failed|Non-2xx'
    curl -s -d "$(seq 1000)" "http://127.0.0.1:$port/shell.php"
    curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/killed.php"
    curl -s "http://127.0.0.1:$port/a.php"
    kill -USR2 "$php"
    until grep -q 'reloading: execvp' "$GUEST_DATA/fpm.log" &&
        [ "$(grep -c 'ready to handle connections' "$GUEST_DATA/fpm.log")" -ge 2 ]; do sleep 0.1; done
    ab -q -n 300 -c 6 -s 120 "http://127.0.0.1:$port/a.php" 2>&1 | grep -E 'Complete|Failed|Non-2xx'
    kill -QUIT "$php"
    wait "$php"
    echo "ended with $?"
    kill -QUIT "$server"
    wait "$server"
    grep -oE 'exited on signal.*|exiting, bye-bye|ready to handle.*' "$GUEST_DATA/fpm.log" | sed 's/ after .*//' | sort | uniq -c
}
