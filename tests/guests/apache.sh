# apache: prefork and event, CGI, a graceful restart, a worker killed
# packages: apache2 apache2-utils curl
# commands: apache2 ab curl

version() { apache2 -v | head -n 1 | cut -d' ' -f3; }

prepare() {
    mkdir www cgi
    seq 3000 >www/long
    printf '#!/bin/sh\necho "Content-Type: text/plain"\necho\necho "from a script: $QUERY_STRING"\nwc -c\nexit 0\n' >cgi/script
    chmod 755 cgi/script
}

workload() {
    local kind port server modules=/usr/lib/apache2/modules
    chmod 755 .. . www cgi
    for kind in prefork event; do
        port=$(free_port)
        cat >"$GUEST_DATA/conf" <<CONF
ServerRoot $GUEST_DATA
ServerName localhost
Listen 127.0.0.1:$port
PidFile $GUEST_DATA/pid
Mutex file:$GUEST_DATA default
ErrorLog $GUEST_DATA/log
LogLevel notice
$([ "$(id -u)" -ne 0 ] || printf 'User nobody\nGroup nogroup\n')
LoadModule mpm_${kind}_module $modules/mod_mpm_$kind.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule alias_module $modules/mod_alias.so
$([ "$kind" = prefork ] && echo "LoadModule cgi_module $modules/mod_cgi.so" || echo "LoadModule cgid_module $modules/mod_cgid.so
ScriptSock $GUEST_DATA/cgisock")
StartServers 2
MaxRequestWorkers 50
DocumentRoot $PWD/www
ScriptAlias /cgi/ $PWD/cgi/
CONF
        : >"$GUEST_DATA/log"
        apache2 -X -f "$GUEST_DATA/conf" -t 2>&1
        # it signals its whole process group when it ends
        setsid apache2 -DFOREGROUND -f "$GUEST_DATA/conf" &
        server=$!
        wait_for_port "$port"
        ab -q -n 800 -c 8 -s 120 "http://127.0.0.1:$port/long" 2>&1 | grep -E 'Document Length|Complete|Failed|Non-2xx'
        seq 500 | curl -s --data-binary @- "http://127.0.0.1:$port/cgi/script?words"
        ab -q -n 60 -c 4 -s 120 "http://127.0.0.1:$port/cgi/script" 2>&1 | grep -E 'Complete|Failed|Non-2xx'
        kill -USR1 "$server"
        until [ "$(grep -c 'resuming normal operations' "$GUEST_DATA/log")" -ge 2 ]; do sleep 0.1; done
        wait_for_port "$port"
        ab -q -n 400 -c 8 -s 120 "http://127.0.0.1:$port/long" 2>&1 | grep -E 'Complete|Failed|Non-2xx'
        kill -TERM "$server"
        wait "$server"
        echo "ended with $?"
        grep -oE 'AH0[0-9]+: (caught SIGTERM|child pid [0-9]+ exit signal.*|.*Graceful.*)' "$GUEST_DATA/log" | sed -E 's/pid [0-9]+/pid/' |
            sort | uniq -c
    done
}
