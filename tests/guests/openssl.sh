# openssl: a server and clients, keys, speed with several processes
# packages: openssl
# commands: openssl

version() { openssl version | cut -d' ' -f1,2; }

prepare() {
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$GUEST_DATA/key" -out "$GUEST_DATA/cert" -subj /CN=guest -days 30000 2>/dev/null
    seq 20000 >numbers
}

workload() {
    local port server
    openssl dgst -sha256 numbers
    openssl enc -aes-256-cbc -pbkdf2 -pass pass:word -nosalt -in numbers -out "$GUEST_DATA/secret"
    openssl enc -d -aes-256-cbc -pbkdf2 -pass pass:word -nosalt -in "$GUEST_DATA/secret" | cmp - numbers
    echo "statuses ${PIPESTATUS[*]}"
    openssl speed -multi 3 -seconds 1 -bytes 64 -mr -evp sha256 2>/dev/null | grep -oE '^\+F:[0-9]+:sha256'
    openssl genpkey -algorithm ed25519 -out "$GUEST_DATA/ed" && openssl pkeyutl -sign -inkey "$GUEST_DATA/ed" -rawin -in numbers -out "$GUEST_DATA/signed"
    openssl pkey -in "$GUEST_DATA/ed" -pubout -out "$GUEST_DATA/public"
    openssl pkeyutl -verify -pubin -inkey "$GUEST_DATA/public" -rawin -in numbers -sigfile "$GUEST_DATA/signed"
    port=$(free_port)
    openssl s_server -quiet -accept "127.0.0.1:$port" -cert "$GUEST_DATA/cert" -key "$GUEST_DATA/key" -WWW >/dev/null 2>&1 &
    server=$!
    wait_for_port "$port"
    for _ in 1 2 3 4; do
        printf 'GET /numbers HTTP/1.0\r\n\r\n' | openssl s_client -quiet -ign_eof -connect "127.0.0.1:$port" -CAfile "$GUEST_DATA/cert" 2>/dev/null |
            sed '1,/^\r$/d' | cmp - numbers
        echo "statuses ${PIPESTATUS[*]}"
    done
    openssl s_client -connect "127.0.0.1:$port" -CAfile "$GUEST_DATA/cert" </dev/null 2>/dev/null | grep -E '^Verif|^New, TLS' | sort -u
    kill "$server"
    wait "$server"
    echo "ended with $?"
    openssl s_client -connect "127.0.0.1:$port" </dev/null >/dev/null 2>&1
    echo "status $?"
}
